import Core
import Foundation
import Testing

@testable import DeviceShell

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Attempts to connect are connections of the loopback that the test has made, so that it sees which are
/// closed.
@Suite("Attempts to connect to a host", .serialized)
struct HostConnectorTests {
    /// A connector, and what it has opened and ended.
    private final class Attempts {
        let poller: Poller
        let clock = EventRecord()
        private(set) var pairs: [SocketPair] = []
        private(set) var ended: [String] = []
        private(set) var won: [Int32] = []
        /// Errors of the next attempts; nil for one that begins.
        var failures: [Int32?] = []
        private(set) var connector: HostConnector<Int>?

        init() throws {
            poller = try Poller()
            let connector = HostConnector<Int>(poller, clock) { [unowned self] _ throws(SystemError) in
                try open()
            }
            connector.ended = { [unowned self] id, result in
                switch result {
                case .success(let descriptor):
                    won.append(descriptor)
                    ended.append("\(id) connected")
                case .failure(let error): ended.append("\(id) failed with \(error.errorNumber)")
                }
            }
            self.connector = connector
        }

        private func open() throws(SystemError) -> Int32 {
            if !failures.isEmpty, let failure = failures.removeFirst() {
                throw SystemError(errorNumber: failure)
            }
            do {
                let pair = try SocketPair()
                pairs.append(pair)
                return pair.near
            } catch {
                throw SystemError(errorNumber: EIO)
            }
        }

        func connect(_ id: Int, _ count: Int) {
            connector?.connect(id, (0..<count).map { .loopback4(port: UInt16($0)) })
        }

        func pass(_ milliseconds: Int64) {
            _ = clock.passing(.milliseconds(milliseconds))
            connector?.timePassed()
        }

        func isOpen(_ index: Int) -> Bool {
            pairs[index].isOpen
        }

        /// A program that another test starts has a closed descriptor for a moment too.
        func isClosed(_ index: Int) -> Bool { GatedSyncs.wait { !pairs[index].isOpen } }

        func end() { connector = nil }
    }

    @Test("The next address is tried after 250 ms; the first connection wins, and the others are closed")
    func race() throws {
        let attempts = try Attempts()
        let start = attempts.clock.now
        let connector = try #require(attempts.connector)
        #expect(connector.nextDeadline == nil)
        attempts.connect(1, 3)
        #expect(attempts.pairs.count == 1 && connector.nextDeadline == start + .milliseconds(250))
        attempts.pass(249)
        #expect(attempts.pairs.count == 1)
        attempts.pass(1)
        #expect(attempts.pairs.count == 2 && connector.nextDeadline == start + .milliseconds(500))
        attempts.pass(250)
        #expect(attempts.pairs.count == 3 && connector.nextDeadline == nil)
        #expect(attempts.poller.count == 3 && attempts.ended.isEmpty)
        let near = attempts.pairs.map(\.near)
        #expect(near.allSatisfy { connector.owns($0) })
        connector.ready(near[1])
        #expect(attempts.ended == ["1 connected"] && attempts.won == [near[1]])
        #expect(attempts.isOpen(1) && attempts.isClosed(0) && attempts.isClosed(2))
        #expect(attempts.poller.count == 1, "the connection is still watched")
        #expect(near.allSatisfy { !connector.owns($0) })
        // Nothing more comes of it.
        for descriptor in near { connector.ready(descriptor) }
        attempts.pass(1_000)
        connector.cancel(1)
        #expect(attempts.ended.count == 1 && attempts.isOpen(1))
        attempts.poller.forget(near[1])
        SocketCalls.close(near[1])
    }

    @Test("An address that fails at once is followed by the next; the last failure is the host's")
    func failures() throws {
        let attempts = try Attempts()
        let connector = try #require(attempts.connector)
        attempts.failures = [ENETUNREACH, nil, EHOSTUNREACH]
        attempts.connect(1, 2)
        #expect(attempts.pairs.count == 1 && attempts.ended.isEmpty)
        attempts.pass(1_000)
        #expect(connector.nextDeadline == nil)
        connector.cancel(1)
        #expect(attempts.isClosed(0))
        attempts.connect(2, 1)
        #expect(attempts.ended == ["2 failed with \(EHOSTUNREACH)"])
        attempts.failures = [ECONNREFUSED, ENETUNREACH, EACCES]
        attempts.connect(3, 3)
        #expect(attempts.ended.dropFirst() == ["3 failed with \(EACCES)"])
        #expect(attempts.poller.count == 0 && attempts.pairs.count == 1 && connector.nextDeadline == nil)
    }

    @Test("A refused connection is closed, and the next address is tried at once")
    func refused() throws {
        let poller = try Poller()
        let clock = EventRecord()
        let connector = HostConnector<Int>(poller, clock)
        var ended: [String] = []
        connector.ended = { id, result in
            switch result {
            case .success(let descriptor):
                poller.forget(descriptor)
                SocketCalls.close(descriptor)
                ended.append("\(id) connected")
            case .failure(let error): ended.append("\(id) failed with \(error.errorNumber)")
            }
        }
        let server = try ThreadedPort()
        let free = SocketAddress.loopback4(port: try RealApp.freePort())
        func run(until isMet: () -> Bool) throws -> Bool {
            try GatedSyncs.wait {
                for ready in try poller.wait(.milliseconds(1)) { connector.ready(ready.descriptor) }
                return isMet()
            }
        }
        connector.connect(1, [free, free])
        #expect(try run { ended == ["1 failed with \(ECONNREFUSED)"] })
        #expect(poller.count == 0)
        connector.connect(2, [free, .loopback4(port: server.port)])
        #expect(try run { ended.last == "2 connected" })
        #expect(poller.count == 0 && connector.nextDeadline == nil)
    }

    @Test("A host that is given up closes nothing that has got the number of a refused connection meanwhile")
    func reusedDescriptor() throws {
        let free = try RealApp.freePort()
        let poller = try Poller()
        let pair = try SocketPair()
        var refused: Int32 = -1
        var other: Int32 = -1
        let connector = HostConnector<Int>(poller, EventRecord()) { _ throws(SystemError) in
            if refused < 0 {
                refused = try SocketCalls.connect(to: .loopback4(port: free))
                return refused
            }
            // The number is free again, unless another test was faster.
            other = fcntl(pair.far, F_DUPFD_CLOEXEC, refused)
            return pair.near
        }
        defer { SocketCalls.close(other) }
        connector.connect(1, [.loopback4(port: 1), .loopback4(port: 2)])
        #expect(
            try GatedSyncs.wait {
                for ready in try poller.wait(.milliseconds(1)) where ready.descriptor == refused && other < 0
                {
                    connector.ready(refused)
                }
                return other >= 0
            })
        connector.cancel(1)
        #expect(DescriptorFacts.isOpen(other) && poller.count == 0)
    }

    @Test("Each host has a race of its own; one that is cancelled is closed and says nothing more")
    func several() throws {
        let attempts = try Attempts()
        let start = attempts.clock.now
        let connector = try #require(attempts.connector)
        attempts.connect(1, 2)
        attempts.pass(100)
        attempts.connect(2, 3)
        attempts.connect(3, 1)
        #expect(attempts.pairs.count == 3 && connector.nextDeadline == start + .milliseconds(250))
        attempts.pass(150)
        #expect(attempts.pairs.count == 4 && connector.nextDeadline == start + .milliseconds(350))
        connector.cancel(1)
        #expect(attempts.isClosed(0) && attempts.isClosed(3))
        #expect(attempts.poller.count == 2)
        #expect(!connector.owns(attempts.pairs[0].near) && !connector.owns(attempts.pairs[3].near))
        attempts.pass(100)
        #expect(attempts.pairs.count == 5)
        connector.cancel(9)
        connector.ready(attempts.pairs[2].near)
        #expect(attempts.ended == ["3 connected"] && attempts.poller.count == 3)
        connector.cancel(2)
        #expect(attempts.isClosed(1) && attempts.isClosed(4) && connector.nextDeadline == nil)
        #expect(attempts.poller.count == 1 && attempts.ended.count == 1)
        SocketCalls.close(attempts.pairs[2].near)
    }

    @Test("An attempt that can't be watched fails and is closed; a connector that ends closes all")
    func ends() throws {
        let attempts = try Attempts()
        attempts.connect(1, 2)
        attempts.pass(250)
        try DescriptorFacts.disable(attempts.poller)
        attempts.connect(2, 1)
        #expect(attempts.ended.count == 1 && attempts.ended.first?.hasPrefix("2 failed") == true)
        #expect(attempts.isClosed(2))
        #expect(attempts.connector?.owns(attempts.pairs[2].near) == false)
        #expect(attempts.isOpen(0) && attempts.isOpen(1))
        attempts.end()
        #expect(attempts.isClosed(0) && attempts.isClosed(1))
    }
}
