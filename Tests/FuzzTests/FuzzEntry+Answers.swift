import Core
import HTTP1

@testable import Updater

/// The doors behind which more than one reader stands.
extension FuzzEntry {
    static func finished(_ bytes: [UInt8]) throws(Broken) {
        let rows = FinishedAssets(bytes)
        if rows.length > bytes.count { throw Broken("longer than the file") }
        if rows.entries.contains(where: { $0.stored.size < 0 }) { throw Broken("a size below 0") }
        var again = FinishedAssets()
        var text: [UInt8] = []
        for entry in rows.entries { text += again.add(entry.key, entry.digest, entry.stored).line }
        if FinishedAssets(text).entries != rows.entries { throw Broken("rows change when read again") }
    }

    /// The same whether the bytes come at once or in two pieces; the fields are looked at as the updater
    /// does.
    static func httpAnswer(_ bytes: [UInt8]) throws(Broken) {
        let whole = events(of: [bytes])
        let cut = bytes.count / 3
        if events(of: [Array(bytes[..<cut]), Array(bytes[cut...])]) != whole {
            throw Broken("read in two pieces it is another answer")
        }
        for case .head(let head, _) in whole {
            try look(at: head.fields, status: head.status.code)
        }
    }

    private static func events(of pieces: [[UInt8]]) -> [ResponseParser.Event] {
        var parser = ResponseParser(syntax: .tolerant)
        for _ in 0..<4 { parser.expect(.get) }
        var events: [ResponseParser.Event] = []
        for piece in pieces { events += parser.feed(piece) }
        if let last = parser.close() { events.append(last) }
        var joined: [ResponseParser.Event] = []
        for event in events {
            if case .body(let more) = event, case .body(let bytes) = joined.last {
                joined[joined.count - 1] = .body(bytes + more)
            } else {
                joined.append(event)
            }
        }
        return joined
    }

    private static func look(at fields: HeaderFields, status: Int) throws(Broken) {
        if let wait = fields.retryAfter(fields.date), wait < .zero || wait > Backoff.longestRequestedDelay {
            throw Broken("Retry-After of \(wait)")
        }
        if let range = fields.range, range.first < 0 || (range.total ?? 0) < 0 {
            throw Broken("a range of \(range)")
        }
        let key = SHA256.hash(of: [1])
        for (resumed, hash) in [(0, AssetHash.none), (40, .none), (40, .sha256(key))] {
            let transfer = FileTransfer(
                id: TransferID(1), assetIndex: 0, key: key,
                request: OriginRequest(kind: .file("/a"), url: "https://updates.example.com/a"),
                resumedAt: resumed, offset: resumed, sha256: SHA256(), tag: resumed > 0 ? "\"a\"" : nil,
                lastProgress: .zero, windowStart: .zero)
            let asset = Asset(
                route: "/a", size: resumed > 0 ? 50 : nil, hash: hash, url: "a", packagePath: "a",
                isOptional: resumed == 0)
            let answer = OriginResponse(status: status, fields, transfer, asset, limit: 1_000)
            if answer == .resumes, resumed == 0 { throw Broken("goes on with nothing") }
            if answer == .whole, let length = fields.contentLength, let size = asset.size,
                length != UntrustedInteger(size)
            {
                throw Broken("takes \(length) bytes for \(size)")
            }
        }
    }

    static func location(_ bytes: [UInt8]) throws(Broken) {
        let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        let base = String(decoding: parts.first ?? [], as: UTF8.self)
        let reference = String(decoding: parts.count > 1 ? parts[1] : [], as: UTF8.self)
        let root = "https://updates.example.com"
        for base in [base, root + "/app/manifest.json?x#y"] {
            guard let url = OriginURL.resolve(reference, against: base, allowed: [root]) else { continue }
            let start = url.lowercased()
            guard
                start.hasPrefix(root + "/") || start.hasPrefix(root + "?") || start.hasPrefix(root + ":443")
                    || start == root
            else { throw Broken("\(reference) leads to \(url)") }
            if url.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7f }) {
                throw Broken("\(reference) becomes \(url)")
            }
        }
    }

    // MARK: A device among such bytes

    /// What is thrown there is a finding, whatever its type.
    static func lives(_ body: () throws -> Void) throws(Broken) {
        do {
            try body()
        } catch let broken as Broken {
            throw broken
        } catch {
            throw Broken("\(error)")
        }
    }

    static func store(_ bytes: [UInt8]) throws {
        let parts = bytes.split(separator: 0, maxSplits: 5, omittingEmptySubsequences: false).map {
            Array($0)
        }
        func part(_ number: Int) -> [UInt8] { number < parts.count ? parts[number] : [] }
        var device = try FuzzDevice()
        var keys: [VersionKey] = []
        for (number, path) in [StorePaths.recordA, StorePaths.recordB].enumerated() {
            let body = part(number)
            if body.isEmpty { continue }
            let head = "\(RecordCoding.format) \(number + 7) \(body.count) "
            let file = Array((head + SHA256.hash(of: Array(head.utf8) + body).hex + "\n").utf8) + body
            try device.place(path, file)
            if let record = RecordCoding.decode(file) { keys += record.versions.map(\.key) }
        }
        let note = String(decoding: part(2), as: UTF8.self)
        try device.place(StorePaths.starts, Array("\(note) \(FNV1a32.hash(of: note))\n".utf8))
        let (manifest, places) = (part(3), part(4))
        let body = manifest + places
        let table = "\(TableCoding.format) \(manifest.count) \(body.count) \(SHA256.hash(of: body).hex)\n"
        for key in keys { try device.place(StorePaths.table(key), Array(table.utf8) + body) }
        let stored = TableCoding.decode(
            Array(table.utf8) + body, packageRoot: DiskPath(.package, "web"), limits: UpdaterLimits())
        for place in stored?.storedAssets ?? [] {
            guard case .blob(let digest) = place.location, (0...4_096).contains(place.size) else { continue }
            try device.place(StorePaths.blob(digest), [UInt8](repeating: 7, count: place.size))
        }
        try device.place(StorePaths.partialManifest, manifest)
        try device.place(StorePaths.partialFinished, part(5))
        for _ in 0..<3 { try device.live() }
    }

    static func origin(_ bytes: [UInt8]) throws {
        var answers: [[UInt8]] = [[]]
        for line in bytes.split(separator: 0x0a, omittingEmptySubsequences: false) {
            if line.elementsEqual("----".utf8) {
                answers.append([])
            } else {
                answers[answers.count - 1] += line + [0x0a]
            }
        }
        var device = try FuzzDevice(answers: answers)
        // One that downloads, one that starts what was downloaded, and one that reads the record of that.
        for _ in 0..<3 { try device.live() }
    }

    /// A device with six of ten bytes of a file gets this answer to its request for the rest, then good ones.
    static func resumed(_ bytes: [UInt8]) throws {
        let digests = [index, script].map { SHA256.hash(of: $0).hex }
        let manifest = """
            {"format":"otalab-manifest-1","app":"com.example.shop","version":"v2","serial":2,\
            "index":"/index.html","files":[{"route":"/index.html","size":10,"sha256":"\(digests[0])"},\
            {"route":"/app.js","size":10,"sha256":"\(digests[1])"}]}
            """
        func answer(_ body: some Collection<UInt8>, of length: Int) -> [UInt8] {
            let date = "Date: Fri, 20 Nov 2026 12:00:00 GMT\r\n"
            let head = "HTTP/1.1 200 OK\r\n\(date)ETag: \"a\"\r\nContent-Length: \(length)\r\n\r\n"
            return Array(head.utf8) + body
        }
        let offer = answer(manifest.utf8, of: manifest.utf8.count)
        let whole = answer(script, of: script.count)
        var device = try FuzzDevice(answers: [
            offer, answer(script.prefix(6), of: script.count), answer(index, of: index.count), bytes, offer,
            whole, offer, whole,
        ])
        for _ in 0..<3 { try device.live() }
    }

    private static let index = Array("<p>two</p>".utf8)
    private static let script = Array("var two=2;".utf8)
}
