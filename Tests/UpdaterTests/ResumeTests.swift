import Core
import HTTP1
import Testing
import World

@testable import Updater

@Suite("Resuming a download (U2), and every unusual response to that")
struct ResumeTests {
    static let v2 = Version("v2", serial: 2, size: 10_000)
    static let app = v2.bytes("/app.js")

    /// A process that died when 6,000 of the 10,000 bytes were here.
    private func interrupted(tag: String? = "\"a\"") throws -> Harness {
        var device = try Harness.started()
        device.offered = Self.v2
        let fields = tag.map { [("ETag", $0)] } ?? []
        device.script = { request in
            request.route == "/app.js" ? Reply(200, Self.app, fields).stalling(after: 6_000) : nil
        }
        device.check()
        device.kill()
        try device.launch()
        device.requests = []
        return device
    }

    /// The next request for the file gets this response, later ones the origin's.
    private func resumed(_ first: Reply, tag: String? = "\"a\"") throws -> Harness {
        var device = try interrupted(tag: tag)
        let count = Counter()
        device.script = { request in
            guard request.route == "/app.js" else { return nil }
            count.value += 1
            if count.value == 1 { return first }
            return request.from.map { Reply.part(Self.app, from: $0, tag: "\"a\"") } ?? Reply(200, Self.app)
        }
        device.check()
        device.wait(.minutes(3))
        return device
    }

    private final class Counter { var value = 0 }

    @Test("The request starts where the download stopped, with its tag, and nothing else is requested")
    func resumesWhereItStopped() throws {
        let device = try resumed(.part(Self.app, from: 6_000, tag: "\"a\""))
        #expect(device.status.pending?.id == "v2")
        #expect(device.requested("/app.js").map(\.from) == [6_000])
        #expect(device.requested("/app.js").first?.field("If-Range") == "\"a\"")
        #expect(device.requested("/app.js").first?.field("Accept-Encoding") == "identity")
    }

    @Test("A weak tag proves nothing: no If-Range, and the hash protects the joined content")
    func weakTag() throws {
        let device = try resumed(.part(Self.app, from: 6_000), tag: "W/\"a\"")
        #expect(device.status.pending?.id == "v2")
        #expect(device.requested("/app.js").first?.from == 6_000)
        #expect(device.requested("/app.js").first?.field("If-Range") == nil)
    }

    struct UnusualResponse: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var reply: @Sendable () -> Reply
        var cause: LogCause?
        /// Requests for the file, with the first byte of each.
        var requested: [Int?]
    }

    static let odd: [UnusualResponse] = [
        UnusualResponse(
            testDescription: "200 with the whole body", reply: { Reply(200, app) }, cause: nil,
            requested: [6_000]
        ),
        UnusualResponse(
            testDescription: "206 from another offset", reply: { .part(app, from: 0, tag: "\"a\"") },
            cause: .rangeRefused, requested: [6_000, nil]),
        UnusualResponse(
            testDescription: "206 without a Content-Range", reply: { Reply(206, Array(app[6_000...])) },
            cause: .rangeRefused, requested: [6_000, nil]),
        UnusualResponse(
            testDescription: "206 of another entity", reply: { .part(app, from: 6_000, tag: "\"b\"") },
            cause: .contentMismatch, requested: [6_000, nil]),
        UnusualResponse(
            testDescription: "206 of a file with another length",
            reply: { .part(app + [1, 2, 3], from: 6_000, tag: "\"a\"") }, cause: .lengthMismatch,
            requested: [6_000, nil]),
        UnusualResponse(
            testDescription: "206 with other bytes under the same tag",
            reply: { .part(Version.content("other", 10_000), from: 6_000, tag: "\"a\"") },
            cause: .contentMismatch, requested: [6_000, nil]),
        UnusualResponse(
            testDescription: "416 for no reason",
            reply: { Reply(416, [], [("Content-Range", "bytes */10000")]) }, cause: .rangeRefused,
            requested: [6_000, nil]),
        UnusualResponse(
            testDescription: "403", reply: { Reply(403) }, cause: .statusRefused, requested: [6_000, 6_000]),
        UnusualResponse(
            testDescription: "404", reply: { Reply(404) }, cause: .statusRefused, requested: [6_000, 6_000]),
        UnusualResponse(
            testDescription: "500", reply: { Reply(500) }, cause: .statusRefused, requested: [6_000, 6_000]),
        UnusualResponse(
            testDescription: "429 with Retry-After", reply: { Reply(429, [], [("Retry-After", "90")]) },
            cause: .statusRefused, requested: [6_000, 6_000]),
        UnusualResponse(
            testDescription: "a part with a content coding",
            reply: {
                var reply = Reply.part(app, from: 6_000, tag: "\"a\"")
                reply.fields.append("Content-Encoding", "gzip")
                return reply
            }, cause: .codingRefused, requested: [6_000, 6_000]),
        UnusualResponse(
            testDescription: "a truncated part",
            reply: { Reply.part(app, from: 6_000, tag: "\"a\"").cut(after: 1_000, .truncated) },
            cause: .transferFailed, requested: [6_000, 7_000]),
        UnusualResponse(
            testDescription: "206 that ends before the file does",
            reply: {
                Reply(
                    206, Array(app[6_000..<8_000]),
                    [("Content-Range", "bytes 6000-7999/10000"), ("ETag", "\"a\"")])
            }, cause: .transferFailed, requested: [6_000, 8_000]),
        UnusualResponse(
            testDescription: "206 of unknown length",
            reply: {
                Reply(206, Array(app[6_000...]), [("Content-Range", "bytes 6000-9999/*"), ("ETag", "\"a\"")])
            }, cause: nil, requested: [6_000]),
        UnusualResponse(
            testDescription: "206 in another range unit",
            reply: { Reply(206, Array(app[6_000...]), [("Content-Range", "lines 6000-9999/10000")]) },
            cause: .rangeRefused, requested: [6_000, nil]),
        UnusualResponse(
            testDescription: "206 multipart",
            reply: { Reply(206, [45, 45, 120], [("Content-Type", "multipart/byteranges; boundary=x")]) },
            cause: .rangeRefused, requested: [6_000, nil]),
        UnusualResponse(
            testDescription: "200 of another length", reply: { Reply(200, app + [1]) },
            cause: .lengthMismatch,
            requested: [6_000, nil]),
        UnusualResponse(
            testDescription: "410", reply: { Reply(410) }, cause: .statusRefused, requested: [6_000, 6_000]),
        UnusualResponse(
            testDescription: "304 to an unconditional request", reply: { Reply(304) }, cause: .statusRefused,
            requested: [6_000, 6_000]),
    ]

    @Test("Whatever the response, the file is right in the end, and the cost is bounded", arguments: odd)
    func unusualResponse(_ odd: UnusualResponse) throws {
        let device = try resumed(odd.reply())
        #expect(device.status.pending?.id == "v2")
        #expect(device.requested("/app.js").map(\.from) == odd.requested)
        if let cause = odd.cause { #expect(device.causes(cause) == 1) }
    }

    @Test("A partial file that is already complete is not requested again")
    func partIsWhole() throws {
        var device = try Harness.started()
        device.offered = Self.v2
        device.script = { $0.route == "/app.js" ? Reply(200, Self.app).stalling(after: 10_000) : nil }
        device.check()
        device.kill()
        try device.launch()
        device.script = nil
        device.requests = []
        device.check()
        #expect(device.status.pending?.id == "v2")
        #expect(device.requested("/app.js").isEmpty)
    }

    @Test("416 for a complete partial file whose size the manifest does not state")
    func complete() {
        var transfer = FileTransfer(
            id: TransferID(1), assetIndex: 0, key: SHA256.hash(of: [1]),
            request: OriginRequest(kind: .file("/a"), url: "https://origin.example/a"), resumedAt: 40,
            offset: 40, sha256: SHA256(), lastProgress: .zero, windowStart: .zero)
        let asset = Asset(
            route: "/a", size: nil, hash: .sha1(SHA1.hash(of: [1])), url: "a", packagePath: "a")
        func answer(_ range: String) -> OriginResponse {
            let fields: HeaderFields = ["Content-Range": range]
            return OriginResponse(status: 416, fields, transfer, asset, limit: 1_000)
        }
        #expect(answer("bytes */40") == .complete)
        #expect(answer("bytes */41") != .complete)
        transfer.resumedAt = 0
        #expect(answer("bytes */0") != .complete)
    }

    @Test("An expired link is new in a newer manifest of the same version, and the download resumes")
    func newLink() throws {
        var device = try Harness.started()
        device.offered = Self.v2
        let calls = Counter()
        device.script = { request in
            if request.kind == .manifest {
                calls.value += 1
                return Reply(200, Self.v2.manifest(url: "/signed/\(calls.value)"))
            }
            guard request.route == "/app.js" else { return nil }
            if request.url.hasSuffix("/signed/1") {
                return request.from == nil ? Reply(200, Self.app).cut(after: 6_000) : Reply(403)
            }
            return request.from.map { Reply.part(Self.app, from: $0) } ?? Reply(200, Self.app)
        }
        device.check()
        device.wait(.minutes(1))
        #expect(device.status.pending?.id == "v2")
        #expect(device.requested("/app.js").map(\.from) == [nil, 6_000, 6_000])
        #expect(device.requested("/app.js").last?.url == "https://origin.example/signed/2")
    }
}

extension Version {
    /// The manifest with a separate URL for `/app.js`.
    func manifest(url: String) -> [UInt8] {
        let text = String(decoding: manifest, as: UTF8.self)
        let parts = text.components(around: "{ \"route\": \"/app.js\",")
        return Array((parts?.0 ?? text).utf8) + Array("{ \"route\": \"/app.js\", \"url\": \"\(url)\",".utf8)
            + Array((parts?.1 ?? "").utf8)
    }
}

extension String {
    /// Text before and after the first occurrence.
    func components(around part: String) -> (String, String)? {
        let bytes = Array(utf8)
        let wanted = Array(part.utf8)
        guard bytes.count >= wanted.count else { return nil }
        for start in 0...(bytes.count - wanted.count)
        where bytes[start..<(start + wanted.count)].elementsEqual(wanted) {
            return (
                String(decoding: bytes[..<start], as: UTF8.self),
                String(decoding: bytes[(start + wanted.count)...], as: UTF8.self)
            )
        }
        return nil
    }
}
