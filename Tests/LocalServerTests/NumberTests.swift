import Core
import HTTP1
import ModuleTestSupport
import Testing

@testable import LocalServer

@Suite("Numbers in requests, in the remote root's answers and in settings")
struct NumberTests {
    @Test("A range is answered with bytes of the file, the whole file, or 416", arguments: HostileNumber.all)
    func ranges(number: String) {
        var fixture = ServerFixture()
        let whole = fixture.ask("/app.js").text
        for target in ["/app.js", "/empty.txt"] {
            for form in ["F-", "-F", "F-F", "0-F", "F-0", "1-F", "0-0,F-F"] {
                let range = "Range: bytes=" + form.replacing("F", with: number)
                let reply = fixture.ask(target, [range])
                #expect([200, 206, 416].contains(reply.status), "\(range)")
                #expect(reply.isWhole && whole.contains(reply.text) || reply.text.isEmpty, "\(range)")
            }
        }
        #expect(fixture.disk.open.isEmpty)
    }

    @Test("Content-Length of a message to the bridge and of an API request", arguments: HostileNumber.all)
    func contentLength(number: String) throws {
        let value = HostileNumber.isDigits(number) ? Int(number) : nil
        for target in ["/__otalab/bridge", "/app.js", "/none"] {
            var fixture = ServerFixture()
            let reply = fixture.ask(target, ["Content-Length: \(number)"], method: "POST")
            #expect(value == 0 || value == 1 || reply.status >= 400 || reply.status == 0)
        }
        var proxy = try ProxyFixture()
        proxy.say(ProxyFixture.head("POST /api/x", ["Content-Length: \(number)"]) + "12345")
        if proxy.calls.isEmpty {
            #expect(value == nil)
        } else {
            proxy.connect()
            #expect(proxy.lines.contains("Content-Length: \(value ?? -1)"))
            proxy.answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            proxy.end()
        }
    }

    @Test("Content-Length and Content-Range of the remote root's answer", arguments: HostileNumber.all)
    func answers(number: String) throws {
        let value = HostileNumber.isDigits(number) ? Int(number) : nil
        var proxy = try ProxyFixture()
        proxy.say(ProxyFixture.head("GET /api/x"))
        proxy.connect()
        proxy.answer("HTTP/1.1 200 OK\r\nContent-Length: \(number)\r\n\r\n12345")
        proxy.end()
        let received = proxy.received
        if let value {
            #expect(received.contains("Content-Length: \(value)\r\n"))
            #expect(received.hasSuffix("\r\n\r\n" + "12345".prefix(value)))
        } else {
            #expect(received.hasPrefix("HTTP/1.1 502"))
        }
        let fields = ["Content-Range: bytes 0-0/\(number)", "Retry-After: \(number)", "Age: \(number)"]
        #expect(try ProxyFixture.exchange(fields).status == 200)
    }

    private static let limits: [@Sendable (inout LocalServer.Limits, Int) -> Void] = [
        { $0.connections = $1 }, { $0.requestLine = $1 }, { $0.headerBlock = $1 }, { $0.headerLines = $1 },
        { $0.bodyBytes = $1 }, { $0.bodyBytesPerSecond = $1 },
        { $0.headTimeout = .microseconds(Int64($1)) }, { $0.idleTimeout = .seconds(Int64($1)) },
        { $0.writeTimeout = .hours(Int64($1)) }, { $0.connectTimeout = .milliseconds(Int64($1)) },
        { $0.answerTimeout = .days(Int64($1)) }, { $0.tunnelTimeout = .minutes(Int64($1)) },
    ]

    @Test("Limits of an app", arguments: HostileNumber.integers)
    func settings(number: Int64) throws {
        for set in Self.limits {
            var limits = LocalServer.Limits()
            set(&limits, Int(clamping: number))
            var proxy = try ProxyFixture(limits: limits)
            proxy.say(ProxyFixture.head("POST /api/x", ["Content-Length: 1000"]))
            proxy.connect()
            for second in [59, 61, 130] {
                proxy.fixture.now = Instant.zero + .seconds(Int64(second))
                proxy.say("12345678")
                proxy.pump()
            }
            proxy.end()
            for _ in 0..<3 { _ = proxy.fixture.ask("/app.js", ["Range: bytes=0-"]) }
        }
    }

    @Test("A wall clock with any time, read at any instant", arguments: HostileNumber.integers)
    func wallClock(number: Int64) {
        for at in HostileNumber.integers {
            var fixture = ServerFixture {
                $0.wallClock = WallClock(seconds: number, at: Instant(microseconds: at))
            }
            #expect(fixture.ask("/app.js").fields["Date"]?.utf8.count == 29)
        }
    }
}
