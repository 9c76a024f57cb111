import Core
import HTTP1
import LocalServer

/// A desk whose API requests go to a remote root that the test speaks for.
struct ProxyDesk {
    var desk: Desk
    let page: ConnectionID
    let upstream = UpstreamID(1)
    /// What the remote root has got.
    var got: [UInt8] = []
    private var seen = 0

    init(_ root: String = "http://api.example.com", upgrades: Bool = false, limits: LocalServer.Limits? = nil)
        throws
    {
        let remote = try RemoteRoot(root)
        desk = Desk(limits: limits ?? LocalServer.Limits()) { configuration in
            configuration.remote = remote
            configuration.routes = RouteTable(
                [RouteRow.remote("/api/**", upgrades: upgrades)].compactMap { $0 })
        }
        page = desk.open()
    }

    static func head(_ line: String, _ more: [String] = []) -> String {
        "\(line) HTTP/1.1\r\n\(Desk.hostLine)\(Desk.keyLine)"
            + more.map { $0 + "\r\n" }.joined() + "\r\n"
    }

    mutating func say(_ text: String) { desk.tell(.received(page, Array(text.utf8))) }

    /// Connects, and takes everything that goes up.
    mutating func connect() {
        desk.tell(.upstream(upstream, .connected))
        pump()
    }

    mutating func pump() {
        while let calls = desk.upstreams[upstream], seen < calls.count {
            if case .send(let bytes) = calls[seen] {
                got += bytes
                seen += 1
                desk.tell(.upstream(upstream, .sent))
            } else {
                seen += 1
            }
        }
    }

    mutating func answer(_ text: String) {
        desk.tell(.upstream(upstream, .bytes(Array(text.utf8))))
        desk.flush(page)
    }

    mutating func end() {
        desk.tell(.upstream(upstream, .ended))
        desk.flush(page)
    }

    var text: String { String(decoding: got, as: UTF8.self) }
    var lines: [String] { text.components("\r\n") }
    var heard: String { String(decoding: desk.outbox[page] ?? [], as: UTF8.self) }
    var calls: [UpstreamCall] { desk.upstreams[upstream] ?? [] }
}

extension String {
    func components(_ separator: String) -> [String] {
        split(separator: separator, omittingEmptySubsequences: false).map(String.init)
    }
}
