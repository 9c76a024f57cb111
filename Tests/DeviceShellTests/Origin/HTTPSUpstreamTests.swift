import AppHost
import Core
import Foundation
import LocalServer
import Synchronization
import Testing

@testable import DeviceShell
@testable import DeviceShellHTTPS

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A root of http is reached without TLS and otherwise as one of https: what does not depend on TLS is shown
/// here. `Tests/Tools/serve-https` tests a remote root with valid and invalid certificates.
@Suite("A remote root by the way of https", .serialized)
struct HTTPSUpstreamTests {
    /// An inbox without a loop; the test drains it.
    private final class Reaching {
        let inbox: Inbox
        let told = Told()
        private(set) var events: [UpstreamEvent] = []
        private var upstream: HTTPSUpstream?
        let id = UpstreamID(7)

        final class Told: Sendable {
            let lines = Mutex<[String]>([])
        }

        init(_ root: String, _ library: CurlLibrary? = CurlLibrary.found) throws {
            inbox = Inbox(try WakeUp())
            upstream = HTTPSUpstream(library) { [told] text in told.lines.withLock { $0.append(text) } }
            ask(.open(try RemoteRoot(root)))
        }

        func ask(_ call: UpstreamCommand) { upstream?.call(id, call, inbox) }

        func letGo() { upstream = nil }

        func hear() {
            for case .event(.upstream(let id, let event)) in inbox.drain(takesBackground: true)
            where id == self.id {
                events.append(event)
            }
        }

        /// The next event that was not returned yet; nil: none in ten seconds.
        func next() -> UpstreamEvent? {
            for _ in 0..<2_000 {
                hear()
                if !events.isEmpty { return events.removeFirst() }
                usleep(5_000)
            }
            return nil
        }

        func isQuiet(_ microseconds: UInt32 = 200_000) -> Bool {
            usleep(microseconds)
            hear()
            return events.isEmpty
        }

        /// Asks on until the other side ends.
        func all() -> [UInt8]? {
            var all: [UInt8] = []
            while true {
                ask(.receive)
                switch next() {
                case .bytes(let bytes):
                    if bytes.isEmpty || bytes.count > 65_536 { return nil }
                    all += bytes
                case .ended: return all
                case .connected, .sent, .failed, nil: return nil
                }
            }
        }
    }

    private static func request(_ path: String, _ more: String = "") -> [UInt8] {
        Array("GET \(path) HTTP/1.1\r\nHost: x\r\n\(more)\r\n".utf8)
    }

    @Test("Bytes both ways as they are: one `sent` for each send, one portion for each wish, then the end")
    func bytes() throws {
        let root = try EchoRoot()
        let line = try Reaching("http://127.0.0.1:\(root.port)/base")
        #expect(line.next() == .connected)
        #expect(line.isQuiet())
        line.ask(.send(HTTPSUpstreamTests.request("/api/large")))
        #expect(line.next() == .sent)
        #expect(line.isQuiet())
        let all = try #require(line.all())
        #expect(all == Array("HTTP/1.1 200 OK\r\nContent-Length: 5000000\r\n\r\n".utf8) + EchoRoot.large)
        #expect(root.heads == ["GET /api/large HTTP/1.1\r\nHost: x"])
    }

    @Test("The answer is read while the request is sent: neither side waits for the other")
    func both() throws {
        let root = try EchoRoot()
        let line = try Reaching("http://localhost:\(root.port)")
        #expect(line.next() == .connected)
        line.ask(.send(HTTPSUpstreamTests.request("/", "Upgrade: websocket\r\nConnection: Upgrade\r\n")))
        line.ask(.receive)
        var heard: [UInt8] = []
        var pieces = 0
        let piece = (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
        let head = Array("HTTP/1.1 101 S\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n".utf8)
        while heard.count < head.count + 64 * piece.count {
            switch line.next() {
            case .sent where pieces < 64:
                line.ask(.send(piece))
                pieces += 1
            case .sent: break
            case .bytes(let bytes):
                heard += bytes
                line.ask(.receive)
            case let other:
                Issue.record("\(String(describing: other))")
                return
            }
        }
        #expect(heard.starts(with: head) && heard.suffix(piece.count).elementsEqual(piece))
        // The other side sees the end of ours and ends its own.
        line.ask(.finish)
        var last = line.next()
        if last == .sent { last = line.next() }
        #expect(last == .ended)
    }

    @Test("Without read interest nothing is read: the remote root waits (HT-X14)")
    func unasked() throws {
        let isSaid = Mutex(false)
        let port = try ThreadedPort()
        port.accepting { connection in
            let piece = [UInt8](repeating: 9, count: 1 << 20)
            for _ in 0..<48 where !ThreadedPort.say(piece, on: connection) { return }
            isSaid.withLock { $0 = true }
        }
        let line = try Reaching("http://127.0.0.1:\(port.port)")
        #expect(line.next() == .connected)
        line.ask(.receive)
        guard case .bytes = line.next() else {
            Issue.record("nothing came")
            return
        }
        #expect(line.isQuiet(400_000))
        #expect(!isSaid.withLock { $0 })
        #expect(line.all().map { $0.count > 47 << 20 } == true)
        #expect(isSaid.withLock { $0 })
    }

    @Test(
        "No listener, unknown name, no TLS, broken off: each is reported as a different failure (HT-X11, X15)"
    )
    func failures() throws {
        let plain = try ThreadedPort()
        plain.accepting { _ = ThreadedPort.say(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), on: $0) }
        let rude = try ThreadedPort()
        rude.accepting { _ in }
        let free = try RealApp.freePort()
        for (root, failures) in [
            ("https://127.0.0.1:\(free)", [UpstreamFailure.refused]),
            ("https://no-such-host.invalid", [.nameNotResolved]),
            ("https://127.0.0.1:\(plain.port)", [.tlsHandshakeFailed]),
            // With bytes unread it is a reset, without them an end.
            ("https://127.0.0.1:\(rude.port)", [.reset, .tlsHandshakeFailed]),
        ] {
            let line = try Reaching(root)
            let event = line.next()
            let told = line.told.lines.withLock { $0 }
            #expect(
                failures.contains { event == .failed($0) }, "\(root) \(String(describing: event)) \(told)")
            #expect(told.count == 1)
            #expect(line.isQuiet())
        }
    }

    @Test("Without libcurl in the process https is refused as without this room (HT-X15)")
    func absent() throws {
        #expect(CurlLibrary { _ in nil } == nil)
        let line = try Reaching("https://127.0.0.1:1", nil)
        #expect(line.next() == .failed(.tlsNotAvailable))
    }

    @Test(
        "A cancelled connection is closed, also while it is opened, and sends no event",
        arguments: ["http", "https"], [true, false])
    func closed(scheme: String, byName: Bool) throws {
        let isGone = DispatchSemaphore(value: 0)
        let isHere = DispatchSemaphore(value: 0)
        let port = try ThreadedPort()
        port.accepting { connection in
            isHere.signal()
            // Never speaks: a handshake waits for ever.
            var bytes = [UInt8](repeating: 0, count: 4_096)
            while recv(connection, &bytes, bytes.count, 0) > 0 {}
            isGone.signal()
        }
        let line = try Reaching("\(scheme)://127.0.0.1:\(port.port)")
        #expect(isHere.wait(timeout: .now() + 5) == .success)
        if scheme == "http" { #expect(line.next() == .connected) }
        if byName { line.ask(.close) } else { line.letGo() }
        #expect(isGone.wait(timeout: .now() + 5) == .success)
        #expect(line.isQuiet())
        #expect(line.told.lines.withLock { $0 }.isEmpty)
    }

    @Test(
        "Each error of libcurl maps to a cause of the server",
        arguments: [
            (6, 0, UpstreamFailure.nameNotResolved), (7, ECONNREFUSED, .refused),
            (7, ENETUNREACH, .unreachable), (28, 0, .timedOut), (60, 0, .certificateNotTrusted),
            (77, 0, .certificateNotTrusted),
            (35, 0, .tlsHandshakeFailed), (56, 0, .reset),
        ])
    func causes(code: Int32, system: Int32, failure: UpstreamFailure) {
        #expect(CurlFault(code: code, system: system, message: "x").failure == failure)
        let broken = CurlFault(code: 35, system: 0, message: "OpenSSL SSL_connect: SSL_ERROR_SYSCALL in …")
        #expect(broken.failure == .reset)
    }
}
