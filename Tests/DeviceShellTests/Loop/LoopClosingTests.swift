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

@Suite("How a loop closes its connections", .serialized)
struct LoopClosingTests {
    private let stepped: SteppedLoop
    private var loop: AppLoop { stepped.loop }

    init() throws { stepped = try SteppedLoop() }

    @Test("Before an answer it is closed, after one it lingers, within one it is reset (HT-T11)")
    func close() throws {
        let clients = try (1...3).map { try stepped.client($0) }
        let before = loop.poller.count
        loop.close(ConnectionID(1))
        #expect(clients[0].client.hearToEnd(atMost: 1).end == "closed")
        #expect(!loop.lingering.owns(clients[0].descriptor) && loop.poller.count == before - 1)

        loop.beginSending(ConnectionID(2), SteppedLoop.output("answer"))
        loop.close(ConnectionID(2))
        #expect(clients[1].client.hearToEnd(atMost: 99).bytes == Array("answer".utf8))
        #expect(loop.lingering.owns(clients[1].descriptor) && loop.poller.count == before - 1)
        #expect(loop.nextDeadline == stepped.record.now + .seconds(1))

        loop.beginSending(ConnectionID(3), SteppedLoop.huge)
        loop.close(ConnectionID(3))
        #expect(clients[2].client.hearToEnd(atMost: .max).end == "reset")
        #expect(!loop.lingering.owns(clients[2].descriptor) && loop.poller.count == before - 2)
        #expect(loop.peers.isEmpty && loop.descriptors.isEmpty)

        // It is closed after its second without an event.
        #expect(GatedSyncs.wait { SocketCalls.unacknowledged(clients[1].descriptor) == 0 })
        _ = stepped.record.passing(.seconds(1))
        try stepped.turn()
        #expect(!loop.lingering.owns(clients[1].descriptor) && loop.nextDeadline == nil)
        #expect(stepped.connections.allSatisfy { $0.event != .closed(nil) })
    }

    @Test("A lingering client without the key is reset after a second, one with it has more time (HT-T11)")
    func lingering() throws {
        let clients = try (1...2).map { id in
            try stepped.client(id, RawClient(port: stepped.port, receiveBuffer: 4_096))
        }
        loop.authenticated(ConnectionID(2))
        for (index, client) in clients.enumerated() {
            // As much as the client's side takes, which reads nothing, and a little more. What has arrived is
            // acknowledged after a moment.
            let id = ConnectionID(UInt32(index + 1))
            for _ in 0..<20 where SocketCalls.unacknowledged(client.descriptor) == 0 {
                let bytes = [UInt8](repeating: 1, count: 2_000)
                loop.beginSending(id, LocalServer.Output(head: bytes, body: .none))
                usleep(60_000)
            }
            #expect(SocketCalls.unacknowledged(client.descriptor) > 0)
            #expect(loop.peers[client.descriptor]?.isSending == false)
            loop.close(id)
            #expect(loop.lingering.owns(client.descriptor))
        }
        _ = stepped.record.passing(.seconds(1))
        try stepped.turn()
        #expect(!loop.lingering.owns(clients[0].descriptor))
        #expect(loop.lingering.owns(clients[1].descriptor))
        #expect(clients[0].client.hearToEnd(atMost: .max).end == "reset")
    }

    @Test("A lingering client may send 256 KiB more, and then it is closed")
    func readLimit() throws {
        let pair = try SocketPair()
        loop.lingering.add(pair.near, at: stepped.record.now)
        for part in 0..<64 {
            pair.say([UInt8](repeating: 1, count: part < 63 ? 4_096 : 4_095))
            #expect(try stepped.turns { DescriptorFacts.unread(pair.near) == 0 })
        }
        #expect(loop.lingering.owns(pair.near))
        pair.say("x")
        #expect(try stepped.turns { !loop.lingering.owns(pair.near) })
    }

    @Test("Of many lingering clients that send, a turn reads eight, because nothing waits for it")
    func drains() throws {
        let pairs = try (0..<10).map { _ in try SocketPair() }
        for pair in pairs {
            loop.lingering.add(pair.near, at: stepped.record.now)
            pair.say("x")
        }
        func unread() -> Int { pairs.count { DescriptorFacts.unread($0.near) > 0 } }
        #expect(GatedSyncs.wait { unread() == 10 })
        try stepped.turn()
        #expect(unread() == 2)
        try stepped.turn()
        #expect(unread() == 0)
    }

    @Test("At most 128 connections linger, fewer where the system allows few descriptors")
    func lingeringLimit() throws {
        let limit = min(128, FileDescriptorBudget.current().lingering)
        let (start, before) = (stepped.record.now, loop.poller.count)
        var pairs: [SocketPair] = []
        for second in 1...limit + 1 {
            pairs.append(try SocketPair())
            loop.lingering.add(pairs[second - 1].near, at: start + .seconds(Int64(second)))
            #expect(loop.poller.count == before + min(second, limit))
            #expect(loop.nextDeadline == start + .seconds(second > limit ? 3 : 2))
        }
    }

    @Test("All sockets are closed at once, and nothing of them is left")
    func closeAll() throws {
        let clients = try (1...3).map { try stepped.client($0) }
        loop.beginSending(ConnectionID(1), SteppedLoop.output("answer"))
        loop.close(ConnectionID(1))
        loop.beginSending(ConnectionID(2), SteppedLoop.huge)
        loop.closeAll()
        #expect(loop.poller.count == 1, "the inbox alone is watched")
        #expect(loop.peers.isEmpty && loop.descriptors.isEmpty && loop.nextDeadline == nil)
        #expect(!loop.lingering.owns(clients[0].descriptor))
        #expect(throws: RawClient.Failure.self) { try RawClient(port: stepped.port) }
        #expect(clients[2].client.hearToEnd(atMost: 1).end == "closed")
        // What the host still says of them has no effect.
        for id in 1...3 { loop.beginSending(ConnectionID(UInt32(id)), SteppedLoop.output("late")) }
        loop.closeAll()
        // New connections are served as the first ones were.
        loop.listen(stepped.port)
        try stepped.turn()
        let next = try stepped.client(4)
        loop.beginSending(ConnectionID(4), SteppedLoop.output("next"))
        #expect(next.client.hearToEnd(atMost: 4).bytes == Array("next".utf8))
    }

    @Test("A loop that ends closes its connections and its port, and lets threads go that wait for it")
    func deinitialized() throws {
        let port: UInt16
        let client: RawClient
        let isOver = DispatchSemaphore(value: 0)
        do {
            let record = EventRecord()
            let loop = try AppLoop.scripted(record) { _ in [] }
            port = try RealApp.freePort()
            loop.listen(port)
            client = try RawClient(port: port)
            client.say("c")
            #expect(
                try GatedSyncs.wait {
                    try loop.turn(waiting: .milliseconds(1))
                    return !loop.peers.isEmpty && loop.inbox.isEmpty
                })
            let inbox = loop.eventInbox
            Thread.detachNewThread {
                for part: UInt8 in 1...2 { inbox.enqueueBlocking(.part(part), bytes: 1 << 20) }
                isOver.signal()
            }
            #expect(isOver.wait(timeout: .now() + .milliseconds(50)) == .timedOut)
        }
        #expect(isOver.wait(timeout: .now() + 10) == .success)
        #expect(client.hearToEnd(atMost: 1).end == "closed")
        #expect(throws: RawClient.Failure.self) { try RawClient(port: port) }
    }
}
