import Core
import HTTP1
import ModuleTestSupport
import Testing

@testable import Updater

@Suite("Numbers from outside at their limits: refused or bounded, never a trap")
struct BoundaryTests {
    private static let v2 = Version("v2", serial: 2, size: 10_000)
    private static let app = v2.bytes("/app.js")

    /// A device that has 6,000 of the 10,000 bytes.
    private func interrupted() throws -> Harness {
        var device = try Harness.started()
        device.offered = Self.v2
        device.script = { request in
            request.route == "/app.js" ? Reply(200, Self.app).stalling(after: 6_000) : nil
        }
        device.check()
        device.kill()
        try device.launch()
        return device
    }

    /// A device whose first response for the file has this field; later ones are correct.
    private func answered(_ status: Int, _ field: String, _ value: String) throws -> Harness {
        var device = try interrupted()
        var reply = status == 206 ? Reply.part(Self.app, from: 6_000) : Reply(status, Self.app)
        reply.fields.set(field, value)
        let isFirst = Flag()
        device.script = { [reply] request in
            guard request.route == "/app.js" else { return nil }
            defer { isFirst.value = false }
            if isFirst.value { return reply }
            return request.from.map { Reply.part(Self.app, from: $0) }
        }
        device.check()
        device.wait(.minutes(3))
        return device
    }

    private final class Flag { var value = true }

    @Test(
        "Content-Length of a part, of a whole file and of a refusal", arguments: [200, 206, 416, 503],
        HostileNumber.all
    )
    func contentLength(status: Int, number: String) throws {
        let device = try answered(status, "Content-Length", number)
        #expect(device.status.pending?.id == "v2")
    }

    @Test(
        "Content-Range, at each position in it",
        arguments: ["F-9999/10000", "6000-F/10000", "6000-9999/F", "*/F"])
    func contentRange(form: String) throws {
        for number in HostileNumber.all {
            for status in [206, 416] {
                let value = "bytes " + form.replacing("F", with: number)
                let device = try answered(status, "Content-Range", value)
                #expect(device.status.pending?.id == "v2", "\(status) \(value)")
            }
        }
    }

    @Test(
        "A part of a file whose size no manifest states is refused above the limit",
        arguments: HostileNumber.all)
    func unknownSize(number: String) {
        let asset = Asset(route: "/a", size: nil, hash: .none, url: "a")
        let transfer = FileTransfer(
            id: TransferID(1), assetIndex: 0, key: SHA256.hash(of: []),
            request: OriginRequest(kind: .file("/a"), url: "a"),
            resumedAt: 6, offset: 6, sha256: SHA256(), tag: "\"a\"", lastProgress: .zero, windowStart: .zero)
        let fields: HeaderFields = [
            "Content-Range": "bytes 6-9/*", "Content-Length": number, "ETag": "\"a\"",
        ]
        let answer = OriginResponse(status: 206, fields, transfer, asset, limit: 1 << 20)
        guard let announced = HostileNumber.value(number), announced > 1 << 20 else {
            #expect(answer == .resumes)
            return
        }
        if case .refused(let refusal) = answer {
            #expect(refusal.cause == .fileTooLarge && !refusal.keepsPartial)
        } else {
            Issue.record("\(answer)")
        }
    }

    @Test("Content-Length, Date and Retry-After of a manifest's response", arguments: HostileNumber.all)
    func manifestAnswer(number: String) throws {
        for name in ["Content-Length", "Retry-After", "Date", "Age"] {
            for status in [200, 204, 503] {
                var device = try Harness.started()
                device.offered = Self.v2
                let isFirst = Flag()
                device.script = { request in
                    guard request.kind == .manifest, isFirst.value else { return nil }
                    isFirst.value = false
                    return Reply(status, status == 204 ? [] : Self.v2.manifest, [(name, number)])
                }
                device.check()
                device.wait(.hours(25))
                device.check()
                #expect(device.status.pending?.id == "v2", "\(status) \(name): \(number)")
            }
        }
    }

    @Test("Retry-After is bounded by a day at both ends", arguments: HostileNumber.all)
    func retryAfter(number: String) {
        let wait = (["Retry-After": number] as HeaderFields).retryAfter(OriginTime(seconds: 0))
        #expect(wait.map { $0 >= .zero && $0 <= .hours(24) } ?? true)
    }

    @Test("Dates at the limits of their format are compared without a trap")
    func dates() throws {
        for date in ["Sat, 01 Jan 0000 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT"] {
            var device = try Harness.started()
            device.offered = Self.v2
            device.script = { $0.kind == .manifest ? Reply(200, Self.v2.manifest, [("Date", date)]) : nil }
            device.check()
            device.wait(.days(40))
            device.check()
            #expect(device.status.pending?.id == "v2")
        }
    }

    @Test(
        "Sizes of a manifest: each too large and all together too large are refused",
        arguments: HostileNumber.all)
    func sizes(number: String) {
        let entries = (0..<3).map { index in
            #"{"route":"/\#(index)","size":\#(number.isEmpty ? "null" : number),"sha256":"\#(SHA256.hash(of: []).hex)"}"#
        }
        let manifest = Array(
            """
            {"format":"otalab-manifest-1","app":"a","version":"v","index":"/0",
             "files":[\(entries.joined(separator: ","))]}
            """.utf8)
        var limits = UpdaterLimits()
        for most in [limits.fileBytes, .max] {
            limits.fileBytes = most
            limits.versionBytes = most
            do {
                let table = try ManifestReader(dialect: .own, limits: limits).read(manifest)
                #expect(table.assets.allSatisfy { 0...most ~= $0.size ?? -1 }, "\(number)")
            } catch {
                #expect(!["0", "1"].contains(number), "\(error)")
            }
        }
    }

    @Test("The space required for missing bytes is bounded by the largest number")
    func space() {
        #expect(RequiredSpace.bytes(missing: 100, reserve: 50) == 160)
        #expect(RequiredSpace.bytes(missing: 0, reserve: 50) == 50)
        for number in HostileNumber.integers where number >= 0 {
            let missing = UntrustedInteger(number)
            #expect(RequiredSpace.bytes(missing: missing, reserve: .max) == .largest)
            #expect(RequiredSpace.bytes(missing: missing, reserve: 0) >= missing)
        }
        #expect(RequiredSpace.bytes(missing: .largest, reserve: 0) == .largest)
        #expect(RequiredSpace.sum([.max, 1, .max]) == .largest && RequiredSpace.sum([1, 2]) == 3)
    }

    @Test("Numbers in files of the store: an impossible length is damage", arguments: HostileNumber.all)
    func storedNumbers(number: String) {
        let hex = SHA256.hash(of: []).hex
        #expect(RecordCoding.decode(Array("otalab-record-1 1 \(number) \(hex)\n".utf8)) == nil)
        #expect(RecordCoding.decode(Array("otalab-record-1 \(number) 0 \(hex)\n".utf8)) == nil)
        for head in ["\(number) 0", "0 \(number)", "\(number) \(number)"] {
            let table = Array("otalab-table-1 \(head) \(hex)\n".utf8)
            #expect(TableCoding.decode(table, packageRoot: nil, limits: UpdaterLimits()) == nil)
        }
        let line = "\(hex) \(hex) \(number) -"
        let finished = FinishedAssets(Array("\(line) \(FNV1a32.hash(of: line))\n".utf8))
        #expect(finished.entries.allSatisfy { (0...(1 << 40)).contains($0.stored.size) })
        let note = "otalab-starts-2 wait=\(number)"
        let wait = StartsFile.decode(Array("\(note) \(FNV1a32.hash(of: note))\n".utf8))?.originDelay
        #expect(wait.map { $0.remaining >= .zero && $0.remaining <= .hours(24) } ?? true)
    }

    @Test(
        "Numbers in a record are bounded, or the record is invalid", arguments: HostileNumber.all
    )
    func recordNumbers(number: String) throws {
        let body = String(decoding: RecordWriter.body(RecordTests.full()), as: UTF8.self)
        let digits = try Regex(#":(-?[0-9]+)"#)
        for match in body.matches(of: digits) {
            var changed = body
            changed.replaceSubrange(match.range, with: ":" + (number.isEmpty ? "null" : number))
            let record = RecordReader.record(Array(changed.utf8), generation: 1)
            guard let record else { continue }
            #expect(!RecordCoding.encode(record).isEmpty)
            if let time = record.originTime, let since = record.parked?.since { _ = time - since }
        }
    }
}
