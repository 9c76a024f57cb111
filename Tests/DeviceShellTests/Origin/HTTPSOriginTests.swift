import Core
import HTTP1
import Foundation
import Synchronization
import Testing
import Updater

@testable import DeviceShell
@testable import DeviceShellHTTPS

/// The session speaks http as it speaks https: what does not depend on TLS is shown here without. A real TLS
/// origin with valid and invalid certificates is in `Tests/Tools/serve-https`.
@Suite("An origin by the system's URL session", .serialized)
struct HTTPSOriginTests {
    /// An inbox without a loop; the test drains it.
    private final class Fetching {
        let inbox: Inbox
        let told = Told()
        private(set) var events: [TransferEvent] = []
        private var origin: HTTPSOrigin?

        init() throws {
            inbox = Inbox(try WakeUp())
            origin = HTTPSOrigin { [told] text in told.lines.withLock { $0.append(text) } }
        }

        final class Told: Sendable {
            let lines = Mutex<[String]>([])
        }

        func fetch(_ url: String, fields: HeaderFields = [:], body: [UInt8] = [], id: UInt32 = 1) {
            let request = OriginRequest(kind: .manifest, url: url, fields: fields, body: body)
            origin?.fetch(TransferID(id), request, inbox)
        }

        func cancel(_ id: UInt32 = 1) { origin?.cancel(TransferID(id)) }

        func hear() {
            for case .event(.transfer(_, let event)) in inbox.drain(takesBackground: true) {
                events.append(event)
            }
        }

        var isOver: Bool {
            switch events.last {
            case .end, .failed: true
            case .head, .bytes, nil: false
            }
        }

        /// Until it is over, or what was wished for is there.
        func hearOn(_ isThere: (Fetching) -> Bool = { $0.isOver }) -> Bool {
            for _ in 0..<2_000 {
                hear()
                if isThere(self) { return true }
                usleep(5_000)
            }
            return false
        }

        var body: [UInt8] {
            events.flatMap { event -> [UInt8] in if case .bytes(let bytes) = event { bytes } else { [] } }
        }

        var head: (status: Int, fields: HeaderFields)? {
            events.lazy.compactMap { event in
                if case .head(let status, let fields) = event { (status, fields) } else { nil }
            }.first
        }

        func field(_ name: String) -> String? {
            head?.fields[name]
        }
    }

    @Test("One head, bytes in order in portions of 64 KiB at most, one end; the request is sent unchanged")
    func whole() throws {
        let large = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }
        let origin = try ScriptedOrigin { _ in .ok(large, "ETag: \"a\"\r\nSet-Cookie: a=b\r\n") }
        let fetching = try Fetching()
        fetching.fetch(origin.url("/m.json?x=%20y"), fields: ["Accept-Encoding": "identity"])
        #expect(fetching.hearOn())
        #expect(fetching.body == large)
        #expect(fetching.head?.status == 200 && fetching.field("ETag") == "\"a\"")
        #expect(fetching.events.count { if case .head = $0 { true } else { false } } == 1)
        #expect(fetching.events.last == .end)
        for case .bytes(let bytes) in fetching.events { #expect(bytes.count <= 65_536) }
        fetching.fetch(origin.url("/again"), id: 2)
        #expect(fetching.hearOn { _ in origin.asked.count == 2 })
        #expect(origin.asked == ["/m.json?x=%20y", "/again"])
        #expect(origin.heads[0].contains("\r\nAccept-Encoding: identity"))
        #expect(!origin.heads[1].lowercased().contains("cookie"))
    }

    @Test("A report is sent with POST and its type")
    func report() throws {
        let root = try EchoRoot()
        let fetching = try Fetching()
        let body = Array(#"{"outcomes":[]}"#.utf8)
        fetching.fetch(
            "http://127.0.0.1:\(root.port)/outcomes",
            fields: ["Content-Type": "application/json"],
            body: body)
        #expect(fetching.hearOn())
        #expect(fetching.body == body)
        #expect(root.heads.first?.hasPrefix("POST /outcomes ") == true)
        #expect(root.heads.first?.contains("Content-Type: application/json") == true)
    }

    @Test(
        "A redirect is an ordinary answer: nothing is requested elsewhere (U5)",
        arguments: [301, 302, 303, 307, 308])
    func redirect(status: Int) throws {
        let origin = try ScriptedOrigin { target in
            target == "/a"
                ? ScriptedOrigin.Answer(
                    bytes: Array("HTTP/1.1 \(status) R\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n".utf8))
                : .ok([1])
        }
        let fetching = try Fetching()
        fetching.fetch(origin.url("/a"))
        #expect(fetching.hearOn())
        #expect(fetching.head?.status == status && fetching.field("Location") == "/b")
        #expect(fetching.events.last == .end)
        usleep(100_000)
        #expect(origin.asked == ["/a"])
    }

    @Test("Decoded content has no fields about its coding")
    func coded() throws {
        let zipped: [UInt8] = [
            31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 203, 72, 205, 201, 201, 215, 81, 72, 73, 77, 206, 79, 73, 77, 1,
            0,
            119, 173, 182, 48, 14, 0, 0, 0,
        ]
        let origin = try ScriptedOrigin { _ in .ok(zipped, "Content-Encoding: gzip\r\n") }
        let fetching = try Fetching()
        fetching.fetch(origin.url("/a"))
        #expect(fetching.hearOn())
        #expect(fetching.body == Array("hello, decoded".utf8))
        #expect(fetching.field("Content-Encoding") == nil && fetching.field("Content-Length") == nil)
    }

    @Test("Half a body, no listener, unknown name, no TLS: each is a different failure with a text")
    func failures() throws {
        let short = try ScriptedOrigin { _ in
            ScriptedOrigin.Answer(
                bytes: Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort".utf8), closes: true)
        }
        let plain = try ThreadedPort()
        plain.accepting { _ = ThreadedPort.say(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), on: $0) }
        let free = try RealApp.freePort()
        for (url, failure) in [
            (short.url("/a"), TransferFailure.truncated), ("http://127.0.0.1:\(free)/", .refused),
            ("http://no-such-host.invalid/", .nameNotResolved),
            ("https://127.0.0.1:\(plain.port)/", .insecure),
        ] {
            let fetching = try Fetching()
            fetching.fetch(url)
            #expect(fetching.hearOn())
            #expect(fetching.events.last == .failed(failure), "\(url) \(fetching.told.lines.withLock { $0 })")
            #expect(fetching.told.lines.withLock { $0.count } == 1)
        }
    }

    @Test("No event follows a cancellation, and the connection is closed")
    func cancelled() throws {
        let isGone = DispatchSemaphore(value: 0)
        let port = try ThreadedPort()
        port.accepting { connection in
            var piece = Array("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n".utf8)
            while ThreadedPort.say(piece, on: connection) {
                piece = [UInt8](repeating: 7, count: 1_000)
                usleep(2_000)
            }
            isGone.signal()
        }
        let fetching = try Fetching()
        fetching.fetch("http://127.0.0.1:\(port.port)/")
        #expect(fetching.hearOn { !$0.body.isEmpty })
        fetching.cancel()
        #expect(isGone.wait(timeout: .now() + 5) == .success)
        fetching.hear()
        let count = fetching.events.count
        usleep(200_000)
        fetching.hear()
        #expect(fetching.events.count == count)
        #expect(!fetching.isOver)
    }

    @Test("An inbox that is not drained slows the origin: one MiB waits here, not the rest")
    func bounded() throws {
        let length = 48 << 20
        let isSaid = Mutex(false)
        let port = try ThreadedPort()
        port.accepting { connection in
            // A close with the request unread would discard the answer.
            var request = [UInt8](repeating: 0, count: 4_096)
            _ = recv(connection, &request, request.count, 0)
            let piece = [UInt8](repeating: 9, count: 1 << 20)
            _ = ThreadedPort.say(
                Array("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n".utf8), on: connection)
            for _ in 0..<48 where !ThreadedPort.say(piece, on: connection) { return }
            isSaid.withLock { $0 = true }
        }
        let fetching = try Fetching()
        fetching.fetch("http://127.0.0.1:\(port.port)/")
        sleep(1)
        #expect(!isSaid.withLock { $0 })
        fetching.hear()
        #expect(!fetching.body.isEmpty && fetching.body.count <= Inbox.maxBytes)
        #expect(fetching.hearOn())
        #expect(fetching.events.last == .end, "\(fetching.told.lines.withLock { $0 })")
        #expect(fetching.body.count == length)
    }

    @Test(
        "Failures are distinguished by the session's error",
        arguments: [
            (NSURLErrorUnknown, "SSL certificate problem: certificate has expired", false, "insecure"),
            (NSURLErrorUnknown, "SSL certificate problem: self-signed certificate", false, "insecure"),
            (
                NSURLErrorUnknown,
                "SSL: no alternative certificate subject name matches target host name 'a'", false, "insecure"
            ),
            (NSURLErrorServerCertificateHasBadDate, "", false, "insecure"),
            (NSURLErrorServerCertificateUntrusted, "", false, "insecure"),
            (NSURLErrorSecureConnectionFailed, "", false, "insecure"),
            (
                NSURLErrorUnknown, "OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to a:1", false,
                "reset"
            ),
            (NSURLErrorUnknown, "OpenSSL SSL_read: unexpected eof while reading", true, "truncated"),
            (NSURLErrorUnknown, "transfer closed with 95 bytes remaining to read", true, "truncated"),
            (NSURLErrorUnknown, "SSL certificate problem", true, "reset"),
            (NSURLErrorNetworkConnectionLost, "", false, "reset"),
            (NSURLErrorNotConnectedToInternet, "", false, "offline"),
            (NSURLErrorTimedOut, "", false, "connectTimeout"),
        ])
    func words(code: Int, text: String, hasHead: Bool, failure: String) {
        let error = NSError(
            domain: NSURLErrorDomain, code: code, userInfo: [NSLocalizedDescriptionKey: text])
        #expect(SessionFault(error, hasHead: hasHead).failure.rawValue == failure)
    }
}
