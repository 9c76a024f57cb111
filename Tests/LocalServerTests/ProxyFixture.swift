import Core
import HTTP1
import LocalServer
import ModuleTestSupport

/// A server whose API requests go to a remote root that the test plays.
struct ProxyFixture {
    var fixture: ServerFixture
    let page: ConnectionID
    let upstream = UpstreamID(1)
    /// What the remote root has got.
    var got: [UInt8] = []
    private var seen = 0

    init(
        _ root: String = "http://api.example.com", upgrades: Bool = false,
        limits: LocalServer.Limits? = nil, wallClock: WallClock? = nil
    ) throws {
        let remote = try RemoteRoot(root)
        fixture = ServerFixture(limits: limits ?? LocalServer.Limits()) { configuration in
            configuration.remote = remote
            configuration.wallClock = wallClock
            configuration.routes = RouteTable(
                [RouteEntry.remote("/api/**", upgrades: upgrades)].compactMap { $0 })
        }
        page = fixture.open()
    }

    static func head(_ line: String, _ more: [String] = []) -> String {
        "\(line) HTTP/1.1\r\n\(ServerFixture.hostLine)\(ServerFixture.keyLine)"
            + more.map { $0 + "\r\n" }.joined() + "\r\n"
    }

    mutating func say(_ text: String) { fixture.handle(.received(page, Array(text.utf8))) }

    /// Connects, and takes everything that goes up.
    mutating func connect() {
        fixture.handle(.upstream(upstream, .connected))
        pump()
    }

    mutating func pump() {
        while let calls = fixture.upstreams[upstream], seen < calls.count {
            if case .send(let bytes) = calls[seen] {
                got += bytes
                seen += 1
                fixture.handle(.upstream(upstream, .sent))
            } else {
                seen += 1
            }
        }
    }

    mutating func answer(_ text: String) {
        fixture.handle(.upstream(upstream, .bytes(Array(text.utf8))))
        fixture.flush(page)
    }

    /// The page's request, and the remote root's answer with these fields as the page gets it.
    static func exchange(
        _ fields: [String], root: String = "http://api.example.com", status: String = "200 OK"
    ) throws -> PeerReply {
        var proxy = try ProxyFixture(root)
        proxy.say(head("GET /api/a/x"))
        proxy.connect()
        let lines = (["HTTP/1.1 \(status)", "Content-Length: 0"] + fields).map { $0 + "\r\n" }
        proxy.answer(lines.joined() + "\r\n")
        return proxy.fixture.reply(proxy.page)
    }

    mutating func end() {
        fixture.handle(.upstream(upstream, .ended))
        fixture.flush(page)
    }

    var text: String { String(decoding: got, as: UTF8.self) }
    var lines: [String] { text.components("\r\n") }
    var received: String { String(decoding: fixture.outbox[page] ?? [], as: UTF8.self) }
    var calls: [UpstreamCommand] { fixture.upstreams[upstream] ?? [] }
}

extension String {
    func components(_ separator: String) -> [String] {
        split(separator: separator, omittingEmptySubsequences: false).map(String.init)
    }
}
