import Core
import HTTP1
import ModuleTestSupport
import Testing
import LocalServer

/// A disk of files in memory that counts what is opened and closed; only what a server calls is there.
struct MemoryDisk: Disk {
    var files: [DiskPath: [UInt8]] = [:]
    var failing: [DiskPath: DiskError.Code] = [:]
    /// Files that open, and whose size can't be read.
    var withoutSize: Set<DiskPath> = []
    private(set) var open: [FileHandle: DiskPath] = [:]
    private(set) var opened: [DiskPath] = []
    private var next: Int32 = 1

    mutating func open(_ path: DiskPath, _ mode: OpenMode) throws(DiskError) -> FileHandle {
        if let code = failing[path] { throw DiskError(code, .open, path) }
        guard mode == .read else { throw DiskError(.readOnly, .open, path) }
        guard files[path] != nil else { throw DiskError(.notFound, .open, path) }
        let handle = FileHandle(id: next)
        next += 1
        open[handle] = path
        opened.append(path)
        return handle
    }

    mutating func close(_ file: FileHandle) throws(DiskError) {
        guard open.removeValue(forKey: file) != nil else { throw DiskError(.badHandle, .close) }
    }

    mutating func read(_ file: FileHandle, at offset: Int, count: Int) throws(DiskError) -> [UInt8] {
        guard let path = open[file], let bytes = files[path] else { throw DiskError(.badHandle, .read) }
        return Array(bytes.dropFirst(offset).prefix(count))
    }

    mutating func size(_ file: FileHandle) throws(DiskError) -> Int {
        guard let path = open[file], let bytes = files[path] else { throw DiskError(.badHandle, .size) }
        if withoutSize.contains(path) { throw DiskError(.inputOutput, .size, path) }
        return bytes.count
    }

    private func refuse(_ call: DiskCall) -> DiskError { DiskError(.readOnly, call) }

    mutating func write(_ file: FileHandle, _ bytes: ArraySlice<UInt8>, at offset: Int) throws(DiskError)
        -> Int
    { throw refuse(.write) }
    mutating func truncate(_ file: FileHandle, to size: Int) throws(DiskError) { throw refuse(.truncate) }
    mutating func sync(_ file: FileHandle) throws(DiskError) { throw refuse(.sync) }
    mutating func syncDirectory(_ path: DiskPath) throws(DiskError) { throw refuse(.syncDirectory) }
    mutating func status(_ path: DiskPath) throws(DiskError) -> FileStatus { throw refuse(.status) }
    mutating func list(_ path: DiskPath) throws(DiskError) -> [String] { throw refuse(.list) }
    mutating func makeDirectory(_ path: DiskPath) throws(DiskError) { throw refuse(.makeDirectory) }
    mutating func rename(_ source: DiskPath, to target: DiskPath) throws(DiskError) { throw refuse(.rename) }
    mutating func remove(_ path: DiskPath) throws(DiskError) { throw refuse(.remove) }
    mutating func removeDirectory(_ path: DiskPath) throws(DiskError) { throw refuse(.removeDirectory) }
    mutating func lock(_ path: DiskPath) throws(DiskError) -> FileHandle { throw refuse(.lock) }
    mutating func freeSpace(_ volume: Volume) throws(DiskError) -> UntrustedInteger {
        throw refuse(.freeSpace)
    }
}

/// A server with its disk and a host that answers navigations at once with `site`.
struct ServerFixture {
    static let port: UInt16 = 12_308
    static let key = "00112233445566778899aabbccddeeff"

    var server: LocalServer
    /// When events happen.
    var now = Instant.zero
    var disk = MemoryDisk()
    var site: Site
    /// Every effect so far.
    var log: [LocalServer.Effect] = []
    var hostAnswers = true
    var cookies: [String: String] = ["otalab-key-12308": ServerFixture.key]
    private var nextToken: UInt64 = 1
    private var nextConnection: UInt32 = 1
    /// What left on each connection and was not read by a test yet.
    var outbox: [ConnectionID: [UInt8]] = [:]
    var unsent: [ConnectionID] = []
    /// Commands for each connection to the remote root.
    var upstreams: [UpstreamID: [UpstreamCommand]] = [:]
    var readInterests: [ConnectionID: LocalServer.ReadInterest] = [:]
    var closed: [ConnectionID] = []

    static let v1 = ServerFixture.site(
        "v1", [("/app.js", "one();", false), ("/style.css", "@font 1", false)])
    static let v2 = ServerFixture.site(
        "v2", [("/app.js", "two();", false), ("/style.css", "@font 2", false)])

    /// Every site has an index, a font, and a script whose URL fixes its content.
    static func site(_ name: String, _ rows: [(String, String, Bool)]) -> Site {
        let more = [
            ("/index.html", "<p>\(name)</p>", false), ("/font.woff2", "font of \(name)", false),
            ("/\(name).0123abcd.js", "fixed(\(name));", true), ("/about.html", "about \(name)", false),
            ("/empty.txt", "", false),
        ]
        let files = (rows + more).sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
            .map { route, text, isImmutable in
                ServedFile(
                    route: route, path: DiskPath(.data, "\(name)\(route)"), size: text.utf8.count,
                    tag: "\(name)-\(text.utf8.count)-\(route.utf8.count)", isImmutable: isImmutable,
                    sourceMap: route == "/app.js" ? "/app.js.map" : nil)
            }
        return Site(name: name, index: "/index.html", files: files)
    }

    init(
        www: Bool = false, limits: LocalServer.Limits = LocalServer.Limits(),
        current: Site? = ServerFixture.v1,
        _ set: (inout LocalServer.Configuration) -> Void = { _ in }
    ) {
        var files = HeaderlessFiles()
        files.add("v1", [("/app.js", "one();"), ("/style.css", "@font 1")])
        files.add("v2", [("/app.js", "two();"), ("/style.css", "@font 2")])
        let cordova = ServedFile(
            route: "/cordova.js", path: DiskPath(.package, "www/cordova.js"), size: 6, tag: "c")
        disk.files = files.all
        disk.files[cordova.path] = Array("bridge".utf8)
        var configuration = LocalServer.Configuration(
            port: ServerFixture.port, sessionKey: ServerFixture.key,
            www: www ? Site(name: "www", index: "", files: [cordova]) : nil)
        configuration.limits = limits
        set(&configuration)
        server = LocalServer(configuration)
        site = ServerFixture.v1
        handle(.current(current))
    }

    private struct HeaderlessFiles {
        var all: [DiskPath: [UInt8]] = [:]

        mutating func add(_ name: String, _ rows: [(String, String)]) {
            let more = [
                ("/index.html", "<p>\(name)</p>"), ("/font.woff2", "font of \(name)"),
                ("/\(name).0123abcd.js", "fixed(\(name));"), ("/about.html", "about \(name)"),
                ("/empty.txt", ""),
            ]
            for (route, text) in rows + more { all[DiskPath(.data, "\(name)\(route)")] = Array(text.utf8) }
        }
    }

    // MARK: Events

    @discardableResult
    mutating func handle(_ event: LocalServer.Event) -> [LocalServer.Effect] {
        var queue = [event]
        var all: [LocalServer.Effect] = []
        while !queue.isEmpty {
            let effects = server.handle(queue.removeFirst(), at: now, disk: &disk)
            all += effects
            for effect in effects { queue += carryOut(effect) }
        }
        log += all
        return all
    }

    private mutating func carryOut(_ effect: LocalServer.Effect) -> [LocalServer.Event] {
        switch effect {
        case .send(let id, let output):
            do { outbox[id, default: []] += try output.bytes(from: &disk) } catch {
                Issue.record("\(error)")
            }
            unsent.append(id)
        case .close(let id): closed.append(id)
        case .navigationRequested(let navigation) where hostAnswers:
            let isOurs = navigation.token.map { tokens.contains($0) } ?? false
            let token = isOurs ? navigation.token ?? newToken() : newToken()
            tokens.removeAll { $0 == token }
            return [.navigationAnswer(navigation.id, .page(token, site))]
        case .upstream(let id, let call): upstreams[id, default: []].append(call)
        case .setReadInterest(let id, let interest): readInterests[id] = interest
        case .navigationRequested, .navigationGone, .documentNotTaken, .documentElsewhere, .setTimer,
            .cancelTimer, .authenticated, .indexServed, .sending, .seen, .bridge, .handlerRequested,
            .answered, .readFailed, .noRoomForFile:
            break
        }
        return []
    }

    /// Announced tokens whose navigation has not come yet.
    var tokens: [PageLoadToken] = []

    mutating func newToken() -> PageLoadToken {
        nextToken += 1
        return PageLoadToken(nextToken)
    }

    mutating func open() -> ConnectionID {
        let id = ConnectionID(nextConnection)
        nextConnection += 1
        handle(.opened(id))
        return id
    }

    /// Everything handed over on this connection has left, as long as more comes.
    mutating func flush(_ id: ConnectionID) {
        while let place = unsent.firstIndex(of: id) {
            unsent.remove(at: place)
            handle(.sent(id))
        }
    }

    // MARK: Requests

    static let hostLine = "Host: localhost:\(ServerFixture.port)\r\n"
    static let keyLine = "Cookie: otalab-key-12308=\(ServerFixture.key)\r\n"

    /// One request on a separate connection; the answer after it has left whole.
    mutating func ask(
        _ target: String, _ fields: [String] = [], method: String = "GET", body: String = "",
        isAnonymous: Bool = false, host: String = ServerFixture.hostLine
    ) -> PeerReply {
        let id = open()
        var text = "\(method) \(target) HTTP/1.1\r\n\(host)"
        for field in fields { text += field + "\r\n" }
        if !isAnonymous, !cookies.isEmpty {
            text += "Cookie: " + cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ") + "\r\n"
        }
        if !body.isEmpty { text += "Content-Length: \(body.utf8.count)\r\n" }
        handle(.received(id, Array((text + "\r\n" + body).utf8)))
        flush(id)
        return reply(id, method)
    }

    /// Reads the next answer that left on this connection, and keeps its cookies.
    mutating func reply(_ id: ConnectionID, _ method: String = "GET") -> PeerReply {
        let reply = PeerReply(outbox.removeValue(forKey: id) ?? [], to: RequestMethod(method))
        if reply.isMalformed { Issue.record("what left on connection \(id.rawValue) is not one answer") }
        for cookie in reply.cookies { cookies[cookie.name] = cookie.value }
        return reply
    }

    static let document = [
        "Sec-Fetch-Dest: document", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Site: none", "Accept: text/html",
    ]

    /// A browser's navigation: redirects followed, cookies kept. Gives the document's token.
    mutating func navigate(_ target: String, _ more: [String] = []) -> (
        reply: PeerReply, load: PageLoadToken?
    ) {
        var target = target
        for _ in 0..<4 {
            let reply = ask(target, ServerFixture.document + more)
            guard reply.status == 307, let location = reply.location else {
                return (reply, ServerFixture.token(in: target))
            }
            target = location
        }
        return (PeerReply(), nil)
    }

    static func token(in target: String) -> PageLoadToken? {
        target.split(separator: "otalab-load=", maxSplits: 1).dropFirst().first
            .flatMap { PageLoadToken(text: $0.prefix(16)) }
    }

    static func referer(_ load: PageLoadToken?, _ path: String = "/") -> String {
        "Referer: http://localhost:\(ServerFixture.port)\(path)?otalab-load=\(load?.text ?? "")"
    }

    /// A page's request for a part of it.
    mutating func part(_ target: String, _ destination: String, _ more: [String] = []) -> PeerReply {
        ask(
            target,
            ["Sec-Fetch-Dest: \(destination)", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Site: same-origin"]
                + more)
    }

    func count(_ matches: (LocalServer.Effect) -> Bool) -> Int { log.count { matches($0) } }
}
