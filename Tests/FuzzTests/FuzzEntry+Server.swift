import Core
import HTTP1
import LocalServer
import World

/// Requests: read, and answered by a whole server.
extension FuzzEntry {
    /// The same however the bytes are cut; what was read, sent on and read again is the same request, one
    /// only, with a body of the same length: nobody behind us can cut it in another way.
    static func httpRequest(_ bytes: [UInt8]) throws(Broken) {
        let whole = requests(of: [bytes])
        let cut = bytes.count / 3
        if requests(of: [Array(bytes[..<cut]), Array(bytes[cut...])]) != whole {
            throw Broken("read in two pieces it is another request")
        }
        for (place, event) in whole.enumerated() {
            if case .failure = event, place != whole.count - 1 { throw Broken("reads on after a failure") }
            guard case .head(let head) = event else { continue }
            let again = requests(of: [head.serialized()])
            guard case .head(let same) = again.first, same == head else {
                throw Broken("sent on it is another request: \(head)")
            }
            let codings = head.fields.all("Transfer-Encoding").count
            let lengths = head.fields.all("Content-Length").count
            if codings + lengths > 1 { throw Broken("two words for the length of one body") }
            if head.fields.contains("Transfer-Encoding") != (head.framing == .chunked) {
                throw Broken("a coding that is not followed")
            }
        }
    }

    private static func requests(of pieces: [[UInt8]]) -> [RequestParser.Event] {
        var parser = RequestParser(limits: HTTPLimits(body: 1 << 20))
        var joined: [RequestParser.Event] = []
        for piece in pieces {
            for event in parser.feed(piece) {
                if case .body(let more) = event, case .body(let bytes) = joined.last {
                    joined[joined.count - 1] = .body(bytes + more)
                } else {
                    joined.append(event)
                }
            }
        }
        return joined
    }

    /// Bytes as a peer with the session key may say them; parted by bytes 0, they come in pieces.
    static func server(_ bytes: [UInt8]) throws {
        var stage = try FuzzServer()
        for piece in bytes.split(separator: 0, omittingEmptySubsequences: true) {
            try stage.say(Array(piece))
        }
        try stage.end()
    }
}

/// A server with two files, whose peer says anything.
struct FuzzServer {
    private var server: LocalServer
    private var disk = SimulatedDisk()
    private var parser = ResponseParser(limits: HTTPLimits(body: 1 << 20))
    private var queue: [LocalServer.Event] = []
    private var isClosed = false
    private var answers = 0
    private var loads: UInt64 = 0
    private let site: Site
    /// What leaves now is the remote root's.
    private var isPassing = false
    /// The remote root's side of each connection, and how many requests came on it.
    private var lines: [UpstreamID: Line] = [:]

    private struct Line {
        var parser = RequestParser()
        var head: RequestHead?
        var requests = 0
        var isTunnel = false
        var isWanted = false
        var answer: [UInt8] = []
        var isClosed = false
    }

    private static let peer = ConnectionID(1)
    static let key = "0123456789abcdef0123456789abcdef"
    /// Seeds carry the key; a fuzzer need not guess it.
    private static let files: [(route: String, bytes: [UInt8])] = [
        ("/app.js", Array("let a = 1".utf8)), ("/index.html", Array("<p>index</p>".utf8)),
    ]

    init() throws {
        try disk.mountPackage(files: FuzzServer.files.map { ("v1" + $0.route, $0.bytes) })
        site = Site(
            name: "v1", index: "/index.html",
            files: FuzzServer.files.map { file in
                ServedFile(
                    route: file.route, path: DiskPath(.package, "v1" + file.route), size: file.bytes.count,
                    tag: "t")
            })
        var configuration = LocalServer.Configuration(port: 12_308, sessionKey: FuzzServer.key)
        configuration.remote = try RemoteRoot("http://api.example.com/base")
        configuration.routes = RouteTable([RouteEntry.remote("/api/**", upgrades: true)].compactMap { $0 })
        server = LocalServer(configuration)
        queue = [.current(site), .opened(FuzzServer.peer)]
        try work()
    }

    mutating func say(_ bytes: [UInt8]) throws {
        queue.append(.received(FuzzServer.peer, bytes))
        try work()
    }

    /// The peer ends its side: what was asked whole is answered, then the connection is over.
    mutating func end() throws {
        queue.append(.finished(FuzzServer.peer))
        try work()
        // A WebSocket lasts as long as the remote root keeps it.
        for (id, line) in lines where line.isTunnel && !line.isClosed {
            queue.append(.upstream(id, .ended))
            try work()
        }
        if !isClosed { throw FuzzEntry.Broken("a connection whose peer has ended stays open") }
        if disk.openCount > 0 { throw FuzzEntry.Broken("a file is left open") }
    }

    private mutating func work() throws {
        var steps = 0
        while !queue.isEmpty {
            steps += 1
            if steps > 20_000 { throw FuzzEntry.Broken("no end in sight") }
            disk.beginStep()
            let effects = server.handle(queue.removeFirst(), at: .zero, disk: &disk)
            for case .answered(let answer) in effects { isPassing = answer.isRemote }
            for effect in effects { try carryOut(effect) }
        }
    }

    private mutating func carryOut(_ effect: LocalServer.Effect) throws {
        switch effect {
        case .send(_, let output):
            if isClosed { throw FuzzEntry.Broken("an answer on a closed connection") }
            try read(output)
            queue.append(.sent(FuzzServer.peer))
        case .close: isClosed = true
        case .navigationRequested(let navigation):
            loads += 1
            queue.append(.navigationAnswer(navigation.id, .page(PageLoadToken(loads), site)))
        case .bridge(let call, _, _): queue.append(.bridgeAnswer(call, Array("{}".utf8)))
        case .handlerRequested(let call, _): queue.append(.handlerAnswer(call, LocalServer.HandlerAnswer()))
        case .answered(let answer):
            let query = answer.target.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
            if query.split(separator: "&").contains("otalab-key=\(FuzzServer.key)") {
                throw FuzzEntry.Broken("the key in a log")
            }
        case .upstream(let id, let call): try upstream(id, call)
        case .setReadInterest, .authenticated, .setTimer, .cancelTimer, .indexServed, .sending, .seen,
            .navigationGone, .documentNotTaken, .documentElsewhere:
            break
        case .readFailed(_, let path, let error), .noRoomForFile(let path, let error):
            throw FuzzEntry.Broken("\(path) can't be read: \(error)")
        }
    }

    /// The remote root reads strictly: whatever the page said, there is one request on a connection, to this
    /// host, beneath its base, without a word of ours in it.
    private mutating func upstream(_ id: UpstreamID, _ call: UpstreamCommand) throws {
        switch call {
        case .open:
            guard lines[id] == nil else { throw FuzzEntry.Broken("a connection opened twice") }
            lines[id] = Line()
            queue.append(.upstream(id, .connected))
        case .send(let bytes):
            guard var line = lines[id], !line.isClosed else {
                throw FuzzEntry.Broken("bytes on a connection that is not there")
            }
            queue.append(.upstream(id, .sent))
            if line.isTunnel { return }
            for event in line.parser.feed(bytes) { try take(event, &line) }
            lines[id] = line
            answer(id)
        case .receive:
            lines[id]?.isWanted = true
            answer(id)
        case .finish: break
        case .close: lines[id]?.isClosed = true
        }
    }

    private func take(_ event: RequestParser.Event, _ line: inout Line) throws {
        switch event {
        case .head(let head):
            line.requests += 1
            guard line.requests == 1 else { throw FuzzEntry.Broken("two requests to the remote root") }
            guard head.fields.all("Host") == ["api.example.com"] else { throw FuzzEntry.Broken("Host") }
            guard case .origin(let target) = head.target, target.path.hasPrefix("/base/") else {
                throw FuzzEntry.Broken("the target \(head.target)")
            }
            let cookies = head.fields.all("Cookie").joined(separator: ";")
            if cookies.split(separator: ";").contains(where: {
                $0.drop { $0 == " " }.hasPrefix("otalab-key")
            }) {
                throw FuzzEntry.Broken("the key leaves the device: \(cookies)")
            }
            line.head = head
            line.isTunnel = head.fields.contains("Upgrade")
            if line.isTunnel {
                line.answer = Array(
                    "HTTP/1.1 101 S\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nhello".utf8)
            }
        case .body: break
        case .end:
            let isHead = line.head?.method == .head
            line.answer = Array(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nSet-Cookie: a=b; Secure\r\n\r\n".utf8)
            if !isHead { line.answer += Array("2\r\nok\r\n0\r\n\r\n".utf8) }
        case .failure(let failure): throw FuzzEntry.Broken("the remote root reads \(failure)")
        }
    }

    private mutating func answer(_ id: UpstreamID) {
        guard let line = lines[id], line.isWanted, !line.isClosed else { return }
        guard !line.answer.isEmpty else {
            if line.isTunnel, line.requests == 2 { queue.append(.upstream(id, .ended)) }
            return
        }
        lines[id]?.isWanted = false
        lines[id]?.answer = []
        queue.append(.upstream(id, .bytes(line.answer)))
    }

    /// An answer must be one that a strict reader reads, whole; its body is a file of ours or our own words.
    private mutating func read(_ output: LocalServer.Output) throws {
        var bytes = output.head
        var isFile = false
        switch output.body {
        case .none: break
        case .bytes(let more): bytes += more
        case .file(let handle, let offset, let count):
            isFile = true
            bytes += try disk.read(handle, at: offset, count: count)
        }
        let text = String(decoding: output.head.prefix(13), as: UTF8.self)
        if text.hasPrefix("HTTP/1.1 100 ") { return }
        // What the remote root said goes down as it comes; a page that has a whole answer is tested
        // elsewhere.
        if isPassing { return }
        answers += 1
        let parts = bytes.split(separator: 13, maxSplits: 1, omittingEmptySubsequences: false)
        // Whether the request was HEAD is the server's to know: its announced length has no body then.
        let isHeadOnly = !isFile && output.body == .none
        parser.expect(isHeadOnly ? .head : .get)
        let events = parser.feed(bytes)
        guard case .end = events.last, parts.count == 2, parser.isIdle else {
            throw FuzzEntry.Broken("an answer that is not whole: \(String(decoding: bytes, as: UTF8.self))")
        }
        guard case .head(let head, _) = events.first else { throw FuzzEntry.Broken("an answer without head") }
        if head.fields.fields.contains(where: { $0.name.lowercased().hasPrefix("access-control") }) {
            throw FuzzEntry.Broken("a foreign page is let in")
        }
        if !isFile, head.status.code >= 400, bytes.count > 700 { throw FuzzEntry.Broken("a long refusal") }
    }
}
