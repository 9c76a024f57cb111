import AppHost
import Foundation
import LocalServer
import Testing

@testable import DeviceShell
@testable import DeviceShellHTTPS

/// The loop's own sockets, and the way that a remote root of https takes, which carries the same bytes. TLS
/// itself, with valid and invalid certificates, is in `Tests/Tools/serve-https`.
enum Way: CaseIterable {
    case ownSockets
    case asIfSecure

    var scheme: String { self == .ownSockets ? "http" : "https" }

    /// Opens without TLS what the loop takes for https.
    final class WithoutTLS: AppLoop.UpstreamTransport {
        private let upstream = HTTPSUpstream()

        func call(_ id: UpstreamID, _ call: UpstreamCommand, _ inbox: Inbox) {
            var call = call
            if case .open(let root) = call,
                let plain = try? RemoteRoot("http://\(root.authority)\(root.base)")
            {
                call = .open(plain)
            }
            upstream.call(id, call, inbox)
        }
    }
}

@Suite("API requests over real sockets to a remote root (S7)", .serialized)
struct RemoteRootTests {
    private func app(
        _ way: Way, _ authority: String, limits: LocalServer.Limits = LocalServer.Limits()
    ) throws -> (RealApp, cookie: String) {
        let app = try RealApp(embeds: AppLoopTests.files)
        let remote = try RemoteRoot("\(way.scheme)://\(authority)")
        try app.launch(limits: limits, upstream: Way.WithoutTLS()) { launch in
            launch.remote = remote
            launch.allowsTestMessages = true
            launch.routes = RouteTable([RouteEntry.remote("/api/**", upgrades: true)].compactMap { $0 })
        }
        return (app, try app.start().cookie)
    }

    @Test(
        "Long bodies go up and come down byte for byte; the page's connection stays open",
        arguments: Way.allCases)
    func bodies(way: Way) throws {
        let root = try EchoRoot()
        let (app, cookie) = try app(way, "127.0.0.1:\(root.port)")
        let client = try RawClient(port: app.port)
        let body = Array(AppLoopTests.large.prefix(700_000))
        client.say(
            app.request(
                "/api/echo?a=b%20c", "POST", cookie: cookie, more: "Content-Length: \(body.count)\r\n"))
        // Sending and receiving at once: the echo follows the whole body.
        client.say(body)
        #expect(try client.answer()?.body == body)
        client.say(app.request("/api/large", cookie: cookie))
        #expect(try client.answer()?.body == EchoRoot.large)
        client.say(app.request("/app.js", cookie: cookie))
        #expect(try client.answer()?.body == AppLoopTests.files[1].bytes)
        #expect(
            root.heads[0].hasPrefix("POST /api/echo?a=b%20c HTTP/1.1\r\nHost: 127.0.0.1:\(root.port)\r\n"))
        #expect(!root.heads[0].contains("otalab"))
    }

    @Test(
        "Bytes of the remote root reach the page when they arrive, not when the answer is complete (HT-X14)",
        arguments: Way.allCases)
    func events(way: Way) throws {
        let root = try EchoRoot()
        let (app, cookie) = try app(way, "localhost:\(root.port)")
        let client = try RawClient(port: app.port)
        client.say(app.request("/api/events", cookie: cookie))
        var text = ""
        while !text.contains("data 0") { text += String(decoding: try client.hearOnce(), as: UTF8.self) }
        #expect(!text.contains("data 3"))
        while !text.hasSuffix("0\r\n\r\n") { text += String(decoding: try client.hearOnce(), as: UTF8.self) }
        #expect(text.contains("data 3"))
    }

    @Test(
        "A page that does not read slows the remote root, not others; memory stays small (HT-T8)",
        arguments: Way.allCases)
    func slowPage(way: Way) throws {
        let root = try EchoRoot()
        let (app, cookie) = try app(way, "127.0.0.1:\(root.port)")
        let slow = try RawClient(port: app.port, receiveBuffer: 4_096)
        slow.say(app.request("/api/large", cookie: cookie))
        usleep(200_000)
        let client = try RawClient(port: app.port)
        client.say(app.request("/api/echo", cookie: cookie))
        #expect(try client.answer()?.status == 200)
        #expect(try slow.answer()?.body == EchoRoot.large)
    }

    @Test(
        "Half a body ends the connection; no listener, unknown name, no answer: 502 and 504 (HT-X6, X11)",
        arguments: Way.allCases)
    func failures(way: Way) throws {
        let root = try EchoRoot()
        var limits = LocalServer.Limits()
        limits.answerTimeout = .milliseconds(300)
        let (app, cookie) = try app(way, "127.0.0.1:\(root.port)", limits: limits)
        let short = try RawClient(port: app.port)
        short.say(app.request("/api/short", cookie: cookie))
        let all = String(decoding: try short.hearAll(), as: UTF8.self)
        #expect(all.contains("Content-Length: 100\r\n") && all.hasSuffix("short"))
        let hang = try RawClient(port: app.port)
        hang.say(app.request("/api/hang", cookie: cookie))
        #expect(try hang.answer()?.status == 504)
        hang.say(app.request("/app.js", cookie: cookie))
        #expect(try hang.answer()?.status == 200)
        for url in [
            "\(way.scheme)://127.0.0.1:1", "\(way.scheme)://no-such-host.invalid", "https://127.0.0.1",
        ] {
            let other = try RealApp(embeds: AppLoopTests.files)
            let remote = try RemoteRoot(url)
            try other.launch(upstream: way == .asIfSecure ? Way.WithoutTLS() : nil) { launch in
                launch.remote = remote
                launch.routes = RouteTable([RouteEntry.remote("/api/**")].compactMap { $0 })
            }
            let cookie = try other.start().cookie
            let client = try RawClient(port: other.port)
            client.say(other.request("/api/x", cookie: cookie))
            let answer = try #require(try client.answer())
            #expect(answer.status == 502)
            #expect(String(decoding: answer.body, as: UTF8.self).contains("remote root"))
        }
    }

    @Test(
        "A WebSocket: bytes both ways, and the end of one side reaches the other (HT-X12)",
        arguments: Way.allCases)
    func webSocket(way: Way) throws {
        let root = try EchoRoot()
        let (app, cookie) = try app(way, "127.0.0.1:\(root.port)")
        let client = try RawClient(port: app.port)
        client.say(
            app.request("/api/socket", cookie: cookie, more: "Upgrade: websocket\r\nConnection: Upgrade\r\n"))
        var heard: [UInt8] = []
        while heard.firstRange(of: Array("\r\n\r\n".utf8)) == nil { heard += try client.hearOnce() }
        #expect(heard.starts(with: Array("HTTP/1.1 101 ".utf8)))
        heard = []
        let words = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
        for start in stride(from: 0, to: words.count, by: 30_000) {
            client.say(Array(words[start..<start + 30_000]))
            while heard.count < start + 30_000 { heard += try client.hearOnce() }
        }
        #expect(heard == words)
        client.endSaying()
        #expect(try client.hearAll().isEmpty)
    }

    @Test("The page points the app at another environment over the bridge, and back (F9)")
    func bridge() throws {
        let first = try EchoRoot()
        let second = try EchoRoot()
        let (app, cookie) = try app(.ownSockets, "127.0.0.1:\(first.port)")
        let client = try RawClient(port: app.port)
        for (url, expected) in [
            ("http://127.0.0.1:\(second.port)/b", "true"), ("gopher://x", "does not start with"),
        ] {
            let message = #"{"method":"setRemoteRoot","params":{"url":"\#(url)"},"id":1}"#
            client.say(
                app.request(
                    "/__otalab/bridge", "POST", cookie: cookie,
                    more: "Origin: http://localhost:\(app.port)\r\nContent-Length: \(message.utf8.count)\r\n")
                    + message)
            let answer = try #require(try client.answer())
            #expect(String(decoding: answer.body, as: UTF8.self).contains(expected))
        }
        client.say(app.request("/api/x", cookie: cookie))
        #expect(try client.answer()?.status == 200)
        #expect(first.heads.isEmpty)
        #expect(second.heads.first?.hasPrefix("GET /b/api/x ") == true)
    }

    @Test("Suspended, the port is free; resumed, it is ours again, or reported as taken (S4, HT-T9)")
    func suspension() throws {
        let app = try RealApp(embeds: AppLoopTests.files)
        try app.launch()
        let (cookie, _, _) = try app.start()
        let client = try RawClient(port: app.port)
        client.say(app.request("/app.js", cookie: cookie))
        #expect(try client.answer()?.status == 200)
        app.inbox?.enqueue(.background)
        app.inbox?.enqueue(.suspended)
        usleep(200_000)
        #expect(throws: RawClient.Failure.self) { try RawClient(port: app.port) }
        let stranger = try SocketCalls.listen(at: .version4, port: app.port)
        app.inbox?.enqueue(.resumed)
        app.inbox?.enqueue(.foreground)
        _ = try app.effect("the screen of a taken port") {
            if case .screen(.portTaken) = $0 { true } else { nil }
        }
        SocketCalls.close(stranger)
        var status: Int?
        for _ in 0..<60 where status == nil {
            usleep(100_000)
            guard let again = try? RawClient(port: app.port) else { continue }
            again.say(app.request("/app.js", cookie: cookie))
            status = try again.answer()?.status
        }
        #expect(status == 200)
    }
}
