import AppHost
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

@Suite("The connections of a loop", .serialized)
struct LoopConnectionTests {
    private let stepped: SteppedLoop
    private var loop: AppLoop { stepped.loop }

    init() throws { stepped = try SteppedLoop() }

    // MARK: - Listening

    @Test("A loop that listens at another port leaves the one before")
    func otherPort() throws {
        let other = try RealApp.freePort()
        loop.listen(other)
        try stepped.turn()
        #expect(stepped.record.all == [.listener(.listening), .listener(.listening)])
        #expect(throws: RawClient.Failure.self) { try RawClient(port: stepped.port) }
        withExtendedLifetime(try RawClient(port: other)) {}
        loop.stopListening()
        #expect(throws: RawClient.Failure.self) { try RawClient(port: other) }
    }

    @Test("A port that is taken at one address is opened at neither (S4)")
    func takenPort() throws {
        for address in SocketCalls.Loopback.allCases {
            guard let other = try? SocketCalls.listen(at: address, port: 0) else { continue }
            defer { SocketCalls.close(other) }
            let port = try SocketCalls.port(of: other)
            loop.listen(port)
            try stepped.turn()
            #expect(stepped.record.all.last == .listener(.portTaken))
            #expect(loop.poller.count == 1, "only the inbox is watched")
            if address == .version6 {
                #expect(throws: RawClient.Failure.self) { try RawClient(port: port) }
            }
        }
    }

    // MARK: - Accepting

    #if os(Linux)
        @Test(
            "Of the connections that wait a turn accepts some: sixteen, and fewer where few are allowed",
            arguments: [(4_096, 16), (128, 16), (127, 15), (24, 3), (16, 2), (8, 1), (1, 1)])
        func someAtATurn(limit: Int, count: Int) throws {
            var launch = try RealApp(embeds: []).launchValue()
            launch.limits.connections = limit
            loop.begin(launch)
            #expect(loop.acceptsPerTurn == count)
            let listener = try #require(
                (0..<Int32(20_000)).first {
                    loop.listening.owns($0)
                        && DescriptorFacts.option($0, SOL_SOCKET, SO_DOMAIN) == AF_INET
                })
            let clients = try (0...count).map { _ in try RawClient(port: stepped.port) }
            for client in clients { client.say("c") }
            #expect(GatedSyncs.wait { DescriptorFacts.tcp(listener, .waiting) == clients.count })
            try stepped.turn()
            #expect(loop.peers.count == count)
            try stepped.turn()
            #expect(loop.peers.count == count + 1)
        }
    #endif

    @Test("What can't be accepted pauses accepting")
    func failedAccept() throws {
        // It is readable, and no listening socket.
        let pair = try SocketPair()
        try loop.listening.add(pair.near)
        pair.say("x")
        #expect(
            try stepped.turns {
                loop.listening.acceptsAgain == stepped.record.now + .milliseconds(100)
            })
        loop.stopListening()
        #expect(loop.listening.acceptsAgain == nil && loop.poller.count == 1)
        #expect(!loop.listening.owns(pair.near))
    }

    @Test("Connections have ids in order, from 1")
    func ids() throws {
        let clients = try (1...3).map { try stepped.client($0) }
        #expect(stepped.connections.map { $0.id } == [1, 1, 2, 2, 3, 3].map { ConnectionID($0) })
        withExtendedLifetime(clients) {}
    }

    // MARK: - Receiving

    @Test("Of a client without the key little is read at once, of the page as much as fits the buffer")
    func portions() throws {
        let (client, descriptor) = try stepped.client(1)
        client.say([UInt8](repeating: 1, count: 20_000))
        #expect(GatedSyncs.wait { DescriptorFacts.unread(descriptor) == 20_000 })
        try stepped.turn(4)
        #expect(stepped.received(1).dropFirst().map(\.count) == [8_192, 8_192, 3_616])
        loop.authenticated(ConnectionID(1))
        DescriptorFacts.setReceiveBuffer(descriptor, bytes: 200_000)
        client.say([UInt8](repeating: 1, count: 70_000))
        guard GatedSyncs.wait({ DescriptorFacts.unread(descriptor) == 70_000 }) else { return }
        try stepped.turn(3)
        #expect(stepped.received(1).dropFirst(4).map(\.count) == [65_536, 4_464])
    }

    @Test("A client that ends its side is reported once, and stays connected until it ends the other one")
    func halfClosed() throws {
        let (client, descriptor) = try stepped.client(1)
        client.endSaying()
        #expect(try stepped.turns { stepped.events(1).last == .finished })
        try stepped.turn(5)
        #expect(stepped.events(1).count == 3)
        loop.beginSending(ConnectionID(1), SteppedLoop.output("late"))
        #expect(try stepped.turns { stepped.events(1).last == .sent })
        #expect(client.hearToEnd(atMost: 4).bytes == Array("late".utf8))
        // The system reports it again when the other side is closed too.
        loop.receive(descriptor)
        try stepped.turn()
        #expect(stepped.events(1).last == .closed(nil))
        #expect(loop.peers.isEmpty && loop.descriptors.isEmpty)
        #expect(client.hearToEnd(atMost: 9).end == "closed")
    }

    @Test("A client that breaks off is closed, also while nothing is to be read of it")
    func broken() throws {
        for (index, interest) in [LocalServer.ReadInterest.betweenAnswers, .always, .never].enumerated() {
            let id = UInt32(index + 1)
            var client: RawClient? = try stepped.client(id).client
            loop.setReadInterest(ConnectionID(id), interest)
            client?.reset()
            client = nil
            #expect(try stepped.turns { stepped.events(id).last == .closed(nil) }, "\(interest)")
            #expect(loop.peers.isEmpty && loop.descriptors.isEmpty)
        }
    }

    @Test("The host decides when a connection is read")
    func readInterest() throws {
        let (client, descriptor) = try stepped.client(1)
        let id = ConnectionID(1)
        /// Whether the client's next byte is read while an answer is under way, or while none is.
        func isRead(_ interest: LocalServer.ReadInterest) throws -> Bool {
            let before = stepped.received(1).count
            loop.setReadInterest(id, interest)
            client.say("x")
            #expect(GatedSyncs.wait { DescriptorFacts.unread(descriptor) > 0 })
            try stepped.turn(5)
            let isRead = stepped.received(1).count > before
            loop.setReadInterest(id, .always)
            #expect(try stepped.turns { stepped.received(1).count > before })
            return isRead
        }
        #expect(try isRead(.betweenAnswers))
        #expect(try isRead(.always))
        #expect(try !isRead(.never))
        loop.beginSending(id, SteppedLoop.huge)
        #expect(try !isRead(.betweenAnswers))
        #expect(try isRead(.always))
        #expect(try !isRead(.never))
    }

    // MARK: - Sending

    @Test("A file that ends early closes the connection with the reason; the page is notified")
    func shortFile() throws {
        let (client, _) = try stepped.client(1)
        let path = DiskPath(.data, "short")
        let file = try loop.disk.open(path, .create)
        #expect(try loop.disk.write(file, [1, 2, 3], at: 0) == 3)
        loop.beginSending(
            ConnectionID(1),
            LocalServer.Output(head: [9], body: .file(file, offset: 0, count: 100_000)))
        try stepped.turn()
        #expect(stepped.events(1).last == .closed(DiskError(.inputOutput, .read)))
        #expect(client.hearToEnd(atMost: .max).bytes == [9, 1, 2, 3])
        #expect(loop.peers.isEmpty && loop.descriptors.isEmpty)
    }

    @Test("A peer that breaks off in the middle of its answer is closed without a reason")
    func brokenAnswer() throws {
        var client: RawClient? = try stepped.client(1).client
        loop.beginSending(ConnectionID(1), SteppedLoop.huge)
        try stepped.turn()
        #expect(stepped.events(1).last == .progressed)
        client?.reset()
        client = nil
        #expect(try stepped.turns { stepped.events(1).last == .closed(nil) })
        #expect(loop.peers.isEmpty)
    }

    @Test("What a connection that is gone still gets reaches no other, though it has the same descriptor")
    func reusedDescriptor() throws {
        let poller = loop.poller
        for isClosedByHost in [false, true] {
            let id = UInt32(isClosedByHost ? 3 : 1)
            let first = try stepped.client(id)
            // It has its own descriptor already, so that the loop's one gets the number that becomes free.
            let next = try RawClient(port: stepped.port)
            let before = poller.count
            if isClosedByHost {
                loop.close(ConnectionID(id))
            } else {
                first.client.endSaying()
                #expect(try stepped.turns { stepped.events(id).last == .finished })
                loop.receive(first.descriptor)
                try stepped.turn()
            }
            #expect(poller.count == before - 1)
            #expect(loop.descriptors.isEmpty)
            let second = try stepped.client(id + 1, next)
            for late in [SteppedLoop.output("late"), SteppedLoop.output("later")] {
                loop.beginSending(ConnectionID(id), late)
            }
            loop.authenticated(ConnectionID(id))
            loop.setReadInterest(ConnectionID(id), .never)
            loop.close(ConnectionID(id))
            #expect(loop.peers[second.descriptor]?.isAdmitted == false)
            second.client.say("more")
            #expect(try stepped.turns { stepped.received(id + 1).last == Array("more".utf8) })
            loop.beginSending(ConnectionID(id + 1), SteppedLoop.output("mine"))
            #expect(second.client.hearToEnd(atMost: 4).bytes == Array("mine".utf8))
            loop.close(ConnectionID(id + 1))
            loop.lingering.closeAll()
        }
    }

    @Test("A connection that can't be watched is closed, and the host is notified")
    func unwatched() throws {
        let (client, descriptor) = try stepped.client(1)
        try DescriptorFacts.disable(loop.poller)
        loop.setReadInterest(ConnectionID(1), .never)
        #expect(loop.inbox.count == 1)
        var waiting = loop.inbox
        #expect(waiting.next() == .connection(ConnectionID(1), .closed(nil)))
        #expect(loop.peers[descriptor] == nil && loop.descriptors.isEmpty)
        #expect(client.hearToEnd(atMost: 1).end == "closed")
    }
}
