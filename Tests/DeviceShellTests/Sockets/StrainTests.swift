import Foundation
import LocalServer
import Testing

@testable import DeviceShell

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite("Slow, rude and many peers over real sockets", .serialized)
struct StrainTests {
    private func app(_ limits: LocalServer.Limits = LocalServer.Limits()) throws -> (RealApp, cookie: String)
    {
        let app = try RealApp(embeds: AppLoopTests.files)
        try app.launch(limits: limits)
        return (app, try app.start().cookie)
    }

    /// Seconds since the machine started, in milliseconds.
    private static var now: Int { Int(DispatchTime.now().uptimeNanoseconds / 1_000_000) }

    @Test("A head that drips in has its time from the first byte; a silent connection is closed (HT-T2)")
    func slowHeads() throws {
        var limits = LocalServer.Limits()
        limits.headTimeout = .milliseconds(400)
        let (app, cookie) = try app(limits)
        let begin = StrainTests.now
        let dripping = try RawClient(port: app.port)
        let silent = try RawClient(port: app.port)
        let stopped = try RawClient(port: app.port)
        stopped.say("POST /__otalab/bridge HTTP/1.1\r\nHost: localhost:\(app.port)\r\nContent-Le")
        let inBody = try RawClient(port: app.port)
        inBody.say(
            app.request("/app.js", "POST", cookie: cookie, more: "Content-Length: 9\r\n") + "12345")
        for byte in "GET /app.js HTTP/1.1\r\nX: ".utf8 {
            if dripping.say([byte]) == 0 || StrainTests.now - begin > 3_000 { break }
            usleep(40_000)
        }
        #expect(try silent.hearAll().isEmpty)
        for late in [dripping, stopped, inBody] {
            let answer = try #require(try late.answer())
            #expect(answer.status == 408)
            #expect(answer.field("Connection") == "close")
        }
        #expect(StrainTests.now - begin < 3_000)
    }

    @Test("An idle connection is closed after its time; one that is used stays open (HT-T2)")
    func idle() throws {
        var limits = LocalServer.Limits()
        limits.idleTimeout = .milliseconds(300)
        let (app, cookie) = try app(limits)
        let client = try RawClient(port: app.port)
        for _ in 0..<4 {
            client.say(app.request("/app.js", cookie: cookie))
            #expect(try client.answer()?.status == 200)
            usleep(150_000)
        }
        #expect(try client.hearAll().isEmpty)
    }

    @Test("A peer that reads nothing loses its answer; one that reads slowly gets all of it (HT-T2, T8)")
    func slowReaders() throws {
        var limits = LocalServer.Limits()
        limits.writeTimeout = .milliseconds(500)
        let (app, cookie) = try app(limits)
        let stuck = try RawClient(port: app.port, receiveBuffer: 4_096)
        stuck.say(app.request("/large.bin", cookie: cookie))
        let slow = try RawClient(port: app.port, receiveBuffer: 16_384)
        slow.say(app.request("/large.bin", cookie: cookie))
        let begin = StrainTests.now
        var heard = 0
        while heard < AppLoopTests.large.count {
            let bytes = try slow.hearOnce()
            if bytes.isEmpty { break }
            heard += bytes.count
            // Longer in all than the time that a peer may take nothing.
            if StrainTests.now - begin < 1_500 { usleep(20_000) }
        }
        #expect(heard > AppLoopTests.large.count)
        #expect(StrainTests.now - begin >= 1_500)
        #expect(try stuck.hearAll().count < AppLoopTests.large.count)
    }

    @Test(
        "A client that has closed its side still gets all its answers (HT-T5, RFC 9112 §9.6)")
    func halfClosed() throws {
        let (app, cookie) = try app()
        let client = try RawClient(port: app.port)
        client.say(
            ["/app.js", "/large.bin", "/index.html"].map { app.request($0, cookie: cookie) }.joined())
        client.endSaying()
        #expect(try client.answer()?.body == AppLoopTests.files[1].bytes)
        #expect(try client.answer()?.body == AppLoopTests.large)
        #expect(try client.answer()?.body == AppLoopTests.files[0].bytes)
        #expect(try client.hearAll().isEmpty)
        let document = try RawClient(port: app.port)
        document.say(app.request("/", cookie: cookie, more: "Sec-Fetch-Dest: document\r\n"))
        document.endSaying()
        #expect(try document.answer()?.status == 307)
        let half = try RawClient(port: app.port)
        half.say("GET /app.js HTTP/1.1\r\nHost: local")
        half.endSaying()
        #expect(try half.hearAll().isEmpty)
    }

    @Test("A refusal reaches a peer that is still sending (HT-T7)")
    func lingering() throws {
        let (app, cookie) = try app()
        let body = [UInt8](repeating: 65, count: 200_000)
        for (head, status) in [
            (app.request("/app.js", "POST", more: "Content-Length: 200000\r\n"), 403),
            (
                app.request("/__otalab/bridge", "POST", cookie: cookie, more: "Content-Length: 20000000\r\n"),
                413
            ),
        ] {
            let client = try RawClient(port: app.port)
            client.say(head)
            client.say(body)
            #expect(try client.answer()?.status == status)
        }
    }

    @Test("Heads without end are refused before they are kept (HT-P10)")
    func giants() throws {
        let (app, _) = try app()
        let line = "X: " + String(repeating: "a", count: 8_000) + "\r\n"
        for (text, status) in [
            ("GET /" + String(repeating: "a", count: 100_000), 414),
            ("GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: 100_000), 431),
            ("GET / HTTP/1.1\r\n" + String(repeating: line, count: 30), 431),
            ("GET / HTTP/1.1\r\n" + String(repeating: "X: y\r\n", count: 10_000), 431),
        ] {
            let client = try RawClient(port: app.port)
            client.say(text)
            #expect(try client.answer()?.status == status)
        }
    }

    @Test(
        "Garbage after a request: the request is answered, the garbage refused, the connection over (HT-P13)"
    )
    func garbage() throws {
        let (app, cookie) = try app()
        let client = try RawClient(port: app.port)
        client.say(app.request("/app.js", cookie: cookie) + "\u{16}\u{3}\u{1} what?\r\n\r\n")
        client.say(app.request("/large.bin", cookie: cookie))
        #expect(try client.answer()?.body == AppLoopTests.files[1].bytes)
        #expect(try client.answer()?.status == 400)
        #expect(try client.hearAll().isEmpty)
        var state: UInt32 = 7
        for _ in 0..<40 {
            let noise = (0..<20_000).map { _ -> UInt8 in
                state = state &* 1_664_525 &+ 1_013_904_223
                return UInt8(truncatingIfNeeded: state >> 24)
            }
            let client = try RawClient(port: app.port)
            client.say(noise)
            client.endSaying()
            let text = String(decoding: try client.hearAll(), as: UTF8.self)
            #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 4") || text.hasPrefix("HTTP/1.1 5"))
        }
    }

    @Test("Head and body of an answer arrive together (HT-T4)")
    func oneWrite() throws {
        let (app, cookie) = try app()
        let client = try RawClient(port: app.port)
        for _ in 0..<50 {
            client.say(app.request("/app.js", cookie: cookie))
            #expect(try client.hearOnce().suffix(17).elementsEqual(AppLoopTests.files[1].bytes))
        }
    }

    @Test("The port is the loopback's alone, and no other process can share it (S6, HT-H1)")
    func loopbackAlone() throws {
        let (app, _) = try app()
        #if !canImport(Darwin)
            #expect(throws: RawClient.Failure.self) { try RawClient(port: app.port, host: 2) }
        #endif
        for isShared in [false, true] {
            #if canImport(Darwin)
                let descriptor = socket(AF_INET, SOCK_STREAM, 0)
            #else
                let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            #endif
            defer { close(descriptor) }
            var isOn: Int32 = 1
            if isShared { setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &isOn, 4) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = app.port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            let answer = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            #expect(answer == -1 && errno == EADDRINUSE)
        }
    }
}
