import Core
import Foundation
import LocalServer
import Testing

@testable import DeviceShell

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Connections whose remote root the test plays itself, byte by byte.
@Suite("One connection to the remote root", .serialized)
struct UpstreamClientTests {
    /// A client, and a port that it connects to.
    private final class Exchange {
        let poller: Poller
        private(set) var client: UpstreamClient?
        let listener: Int32
        let port: UInt16
        private(set) var events: [UpstreamEvent] = []
        private(set) var resolving: [String] = []
        private(set) var roots: [Int32] = []
        let id = UpstreamID(3)

        init() throws {
            poller = try Poller()
            listener = try SocketCalls.listen(at: .version4, port: 0)
            port = try SocketCalls.port(of: listener)
            let client = UpstreamClient(poller, EventRecord())
            client.deliver = { [unowned self] id, event in
                #expect(id == self.id)
                events.append(event)
            }
            client.resolve = { [unowned self] id, host, port in
                #expect(id == self.id)
                resolving.append("\(host) \(port)")
            }
            self.client = client
        }

        deinit { for descriptor in roots + [listener] { SocketCalls.close(descriptor) } }

        func call(_ call: UpstreamCommand) { client?.call(id, call) }

        func open(_ url: String = "http://one.example") throws { call(.open(try RemoteRoot(url))) }

        func resolved(_ addresses: [SocketAddress]) { client?.resolved(id, addresses) }

        /// Until a condition holds, for at most 5 s.
        func run(until isMet: () throws -> Bool) throws -> Bool {
            try GatedSyncs.wait {
                for ready in try poller.wait(.milliseconds(1)) where client?.owns(ready.descriptor) == true {
                    client?.ready(ready)
                }
                return try isMet()
            }
        }

        /// Some turns, in which nothing is expected.
        func idle() throws { for _ in 0..<10 { _ = try run { true } } }

        /// Opens a connection.
        /// - Returns: the remote root's end.
        func connect() throws -> Int32 {
            try open()
            resolved([.loopback4(port: port)])
            #expect(try run { !events.isEmpty })
            #expect(events == [.connected])
            let root = try SocketPair.accepted(listener)
            roots.append(root)
            return root
        }

        func say(_ root: Int32, _ text: String) throws {
            let bytes = Array(text.utf8)
            #expect(try SocketCalls.send(root, bytes[...], isFollowed: false) == bytes.count)
        }

        /// What the remote root has got, after at least this many bytes; ended: the client sends no more.
        func heard(_ root: Int32, _ count: Int) throws -> (bytes: [UInt8], hasEnded: Bool) {
            var (heard, hasEnded): ([UInt8], Bool) = ([], false)
            var buffer = [UInt8](repeating: 0, count: 65_536)
            _ = try run {
                do throws(SystemError) {
                    while let count = try SocketCalls.receive(root, into: &buffer) {
                        if count == 0 { hasEnded = true }
                        if count == 0 { break }
                        heard += buffer[..<count]
                    }
                } catch {
                    hasEnded = true
                }
                return heard.count >= count && (count > 0 || hasEnded)
            }
            return (heard, hasEnded)
        }

        func close(_ root: Int32, isReset: Bool = false) {
            roots.removeAll { $0 == root }
            if isReset { SocketCalls.reset(root) } else { SocketCalls.close(root) }
        }

        func end() { client = nil }
    }

    @Test(
        "The host of a remote root is resolved without the brackets of an address, with its port",
        arguments: [
            ("http://One.example", "one.example 80"), ("http://one.example:8080/base", "one.example 8080"),
            ("http://[::1]:81", "::1 81"), ("http://127.0.0.1", "127.0.0.1 80"),
        ])
    func hosts(url: String, expected: String) throws {
        let exchange = try Exchange()
        try exchange.open(url)
        #expect(exchange.resolving == [expected] && exchange.events.isEmpty)
    }

    @Test("What can't be reached fails once with its reason, and leaves nothing behind")
    func failures() throws {
        let free = SocketAddress.loopback4(port: try RealApp.freePort())
        let group = try #require(SocketAddress(numeric: "224.0.0.1", port: 80))
        for (addresses, failure) in [
            ([], .nameNotResolved), ([free], .refused), ([free, free], .refused), ([group], .unreachable),
        ] as [([SocketAddress], UpstreamFailure)] {
            let exchange = try Exchange()
            try exchange.open()
            exchange.resolved(addresses)
            #expect(try exchange.run { !exchange.events.isEmpty })
            try exchange.idle()
            #expect(exchange.events == [.failed(failure)])
            #expect(exchange.poller.count == 0)
            // What is still said of it has no effect.
            exchange.resolved([.loopback4(port: exchange.port)])
            for call in [UpstreamCommand.send([1]), .receive, .finish, .close] { exchange.call(call) }
            #expect(exchange.events.count == 1 && exchange.poller.count == 0)
        }
        let exchange = try Exchange()
        try exchange.open("https://one.example")
        #expect(exchange.events == [.failed(.tlsNotAvailable)] && exchange.resolving.isEmpty)
    }

    @Test("Before it is connected nothing is sent; a close ends the attempts")
    func connecting() throws {
        let exchange = try Exchange()
        let hole = try BlackHole()
        try exchange.open()
        exchange.call(.send([1, 2]))
        exchange.resolved([hole.address, hole.address])
        exchange.call(.send([1, 2]))
        try exchange.idle()
        #expect(exchange.events.isEmpty && exchange.poller.count == 1)
        #expect(exchange.client?.nextDeadline != nil)
        exchange.call(.close)
        #expect(exchange.poller.count == 0 && exchange.client?.nextDeadline == nil)
        try exchange.idle()
        #expect(exchange.events.isEmpty)
    }

    @Test("Bytes are read on request alone, one portion for each, and then the end")
    func receiving() throws {
        let exchange = try Exchange()
        let root = try exchange.connect()
        try exchange.say(root, "abc")
        try exchange.idle()
        #expect(exchange.events == [.connected])
        exchange.call(.receive)
        #expect(try exchange.run { exchange.events.count == 2 })
        #expect(exchange.events.last == .bytes(Array("abc".utf8)))
        try exchange.say(root, "def")
        try exchange.idle()
        #expect(exchange.events.count == 2)
        exchange.call(.receive)
        #expect(try exchange.run { exchange.events.count == 3 })
        #expect(exchange.events.last == .bytes(Array("def".utf8)))
        exchange.close(root)
        try exchange.idle()
        #expect(exchange.events.count == 3)
        exchange.call(.receive)
        #expect(try exchange.run { exchange.events.count == 4 })
        #expect(exchange.events.last == .ended)
        #expect(exchange.poller.count == 1, "the connection can still send")
    }

    @Test("A request for bytes that comes before the connection is met afterwards")
    func earlyReceive() throws {
        let exchange = try Exchange()
        try exchange.open()
        exchange.call(.receive)
        exchange.resolved([.loopback4(port: exchange.port)])
        #expect(try exchange.run { exchange.events == [.connected] })
        let root = try SocketPair.accepted(exchange.listener)
        defer { SocketCalls.close(root) }
        try exchange.say(root, "abc")
        #expect(try exchange.run { exchange.events.count == 2 })
        #expect(exchange.events.last == .bytes(Array("abc".utf8)))
    }

    @Test("What is sent arrives in order, is answered once each, also nothing, and the end of it arrives")
    func sending() throws {
        let exchange = try Exchange()
        let root = try exchange.connect()
        let large = (0..<8_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
        for (bytes, events) in [([1, 2, 3], 2), ([], 3), ([4], 4)] as [([UInt8], Int)] {
            exchange.call(.send(bytes))
            #expect(exchange.events.count == events && exchange.events.last == .sent)
        }
        #expect(try exchange.heard(root, 4).bytes == [1, 2, 3, 4])
        #expect(try exchange.poller.wait(.milliseconds(20)).isEmpty, "nothing is left to send")
        exchange.call(.send(large))
        try exchange.idle()
        #expect(exchange.events.count == 4, "the remote root has not taken it")
        let heard = try exchange.heard(root, large.count)
        #expect(heard.bytes == large && !heard.hasEnded)
        #expect(exchange.events.count == 5 && exchange.events.last == .sent)
        exchange.call(.finish)
        #expect(try exchange.heard(root, 0).hasEnded)
        try exchange.say(root, "late")
        exchange.call(.receive)
        #expect(try exchange.run { exchange.events.last == .bytes(Array("late".utf8)) })
    }

    @Test("A connection that is closed by both sides is not reported on and on; a request reads its end")
    func bothClosed() throws {
        let exchange = try Exchange()
        let root = try exchange.connect()
        exchange.call(.finish)
        #expect(try exchange.heard(root, 0).hasEnded)
        exchange.close(root)
        #expect(try exchange.run { exchange.poller.count == 0 })
        #expect(exchange.events == [.connected])
        exchange.call(.receive)
        #expect(try exchange.run { exchange.events.count == 2 })
        #expect(exchange.events.last == .ended)
    }

    @Test("A connection that breaks off fails, whether bytes were requested or not, and is closed")
    func broken() throws {
        for isRequested in [false, true] {
            let exchange = try Exchange()
            let root = try exchange.connect()
            if isRequested { exchange.call(.receive) }
            exchange.close(root, isReset: true)
            #expect(try exchange.run { exchange.events.count == 2 })
            try exchange.idle()
            #expect(exchange.events == [.connected, .failed(.reset)])
            #expect(exchange.poller.count == 0)
            exchange.call(.receive)
            exchange.call(.send([1]))
            #expect(exchange.events.count == 2)
        }
    }

    @Test("What the remote root answered before it closed can be read, though no more can be sent")
    func earlyAnswer() throws {
        let exchange = try Exchange()
        let root = try exchange.connect()
        exchange.call(.send([UInt8](repeating: 1, count: 20_000_000)))
        try exchange.idle()
        #expect(exchange.events == [.connected])
        exchange.close(root, isReset: true)
        #expect(try exchange.run { exchange.events.count > 1 })
        // It has been sent as far as it can be.
        #expect(exchange.events.dropFirst().first == .sent)
        exchange.call(.receive)
        #expect(
            try exchange.run {
                exchange.events.last == .failed(.reset) || exchange.events.last == .ended
            })
    }

    @Test("After a close the remote root gets the end, and nothing more is reported")
    func closed() throws {
        let exchange = try Exchange()
        let root = try exchange.connect()
        exchange.call(.receive)
        exchange.call(.close)
        #expect(exchange.poller.count == 0)
        #expect(try exchange.heard(root, 0).hasEnded)
        try exchange.idle()
        #expect(exchange.events == [.connected])
        exchange.call(.send([1]))
        exchange.call(.receive)
        exchange.call(.close)
        #expect(exchange.events == [.connected])
    }

    @Test("A client that ends closes its connections")
    func ended() throws {
        let exchange = try Exchange()
        let root = try exchange.connect()
        exchange.end()
        #expect(try exchange.heard(root, 0).hasEnded)
    }

    @Test("A connection that can't be watched fails")
    func unwatched() throws {
        let exchange = try Exchange()
        let root = try exchange.connect()
        try DescriptorFacts.disable(exchange.poller)
        exchange.call(.receive)
        #expect(exchange.events == [.connected, .failed(.reset)])
        var buffer: [UInt8] = [0]
        #expect(try GatedSyncs.wait { try SocketCalls.receive(root, into: &buffer) == 0 })
    }

    #if os(Linux)
        @Test("A portion has 64 KiB at most")
        func portion() throws {
            let exchange = try Exchange()
            let root = try exchange.connect()
            let near = try #require(try DescriptorFacts.connected(to: exchange.port).first)
            let bytes = [UInt8](repeating: 1, count: 300_000)
            _ = try SocketCalls.send(root, bytes[...], isFollowed: false)
            // As much as the system holds for a reader at first.
            guard GatedSyncs.wait({ DescriptorFacts.unread(near) > 65_536 }) else { return }
            exchange.call(.receive)
            #expect(try exchange.run { exchange.events.count == 2 })
            #expect(exchange.events.last == .bytes([UInt8](repeating: 1, count: 65_536)))
        }

        @Test("A remote root that takes nothing any more has timed out")
        func timedOut() throws {
            let exchange = try Exchange()
            let root = try exchange.connect()
            let near = try #require(try DescriptorFacts.connected(to: exchange.port).first)
            // More than the root's side takes, which reads nothing, and as much as this side keeps.
            let bytes = [UInt8](repeating: 1, count: 200_000)
            exchange.call(.send(bytes))
            #expect(exchange.events == [.connected, .sent])
            var milliseconds: Int32 = 100
            setsockopt(near, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &milliseconds, 4)
            exchange.call(.receive)
            #expect(try exchange.run { exchange.events.count == 3 })
            #expect(exchange.events.last == .failed(.timedOut))
            withExtendedLifetime(root) {}
        }

        @Test("The end of what is sent does not wait for more")
        func lastBytes() throws {
            let exchange = try Exchange()
            _ = try exchange.connect()
            exchange.call(.send([1, 2, 3]))
            let near = try #require(try DescriptorFacts.connected(to: exchange.port).first)
            #expect(DescriptorFacts.tcp(near, .dataSegmentsSent) == 1)
            #expect(DescriptorFacts.tcp(near, .notSent) == 0)
        }
    #endif
}
