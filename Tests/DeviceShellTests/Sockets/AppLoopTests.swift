import AppHost
import Core
import Foundation
import Testing
import Updater

@testable import DeviceShell

@Suite("A real app on real sockets", .serialized)
struct AppLoopTests {
    static let large = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }
    static let files: [(route: String, bytes: [UInt8])] = [
        ("/index.html", Array("<!doctype html><script src=/app.js></script>".utf8)),
        ("/app.js", Array("console.log('v1')".utf8)),
        ("/large.bin", large),
        ("/empty.txt", []),
    ]

    private func app() throws -> RealApp {
        let app = try RealApp(embeds: AppLoopTests.files)
        try app.launch()
        return app
    }

    @Test("A page starts: key and load in the URL, then cookies, then the version's files byte for byte")
    func start() throws {
        let app = try app()
        let (cookie, document, _) = try app.start()
        #expect(document.status == 200)
        #expect(document.body == AppLoopTests.files[0].bytes)
        let client = try RawClient(port: app.port)
        for file in AppLoopTests.files.dropFirst() {
            client.say(app.request(file.route, cookie: cookie))
            let answer = try #require(try client.answer())
            #expect(answer.status == 200)
            #expect(answer.body == file.bytes)
        }
        client.say(app.request("/large.bin", cookie: cookie, more: "Range: bytes=1000000-1999999\r\n"))
        let part = try #require(try client.answer())
        #expect(part.status == 206)
        #expect(part.body == Array(AppLoopTests.large[1_000_000..<2_000_000]))
        client.say(app.request("/large.bin", "HEAD", cookie: cookie))
        let head = try #require(try client.answer(toHead: true))
        #expect(head.field("Content-Length") == "3000000")
        client.say(app.request("/app.js", cookie: cookie))
        #expect(try client.answer()?.body == AppLoopTests.files[1].bytes)
    }

    @Test("Requests that arrive in one packet are answered in order, a flood of them without loss")
    func pipelined() throws {
        let app = try app()
        let (cookie, _, _) = try app.start()
        let client = try RawClient(port: app.port)
        let routes = (0..<500).map { $0 % 3 == 0 ? "/app.js" : "/index.html" }
        client.say(routes.map { app.request($0, cookie: cookie) }.joined())
        for route in routes {
            let answer = try #require(try client.answer())
            #expect(answer.status == 200)
            #expect(answer.body == AppLoopTests.files.first { $0.route == route }?.bytes)
        }
    }

    @Test("A peer that floods and never reads is not read any further; others are answered meanwhile")
    func flood() throws {
        let app = try app()
        let (cookie, _, _) = try app.start()
        let rude = try RawClient(port: app.port, receiveBuffer: 4_096)
        rude.say(app.request("/large.bin", cookie: cookie))
        let slow = try RawClient(port: app.port, receiveBuffer: 4_096)
        slow.say(app.request("/large.bin", cookie: cookie))
        for _ in 0..<20 {
            let client = try RawClient(port: app.port)
            client.say(app.request("/app.js", cookie: cookie, more: "Connection: close\r\n"))
            #expect(try client.answer()?.body == AppLoopTests.files[1].bytes)
        }
        #expect(try slow.answer()?.body == AppLoopTests.large)
    }

    @Test(
        "An unauthorized request gets its status, and the connection ends",
        arguments: [
            ("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421),
            ("GET / HTTP/1.1\r\nHost: localhost.evil.example:PORT\r\n\r\n", 421),
            ("GET / HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n", 403),
            ("GET / HTTP/1.1\r\nHost: localhost:PORT\r\nHost: localhost:PORT\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\n\r\n", 400),
            ("GET /../../etc/passwd HTTP/1.1\r\nHost: localhost:PORT\r\nCookie: KEY\r\n\r\n", 404),
            ("GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: localhost:PORT\r\nCookie: KEY\r\n\r\n", 404),
            ("GET /app.js%00 HTTP/1.1\r\nHost: localhost:PORT\r\nCookie: KEY\r\n\r\n", 400),
            ("TRACE / HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n", 405),
            ("BREW / HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n", 501),
            (
                "POST / HTTP/1.1\r\nHost: localhost:PORT\r\nCookie: KEY\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
                400
            ),
            (
                "POST / HTTP/1.1\r\nHost: localhost:PORT\r\nCookie: KEY\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
                400
            ),
            ("GET / HTTP/1.1\r\nHost: localhost:PORT\r\nX: a\r\n b\r\n\r\n", 400),
            ("GET / HTTP/1.1\nHost: localhost:PORT\n\n", 400),
            ("\u{16}\u{3}\u{1}\u{2}\r\n\r\n", 400),
            (
                "GET /app.js HTTP/1.1\r\nHost: localhost:PORT\r\nCookie: KEY\r\nOrigin: http://evil.example\r\n\r\n",
                403
            ),
            (
                "GET /app.js HTTP/1.1\r\nHost: localhost:PORT\r\nCookie: KEY\r\nSec-Fetch-Site: cross-site\r\n\r\n",
                403
            ),
        ])
    func refused(bytes: String, status: Int) throws {
        let app = try app()
        let (cookie, _, _) = try app.start()
        let client = try RawClient(port: app.port)
        let text = bytes.replacingOccurrences(of: "PORT", with: "\(app.port)")
            .replacingOccurrences(of: "KEY", with: cookie)
        client.say(text)
        client.endSaying()
        let answer = try #require(try client.answer())
        #expect(answer.status == status)
        #expect(!String(decoding: answer.body, as: UTF8.self).contains("root:"))
        #expect(answer.field("Access-Control-Allow-Origin") == nil)
        #expect(try client.hearAll().isEmpty)
    }

    @Test("Peers that vanish in the middle leave no resources in use")
    func vanishing() throws {
        let app = try app()
        let (cookie, _, _) = try app.start()
        for cut in [
            "GET / HT", app.request("/large.bin", cookie: cookie), app.request("/app.js", cookie: cookie),
        ] {
            for isHard in [false, true] {
                let client = try RawClient(port: app.port)
                client.say(cut)
                if isHard { client.reset() }
            }
        }
        let client = try RawClient(port: app.port)
        client.say(app.request("/app.js", cookie: cookie))
        #expect(try client.answer()?.status == 200)
        usleep(200_000)
        // The files of incomplete answers are closed.
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }
        #expect(!open.contains { $0.hasPrefix(app.folder.path) && $0.hasSuffix("large.bin") })
    }

    @Test("More connections than are kept: idle ones make room, the page continues")
    func crowd() throws {
        let app = try app()
        let (cookie, _, _) = try app.start()
        var crowd: [RawClient] = []
        for number in 0..<300 {
            crowd.append(try RawClient(port: app.port))
            if number % 3 == 0 { crowd[number].say("GET / HTTP/1.1\r\nHost: loc") }
        }
        let client = try RawClient(port: app.port)
        client.say(app.request("/app.js", cookie: cookie))
        _ = crowd.count
        // Incomplete requests keep their connections until they time out; a complete one is accepted.
        let status = try client.answer()?.status
        #expect(status == 200 || status == nil)
        crowd = []
        usleep(100_000)
        let later = try RawClient(port: app.port)
        later.say(app.request("/app.js", cookie: cookie))
        #expect(try later.answer()?.status == 200)
    }

    @Test("An idle app does not wake up")
    func idle() throws {
        let app = try app()
        _ = try app.start()
        usleep(600_000)
        let before = app.turns
        usleep(500_000)
        #expect(app.turns == before)
    }

    @Test("A port in use is reported, retried, and opened when it is free")
    func taken() throws {
        let app = try RealApp(embeds: AppLoopTests.files)
        var stranger: Int32? = try SocketCalls.listen(at: .version4, port: app.port)
        try app.launch()
        _ = try app.effect("the screen of a taken port") {
            if case .screen(.portTaken) = $0 { true } else { nil }
        }
        stranger.map(SocketCalls.close)
        stranger = nil
        let (_, document, _) = try app.start()
        #expect(document.status == 200)
    }

    @Test("A stop lets an answer leave that is on its way, and frees the port")
    func stop() throws {
        let app = try app()
        let (cookie, _, _) = try app.start()
        let client = try RawClient(port: app.port, receiveBuffer: 4_096)
        client.say(app.request("/large.bin", cookie: cookie))
        usleep(50_000)
        let inbox = try #require(app.inbox)
        inbox.stop()
        #expect(try client.answer()?.body == AppLoopTests.large)
        #expect(app.stop())
        #expect(throws: RawClient.Failure.self) { try RawClient(port: app.port) }
    }
}
