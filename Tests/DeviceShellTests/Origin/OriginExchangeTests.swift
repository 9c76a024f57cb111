import Core
import Foundation
import HTTP1
import Testing
import Updater

@testable import DeviceShell

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Requests whose origin the test plays itself, byte by byte, and whose time is the test's.
@Suite("One request of a client of origins", .serialized)
struct OriginExchangeTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"

    private static func head(_ fields: [(String, String)]) -> TransferEvent {
        .head(status: 200, fields: HeaderFields(fields.map { HeaderFields.Field($0.0, $0.1) }))
    }

    @Test("The request as it goes out: GET without a body, POST with one, its fields in order")
    func request() throws {
        let exchange = try OriginExchange()
        exchange.begin(
            1, "http://One.example:8080/a?b#c", fields: ["If-None-Match": "\"x\"", "OTA-App": "y"])
        let first = try exchange.accepted()
        let get =
            "GET /a?b HTTP/1.1\r\nHost: one.example:8080\r\nIf-None-Match: \"x\"\r\nOTA-App: y\r\n\r\n"
        #expect(try exchange.heard(first, get.utf8.count) == Array(get.utf8))
        exchange.begin(2, body: [65, 66, 67])
        let second = try exchange.accepted()
        let post = "POST /a HTTP/1.1\r\nHost: one.example\r\nContent-Length: 3\r\n\r\nABC"
        #expect(try exchange.heard(second, post.utf8.count) == Array(post.utf8))
        #expect(exchange.resolving == ["one.example:8080", "one.example:80"])
        #expect(exchange.client.openCount == 2)
        try exchange.answer(second, OriginExchangeTests.ok)
        #expect(try exchange.run { exchange.events(2).last == .end })
        #expect(
            exchange.events(2) == [
                OriginExchangeTests.head([("Content-Length", "3")]), .bytes([97, 98, 99]), .end,
            ])
        #expect(exchange.events(1).isEmpty)
    }

    @Test("What can't be requested fails at once, and no connection is opened")
    func refused() throws {
        let exchange = try OriginExchange()
        exchange.begin(1, "https://one.example/")
        exchange.begin(2, "ftp://one.example/")
        exchange.addresses = []
        exchange.begin(3)
        exchange.addresses = SocketAddress(numeric: "224.0.0.1", port: 80).map { [$0] }
        exchange.begin(4)
        #expect(exchange.events(1) == [.failed(.insecure)])
        #expect(exchange.events(2) == [.failed(.nameNotResolved)])
        #expect(exchange.events(3) == [.failed(.nameNotResolved)])
        // No connection leads to a group of hosts.
        #expect(exchange.events(4) == [.failed(.offline)])
        #expect(exchange.client.openCount == 0 && exchange.poller.count == 0)
        // Addresses that come late are not used.
        exchange.client.resolved(TransferID(3), [.loopback4(port: exchange.port)])
        #expect(exchange.poller.count == 0 && exchange.events(3).count == 1)
    }

    @Test("It is connecting until its request is out; then only the response can make it ready")
    func connecting() throws {
        let exchange = try OriginExchange()
        let (client, clock) = (exchange.client, exchange.clock)
        #expect(!client.isConnecting && client.openCount == 0 && client.nextDeadline == nil)
        exchange.begin(1)
        #expect(client.isConnecting && client.nextDeadline == clock.now + .seconds(15))
        let origin = try exchange.accepted()
        _ = try exchange.heard(origin, 10)
        #expect(!client.isConnecting && client.openCount == 1 && client.nextDeadline == nil)
        #expect(try exchange.poller.wait(.milliseconds(50)).isEmpty)
        // However long the response takes, it has no time-out here.
        exchange.pass(3_600_000)
        #expect(exchange.events(1).isEmpty)
        try exchange.answer(origin, OriginExchangeTests.ok)
        #expect(try exchange.run { exchange.events(1).last == .end })
    }

    @Test("A large request is sent as the origin takes it; until then it counts as connecting")
    func largeRequest() throws {
        let exchange = try OriginExchange()
        let body = (0..<8_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
        exchange.begin(1, body: body)
        let origin = try exchange.accepted()
        for _ in 0..<20 { _ = try exchange.run { true } }
        #expect(exchange.client.isConnecting && exchange.client.nextDeadline == nil)
        let heard = try exchange.heard(origin, body.count + 20)
        #expect(Array(heard.suffix(body.count)) == body)
        #expect(!exchange.client.isConnecting)
        try exchange.answer(origin, OriginExchangeTests.ok)
        #expect(try exchange.run { exchange.events(1).last == .end })
        #expect(exchange.poller.count == 1, "the connection is kept")
    }

    @Test("A connection whose request is not out at the end of its response is not used again")
    func earlyAnswer() throws {
        let exchange = try OriginExchange()
        exchange.begin(1, body: [UInt8](repeating: 1, count: 12_000_000))
        let origin = try exchange.accepted()
        try exchange.answer(origin, OriginExchangeTests.ok)
        #expect(try exchange.run { exchange.events(1).last == .end })
        #expect(exchange.poller.count == 0 && exchange.client.nextDeadline == nil)
        #expect(try exchange.isClosed(origin))
    }

    @Test("While the loop is busy nothing of a response is read")
    func mayReceive() throws {
        let exchange = try OriginExchange()
        exchange.begin(1)
        let origin = try exchange.accepted()
        _ = try exchange.heard(origin, 10)
        try exchange.answer(origin, OriginExchangeTests.ok)
        let ready = try exchange.poller.wait(.seconds(5))
        #expect(ready.count == 1)
        for ready in ready { exchange.client.ready(ready, mayReceive: false) }
        #expect(exchange.events(1).isEmpty)
        for ready in ready { exchange.client.ready(ready, mayReceive: true) }
        #expect(exchange.events(1).count == 3)
    }

    @Test("A body comes in parts of at most 64 KiB, in order")
    func parts() throws {
        let exchange = try OriginExchange()
        exchange.begin(1)
        let origin = try exchange.accepted()
        _ = try exchange.heard(origin, 10)
        let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 11 &+ $0 >> 9) }
        let bytes = Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
        var sent = 0
        #expect(
            try exchange.run {
                while sent < bytes.count,
                    let count = try SocketCalls.send(origin, bytes[sent...], isFollowed: false)
                { sent += count }
                return exchange.events(1).last == .end
            })
        #expect(exchange.body(1) == body)
        let sizes = exchange.events(1).compactMap {
            if case .bytes(let part) = $0 { part.count } else { nil }
        }
        #expect(sizes.allSatisfy { $0 > 0 && $0 <= 65_536 })
    }

    @Test(
        "How a response can end too early",
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", TransferFailure.truncated),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", .truncated),
            ("HTTP/1.1 200 OK\r\nContent-Le", .truncated), ("what?\r\n\r\n", .reset), ("", .reset),
        ])
    func endsEarly(text: String, failure: TransferFailure) throws {
        let exchange = try OriginExchange()
        exchange.begin(1)
        let origin = try exchange.accepted()
        _ = try exchange.heard(origin, 10)
        if !text.isEmpty { try exchange.answer(origin, text) }
        exchange.close(origin)
        #expect(try exchange.run { exchange.client.openCount == 0 })
        guard case .failed(let found) = exchange.events(1).last else {
            Issue.record("\(exchange.events(1))")
            return
        }
        #expect(found == failure || (text == "HTTP/1.1 200 OK\r\nContent-Le" && found == .reset))
        #expect(exchange.events(1).count { if case .failed = $0 { true } else { false } } == 1)
        #expect(exchange.poller.count == 0)
    }

    @Test("A body up to the close ends with it, and so does the connection")
    func untilClose() throws {
        let exchange = try OriginExchange()
        exchange.begin(1)
        let origin = try exchange.accepted()
        _ = try exchange.heard(origin, 10)
        try exchange.answer(origin, "HTTP/1.1 200 OK\r\n\r\nabc")
        exchange.close(origin)
        #expect(try exchange.run { exchange.events(1).last == .end })
        #expect(exchange.body(1) == Array("abc".utf8))
        #expect(exchange.poller.count == 0 && exchange.client.nextDeadline == nil)
    }

    @Test("A connection on which more came than the response is closed")
    func leftOver() throws {
        let exchange = try OriginExchange()
        exchange.begin(1)
        let origin = try exchange.accepted()
        _ = try exchange.heard(origin, 10)
        try exchange.answer(origin, OriginExchangeTests.ok + "HTTP/1.1 ")
        #expect(try exchange.run { exchange.events(1).last == .end })
        #expect(exchange.poller.count == 0)
        #expect(try exchange.isClosed(origin))
    }

    @Test("An interim response is none; the connection is kept after the final one")
    func interim() throws {
        let exchange = try OriginExchange()
        exchange.begin(1)
        let origin = try exchange.accepted()
        _ = try exchange.heard(origin, 10)
        try exchange.answer(origin, "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + OriginExchangeTests.ok)
        #expect(try exchange.run { exchange.events(1).last == .end })
        #expect(exchange.events(1).count == 3 && exchange.poller.count == 1)
    }

    @Test("A cancelled request closes its connection, and nothing more is delivered")
    func cancelled() throws {
        let exchange = try OriginExchange()
        exchange.begin(1)
        let origin = try exchange.accepted()
        _ = try exchange.heard(origin, 10)
        try exchange.answer(origin, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
        #expect(try exchange.run { exchange.events(1).count == 2 })
        exchange.client.cancel(TransferID(1))
        #expect(exchange.poller.count == 0 && exchange.client.openCount == 0)
        #expect(try exchange.isClosed(origin))
        exchange.client.cancel(TransferID(1))
        #expect(exchange.events(1).count == 2)
    }

    @Test("A kept connection carries a request to its own host and port alone")
    func otherHosts() throws {
        let exchange = try OriginExchange()
        let origin = try exchange.keepConnection(1, "http://one.example/a")
        exchange.begin(2, "http://two.example/a")
        exchange.begin(3, "http://one.example:81/a")
        #expect(exchange.resolving == ["one.example:80", "two.example:80", "one.example:81"])
        for _ in 0..<2 { _ = try exchange.accepted() }
        exchange.begin(4, "http://one.example/b")
        #expect(exchange.resolving.count == 3)
        let head = try exchange.heard(origin, 10)
        #expect(head.starts(with: Array("GET /b ".utf8)))
        try exchange.answer(origin, OriginExchangeTests.ok)
        #expect(try exchange.run { exchange.events(4).last == .end })
    }

    @Test("A request over a kept connection is connected: no time limit ends it")
    func keptIsConnected() throws {
        let exchange = try OriginExchange()
        let origin = try exchange.keepConnection(1)
        exchange.begin(2)
        #expect(exchange.client.nextDeadline == nil && !exchange.client.isConnecting)
        exchange.pass(60_000)
        #expect(exchange.events(2).isEmpty)
        _ = try exchange.heard(origin, 10)
        try exchange.answer(origin, OriginExchangeTests.ok)
        #expect(try exchange.run { exchange.events(2).last == .end })
    }

    @Test("A new connection after a lost one has all of its time; at its end the request fails once (U5)")
    func secondConnection() throws {
        let exchange = try OriginExchange()
        let hole = try BlackHole()
        let origin = try exchange.keepConnection(1)
        exchange.begin(2)
        _ = try exchange.heard(origin, 10)
        exchange.pass(14_000)
        exchange.addresses = [hole.address]
        exchange.close(origin)
        #expect(try exchange.run { exchange.resolving.count == 2 })
        #expect(exchange.client.nextDeadline == exchange.clock.now + .seconds(15))
        exchange.pass(14_999)
        #expect(exchange.events(2).isEmpty && exchange.client.isConnecting)
        exchange.pass(1)
        #expect(exchange.events(2) == [.failed(.connectTimeout)])
        #expect(exchange.poller.count == 0 && exchange.client.openCount == 0)
    }

    @Test("A request that is cancelled between two connections closes nothing that is not its own")
    func cancelledBetween() throws {
        #if os(Linux)
            for _ in 0..<5 {
                let exchange = try OriginExchange()
                let origin = try exchange.keepConnection(1)
                let kept = try #require(try DescriptorFacts.connected(to: exchange.port).first)
                exchange.begin(2)
                _ = try exchange.heard(origin, 10)
                exchange.addresses = nil
                exchange.close(origin)
                #expect(try exchange.run { exchange.resolving.count == 2 })
                // Another file gets the number that the lost connection had, unless another test was faster.
                let other = fcntl(exchange.listener, F_DUPFD_CLOEXEC, kept)
                defer { SocketCalls.close(other) }
                exchange.client.cancel(TransferID(2))
                #expect(DescriptorFacts.isOpen(other))
                #expect(exchange.events(2).isEmpty && exchange.client.openCount == 0)
            }
        #endif
    }

    @Test("A request whose connection can't be watched fails")
    func unwatched() throws {
        let exchange = try OriginExchange()
        exchange.begin(1)
        let connecting = try exchange.poller.wait(.seconds(5))
        #expect(connecting.count == 1)
        try DescriptorFacts.disable(exchange.poller)
        for ready in connecting { exchange.client.ready(ready, mayReceive: true) }
        #expect(exchange.events(1) == [.failed(.reset)])
        #expect(exchange.client.openCount == 0)
    }

    #if os(Linux)
        @Test("A portion has 64 KiB at most, with the head")
        func portion() throws {
            let exchange = try OriginExchange()
            exchange.begin(1)
            let origin = try exchange.accepted()
            _ = try exchange.heard(origin, 10)
            let near = try #require(try DescriptorFacts.connected(to: exchange.port).first)
            let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n".utf8)
            let bytes = head + [UInt8](repeating: 1, count: 300_000)
            _ = try SocketCalls.send(origin, bytes[...], isFollowed: false)
            // As much as the system holds for a reader at first.
            guard GatedSyncs.wait({ DescriptorFacts.unread(near) > 65_536 }) else { return }
            for ready in try exchange.poller.wait(.seconds(5)) {
                exchange.client.ready(ready, mayReceive: true)
            }
            #expect(exchange.body(1).count == 65_536 - head.count)
        }

        @Test("The end of a request does not wait for more")
        func lastBytes() throws {
            let exchange = try OriginExchange()
            exchange.begin(1)
            let connecting = try exchange.poller.wait(.seconds(5))
            for ready in connecting { exchange.client.ready(ready, mayReceive: true) }
            let near = try #require(try DescriptorFacts.connected(to: exchange.port).first)
            #expect(DescriptorFacts.tcp(near, .dataSegmentsSent) == 1)
            #expect(DescriptorFacts.tcp(near, .notSent) == 0)
        }
    #endif
}
