import AppHost
import Core
import Foundation
import LocalServer
import Synchronization
import Testing
import Updater

@testable import DeviceShell

@Suite("What only the update waits for gives way to all else (S9)", .serialized)
struct LoopLaneTests {
    @Test("A turn handles all urgent events and what they cause, then one of the background lane")
    func oneInATurn() throws {
        let record = EventRecord()
        let loop = try AppLoop.scripted(record) { $0 == .push ? [.again(.urgent), .again(.background)] : [] }
        for part: UInt8 in 1...2 { loop.take(.part(part)) }
        loop.take(.push)
        loop.take(.check)
        try loop.turn(waiting: .zero)
        #expect(record.all == [.push, .check, .again(.urgent), .part(1)])
        try loop.turn(waiting: .zero)
        try loop.turn(waiting: .zero)
        #expect(record.all.dropFirst(4) == [.part(2), .again(.background)])
        #expect(loop.inbox.isEmpty)
    }

    @Test("A request that has arrived goes before the next background event")
    func request() throws {
        let record = EventRecord()
        let app = try RealApp(embeds: [])
        let loop = try AppLoop.scripted(record) { event in
            if case .launched(let launch) = event { [.listen(port: launch.port ?? 0)] } else { [] }
        }
        loop.begin(try app.launchValue())
        for _ in 0..<3 { try loop.turn(waiting: .zero) }
        let client = try RawClient(port: app.port)
        client.say("first")
        for _ in 0..<20 { try loop.turn(waiting: .milliseconds(1)) }
        let before = record.all.count
        for part: UInt8 in 1...3 { loop.take(.part(part)) }
        client.say("second")
        usleep(20_000)
        for _ in 0..<3 { try loop.turn(waiting: .zero) }
        let id = ConnectionID(1)
        #expect(
            record.all.dropFirst(before) == [
                .part(1), .connection(id, .received(Array("second".utf8))), .part(2), .part(3),
            ])
        loop.closeAll()
    }

    @Test("Under urgent events without end the update still proceeds")
    func endless() throws {
        let record = EventRecord()
        let loop = try AppLoop.scripted(record) {
            $0 == .check || $0 == .again(.urgent) ? [.again(.urgent)] : []
        }
        for part: UInt8 in 1...3 { loop.take(.part(part)) }
        loop.take(.check)
        for _ in 0..<20 { try loop.turn(waiting: .zero) }
        let parts = record.all.indices.filter { record.all[$0] == .part(1) || record.all[$0] == .part(3) }
        #expect(parts.count == 2)
        #expect(try #require(parts.first) >= LaneQueue<AppHost.Event>.mostUrgentInARow)
    }

    /// A host that is busy with urgent work until a test ends that, while it downloads.
    private final class BusyHost: Sendable {
        let record = EventRecord()
        private let isFree = Atomic(false)

        func handle(_ event: AppHost.Event, _ begin: [AppHost.Effect] = []) -> [AppHost.Effect] {
            switch event {
            case .check: begin + [.again(.urgent)]
            case .again(.urgent): isFree.load(ordering: .relaxed) ? [] : [.again(.urgent)]
            default: []
            }
        }

        func end() { isFree.store(true, ordering: .relaxed) }

        var bytes: Int {
            record.all.reduce(0) { count, event in
                if case .transfer(_, .bytes(let bytes)) = event { count + bytes.count } else { count }
            }
        }
    }

    @Test("The origin is not read while parts wait, however long the host is busy, and read again afterwards")
    func unreadOrigin() throws {
        let body = [UInt8](repeating: 65, count: 8 << 20)
        let origin = try ScriptedOrigin { _ in .ok(body) }
        let host = BusyHost()
        let fetch = AppHost.Effect.fetch(
            TransferID(1), OriginRequest(kind: .manifest, url: origin.url("/large")))
        let loop = try AppLoop.scripted(host.record) { host.handle($0, [fetch]) }
        loop.take(.check)
        var most = 0
        let isFull = try GatedSyncs.wait {
            try loop.turn(waiting: .zero)
            most = max(most, loop.inbox.count(of: .background))
            return most == AppLoop.maxWaitingParts
        }
        #expect(isFull)
        for _ in 0..<300 {
            try loop.turn(waiting: .zero)
            most = max(most, loop.inbox.count(of: .background))
        }
        #expect(most == AppLoop.maxWaitingParts, "\(most) parts waited")
        #expect(host.bytes < body.count)
        host.end()
        #expect(
            try GatedSyncs.wait {
                try loop.turn(waiting: .milliseconds(1))
                return host.record.all.last == .transfer(TransferID(1), .end)
            })
        #expect(host.bytes == body.count)
    }

    @Test("Nor are parts taken that another thread delivers, which waits; urgent events pass them")
    func waitingThread() throws {
        let host = BusyHost()
        let loop = try AppLoop.scripted(host.record) { host.handle($0) }
        let inbox = loop.eventInbox
        let part = [UInt8](repeating: 65, count: 64 << 10)
        let sent = Mutex(0)
        loop.take(.check)
        Thread.detachNewThread {
            for index in 1...100 {
                inbox.enqueueBlocking(.transfer(TransferID(UInt32(index)), .bytes(part)), bytes: part.count)
                sent.withLock { $0 = index }
            }
        }
        var most = 0
        for _ in 0..<120 {
            try loop.turn(waiting: .zero)
            most = max(most, loop.inbox.count(of: .background))
            usleep(500)
        }
        // What waits in the loop is at most one full inbox above the limit.
        #expect(most >= AppLoop.maxWaitingParts && most < AppLoop.maxWaitingParts + 16, "\(most) parts")
        #expect(sent.withLock { $0 } < 100)
        inbox.enqueue(.push)
        for _ in 0..<2 { try loop.turn(waiting: .zero) }
        #expect(host.record.all.contains(.push))
        host.end()
        #expect(
            try GatedSyncs.wait {
                try loop.turn(waiting: .milliseconds(1))
                return host.bytes == 100 * part.count
            })
        let order = host.record.all.compactMap { event -> UInt32? in
            if case .transfer(let id, _) = event { id.rawValue } else { nil }
        }
        #expect(order == Array(1...100))
    }
}
