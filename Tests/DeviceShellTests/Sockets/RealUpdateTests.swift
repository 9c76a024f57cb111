import AppHost
import Core
import Foundation
import Synchronization
import Testing
import Updater

@testable import DeviceShell

@Suite("A real update over real sockets", .serialized)
struct RealUpdateTests {
    private static let old = AppLoopTests.files
    private static let new: [(route: String, bytes: [UInt8])] = [
        ("/index.html", Array("<!doctype html><p>two</p><script src=/app.js></script>".utf8)),
        ("/app.js", Array("console.log('v2')".utf8)),
        old[2],
        ("/added.js", Array(repeating: 7, count: 400_000)),
    ]

    private static func answer(_ target: String) -> ScriptedOrigin.Answer {
        if target == "/manifest.json" { return .ok(Array(RealApp.manifest("v2", serial: 2, new).utf8)) }
        return new.first { $0.route == target }.map { .ok($0.bytes) } ?? .notFound
    }

    private func pending(_ app: RealApp) throws -> String {
        try app.effect("a pending version") { effect in
            if case .status(let status) = effect { status.pending?.id } else { nil }
        }
    }

    @Test("A version is downloaded, the next process serves it, its page confirms")
    func update() throws {
        let origin = try ScriptedOrigin(RealUpdateTests.answer)
        let app = try RealApp(embeds: RealUpdateTests.old)
        try app.launch(origin: origin.url("/manifest.json"))
        #expect(try app.start().document.body == RealUpdateTests.old[0].bytes)
        #expect(try pending(app) == "v2")
        #expect(app.stop())
        // Only what changed was fetched, over connections that are used again.
        #expect(origin.asked.sorted() == ["/added.js", "/app.js", "/index.html", "/manifest.json"])
        #expect(origin.connections <= 3)
        app.forgetEffects()
        try app.launch(origin: origin.url("/manifest.json"))
        let (cookie, document, target) = try app.start()
        #expect(document.body == RealUpdateTests.new[0].bytes)
        let client = try RawClient(port: app.port)
        client.say(app.request("/added.js", cookie: cookie))
        #expect(try client.answer()?.body == RealUpdateTests.new[3].bytes)
        // The page confirms over the bridge, and its start counts.
        app.inbox?.enqueue(.webView(.first, .committed(url: "http://localhost:\(app.port)\(target)")))
        let message = #"{"method":"startupDidComplete","id":1}"#
        let referer = "Referer: http://localhost:\(app.port)\(target)\r\n"
        client.say(
            app.request(
                "/__otalab/bridge", "POST", cookie: cookie,
                more: referer + "Content-Length: \(message.utf8.count)\r\n") + message)
        let answer = try #require(try client.answer())
        #expect(answer.status == 200)
        #expect(String(decoding: answer.body, as: UTF8.self).contains("\"result\":true"))
        #expect(try app.logged(.startConfirmed).version == "v2")
    }

    @Test(
        "Each transfer error has its name in the log",
        arguments: [
            ("http://127.0.0.1:1/manifest.json", "refused"),
            ("http://no-such-host.invalid/manifest.json", "nameNotResolved"),
            ("https://127.0.0.1:1/manifest.json", "insecure"),
        ])
    func unreachable(url: String, failure: String) throws {
        let app = try RealApp(embeds: RealUpdateTests.old)
        try app.launch(origin: url)
        let entry = try app.effect("a failed check") { effect in
            if case .log(let entry) = effect, entry.detail.contains(failure) { entry } else { nil }
        }
        #expect(entry.detail.contains(failure))
    }

    @Test("A body that ends early, a connection that was closed while it was kept, and a reset are got over")
    func broken() throws {
        let count = Mutex(0)
        let origin = try ScriptedOrigin { target in
            let asked = count.withLock { value in
                value += 1
                return value
            }
            var answer = RealUpdateTests.answer(target)
            switch target {
            // Announced whole, and cut off once.
            case "/added.js" where asked < 6:
                answer = .init(bytes: Array(answer.bytes.prefix(200_000)), closes: true)
            // Complete, and the connection is closed without an announcement.
            case "/app.js", "/manifest.json": answer.closes = true
            default: break
            }
            return answer
        }
        let app = try RealApp(embeds: RealUpdateTests.old)
        try app.launch(origin: origin.url("/manifest.json"))
        #expect(try pending(app) == "v2")
    }

    @Test("Content in chunks, and until the close, is taken as it is framed")
    func framings() throws {
        let origin = try ScriptedOrigin { target in
            let whole = RealUpdateTests.answer(target)
            guard let end = whole.bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return whole }
            let body = Array(whole.bytes[end.upperBound...])
            switch target {
            case "/app.js":
                return .init(
                    bytes: Array("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".utf8) + body, closes: true)
            case "/index.html":
                let half = body.count / 2
                var bytes = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
                for part in [body[..<half], body[half...]] {
                    bytes += Array("\(String(part.count, radix: 16))\r\n".utf8) + part + [13, 10]
                }
                return .init(bytes: bytes + Array("0\r\n\r\n".utf8))
            default: return whole
            }
        }
        let app = try RealApp(embeds: RealUpdateTests.old)
        try app.launch(origin: origin.url("/manifest.json"))
        #expect(try pending(app) == "v2")
    }
}
