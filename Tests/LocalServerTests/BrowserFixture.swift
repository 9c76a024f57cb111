import Core
import HTTP1
import ModuleTestSupport
import Testing
import World

@testable import LocalServer

/// A server on a simulated disk and a browser that sends hand-written bytes.
struct BrowserFixture {
    static let key = "0123456789abcdef0123456789abcdef"
    var disk = SimulatedDisk()
    var server = LocalServer(LocalServer.Configuration(port: 12_308, sessionKey: BrowserFixture.key))
    var connection: UInt32 = 0
    var effects: [LocalServer.Effect] = []
    /// The version that the next document gets.
    var next = "v1"
    var tokens: UInt64 = 0x10
    var navigations: [LocalServer.Navigation] = []

    init() throws {
        let script = Array("let version = 1".utf8)
        try disk.mountPackage(files: [
            ("v1/index.html", Array("<script src=\"/app.js\"></script> one".utf8)), ("v1/app.js", script),
            ("v1/style.css", Array("a { src: url(/font.woff) }".utf8)), ("v1/font.woff", [1, 1, 1]),
            ("v2/index.html", Array("<script src=\"/app.js\"></script> two".utf8)),
            ("v2/app.js", Array("let version = 2".utf8)),
            ("v2/style.css", Array("b { src: url(/font.woff) }".utf8)), ("v2/font.woff", [2, 2, 2]),
        ])
        send(.current(site("v1")))
    }

    func site(_ name: String) -> Site {
        let files = ["/app.js", "/font.woff", "/index.html", "/style.css"].map {
            (route: String) -> ServedFile in
            let path = DiskPath(.package, name + route)
            let size = disk.content(of: path)?.size ?? 0
            return ServedFile(route: route, path: path, size: size, tag: name + route.dropFirst())
        }
        return Site(name: name, index: "/index.html", files: files)
    }

    mutating func send(_ event: LocalServer.Event) {
        for effect in server.handle(event, at: .zero, disk: &disk) {
            effects.append(effect)
            if case .navigationRequested(let navigation) = effect {
                navigations.append(navigation)
                tokens += 1
                send(.navigationAnswer(navigation.id, .page(PageLoadToken(tokens), site(next))))
            }
        }
    }

    /// Sends one request on a separate connection and reads the answer.
    mutating func ask(
        _ target: String, method: String = "GET", _ fields: [(String, String)] = [], key: Bool = true,
        host: String = "localhost:12308"
    ) throws -> PeerReply {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\n"
        for (name, value) in fields { text += "\(name): \(value)\r\n" }
        if key, !fields.contains(where: { $0.0 == "Cookie" }) {
            text += "Cookie: otalab-key-12308=\(BrowserFixture.key)\r\n"
        }
        return try raw(text + "\r\n", method)
    }

    mutating func raw(_ text: String, _ method: String = "GET") throws -> PeerReply {
        connection += 1
        let id = ConnectionID(connection)
        send(.opened(id))
        let start = effects.count
        send(.received(id, Array(text.utf8)))
        var bytes: [UInt8] = []
        for effect in effects[start...] {
            guard case .send(id, let output) = effect else { continue }
            bytes += try output.bytes(from: &disk)
        }
        let reply = PeerReply(bytes, to: RequestMethod(method))
        if reply.isMalformed { Issue.record("the answer does not parse") }
        send(.sent(id))
        return reply
    }

    /// Loads a document as a browser would: follows the redirect, keeps nothing.
    mutating func load(_ target: String = "/", _ fields: [(String, String)] = []) throws -> (
        url: String, PeerReply
    ) {
        let document = [("Sec-Fetch-Dest", "document"), ("Accept", "text/html")] + fields
        let first = try ask(target, document)
        guard first.status == 307, let location = first.location else {
            return (target, first)
        }
        return (location, try ask(location, document))
    }
}
