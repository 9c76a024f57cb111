import AppHost
import Core
import Foundation
import LocalServer
import Synchronization
import Testing
import Updater

@testable import DeviceShell

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A loop that runs on a thread, and stays when that ends.
private final class RunningLoop: @unchecked Sendable {
    let loop: AppLoop
    private let isOver = DispatchSemaphore(value: 0)

    init(_ loop: AppLoop, _ launch: AppHost.Launch) {
        self.loop = loop
        let running = self
        Thread.detachNewThread { running.run(launch) }
    }

    private func run(_ launch: AppHost.Launch) {
        do { try loop.run(launch) } catch { Issue.record(error) }
        isOver.signal()
    }

    /// Whether it ends within ten seconds.
    func ends() -> Bool { isOver.wait(timeout: .now() + 10) == .success }

    /// Whether it still runs after a moment.
    func goesOn() -> Bool { isOver.wait(timeout: .now() + .milliseconds(200)) == .timedOut }
}

@Suite("A loop from its launch to its stop", .serialized)
struct LoopRunTests {
    private static func launch() throws -> AppHost.Launch { try RealApp(embeds: []).launchValue() }

    private func launched(_ record: EventRecord) -> AppHost.Launch? {
        record.all.lazy.compactMap { if case .launched(let launch) = $0 { launch } else { nil } }.first
    }

    /// What a loop launches its host with.
    private func run(_ set: (inout AppHost.Launch) -> Void) throws -> AppHost.Launch {
        let record = EventRecord()
        var launch = try LoopRunTests.launch()
        set(&launch)
        let running = RunningLoop(try AppLoop.scripted(record) { _ in [] }, launch)
        #expect(GatedSyncs.wait { !record.all.isEmpty })
        running.loop.eventInbox.stop()
        #expect(running.ends())
        return try #require(launched(record))
    }

    @Test("An app is launched with the device's wall clock, unless it brings one")
    func wallClock() throws {
        let before = Int64(time(nil))
        let clock = try #require(try run { _ in }.wallClock)
        // The two may be a tick of the kernel's timer apart.
        #expect((before...Int64(time(nil)) + 1).contains(clock.seconds) && clock.at == .zero)
        let other = WallClock(seconds: 7, at: .zero)
        #expect(try run { $0.wallClock = other }.wallClock == other)
    }

    @Test("An app gets as many connections as it wants and the system has descriptors for")
    func connections() throws {
        #expect(try run { $0.limits.connections = 5 }.limits.connections == 5)
        let before = FileDescriptorBudget.current().connections
        let most = try run { $0.limits.connections = 1 << 40 }.limits.connections
        // Another test may have raised the system's limit meanwhile.
        #expect(most == before || most == FileDescriptorBudget.current().connections)
    }

    @Test("The budget of descriptors follows the system's limit; its parts are exact")
    func budget() {
        func limit() -> Int { Int(sysconf(Int32(_SC_OPEN_MAX))) }
        let (before, budget) = (limit(), FileDescriptorBudget.current())
        // Another test may raise it.
        if before > 0, before == limit() { #expect(budget == FileDescriptorBudget(limit: before)) }
        for (limit, connections, lingering) in [
            (0, 4, 2), (47, 4, 2), (48, 4, 2), (54, 4, 2), (57, 6, 3), (58, 6, 3), (59, 7, 3),
            (256, 138, 69), (1_024, 650, 325),
        ] {
            let budget = FileDescriptorBudget(limit: limit)
            #expect(budget.connections == connections && budget.lingering == lingering, "\(limit)")
        }
    }

    @Test("After its end a loop has no socket, performs no sync that waits, and takes nothing")
    func ended() throws {
        let record = EventRecord()
        let (gate, folder, app) = (GatedSyncs(), try SyncFolder(["a", "b"]), try RealApp(embeds: []))
        let loop = try AppLoop(
            folder.disk,
            ScriptedHost(record: record) { event in
                guard case .launched(let launch) = event else { return [] }
                return [
                    .listen(port: launch.port ?? 0),
                    .sync(SyncTicket(1), .directory(DiskPath(.data, "a")), .background),
                    .sync(SyncTicket(2), .directory(DiskPath(.data, "b")), .background),
                ]
            }, clock: record, performSync: { gate.perform($0) })
        let running = RunningLoop(loop, try app.launchValue())
        #expect(GatedSyncs.wait { gate.begun == ["a"] && record.all.contains(.listener(.listening)) })
        let client = try RawClient(port: app.port)
        client.say("c")
        #expect(GatedSyncs.wait { record.all.contains { $0 == .connection(ConnectionID(1), .opened) } })
        running.loop.eventInbox.stop()
        #expect(running.ends())
        #expect(client.hearToEnd(atMost: 1).end == "closed")
        #expect(throws: RawClient.Failure.self) { try RawClient(port: app.port) }
        #expect(loop.peers.isEmpty && loop.poller.count == 1)
        // The second of these would wait for space.
        for part: UInt8 in 1...2 { loop.eventInbox.enqueueBlocking(.part(part), bytes: 1 << 20) }
        let before = record.all.count
        gate.permit(2)
        usleep(100_000)
        #expect(gate.begun == ["a"] && record.all.count == before && record.synced.isEmpty)
    }

    @Test("A stop handles what has come, accepts no more, and ends at once where no answer is under way")
    func stop() throws {
        let record = EventRecord()
        let loop = try AppLoop.scripted(record) { _ in [] }
        let port = try RealApp.freePort()
        loop.listen(port)
        for event in [AppHost.Event.push, .check] { loop.eventInbox.enqueue(event) }
        loop.eventInbox.stop()
        loop.eventInbox.enqueue(.foreground)
        try loop.turn(waiting: .zero)
        #expect(loop.nextDeadline == record.now + .seconds(2))
        #expect(throws: RawClient.Failure.self) { try RawClient(port: port) }
        _ = record.passing(.seconds(1))
        loop.eventInbox.stop()
        try loop.turn(waiting: .zero)
        #expect(loop.nextDeadline == record.now + .seconds(1), "a second stop changes nothing")
        loop.take(.active)
        let running = RunningLoop(loop, try LoopRunTests.launch())
        #expect(running.ends())
        #expect(
            record.all.filter { $0 != .listener(.listening) }.prefix(4) == [
                .push, .check, .foreground, .active,
            ])
        #expect(launched(record) != nil, "what waits is handled before the end")
    }

    @Test("An answer under way holds the end up for two seconds, and no longer")
    func answerUnderWay() throws {
        let record = EventRecord()
        let app = try RealApp(embeds: [])
        let loop = try AppLoop.scripted(record) { event in
            switch event {
            case .launched(let launch): [.listen(port: launch.port ?? 0)]
            case .connection(let id, .received): [.send(id, SteppedLoop.huge)]
            default: []
            }
        }
        let running = RunningLoop(loop, try app.launchValue())
        #expect(GatedSyncs.wait { record.all.contains(.listener(.listening)) })
        let client = try RawClient(port: app.port)
        client.say("c")
        #expect(GatedSyncs.wait { record.all.contains(.connection(ConnectionID(1), .progressed)) })
        loop.eventInbox.stop()
        #expect(running.goesOn())
        _ = record.passing(.milliseconds(1_999))
        loop.eventInbox.enqueue(.push)
        #expect(running.goesOn())
        _ = record.passing(.milliseconds(1))
        loop.eventInbox.enqueue(.push)
        #expect(running.ends())
        let (bytes, end) = client.hearToEnd(atMost: .max)
        #expect(bytes.count < 40_000_000 && end != "more")
    }

    @Test("While a timer decides about a start the loop looks once a second whether it was stopped (R3)")
    func startTimer() throws {
        let record = EventRecord()
        let loop = try AppLoop(
            SyncFolder().disk,
            ScriptedHost(record: record) { event in
                if case .launched = event {
                    [.setTimer(.updater(.startup), after: .seconds(600))]
                } else {
                    []
                }
            }, clock: MonotonicClock())
        let running = RunningLoop(loop, try LoopRunTests.launch())
        #expect(GatedSyncs.wait { !record.all.isEmpty })
        let (begin, before) = (MonotonicClock().now, loop.turns)
        while loop.turns < before + 3, MonotonicClock().now - begin < .seconds(30) { usleep(10_000) }
        #expect(loop.turns >= before + 3)
        // One turn may have been about to end.
        #expect(MonotonicClock().now - begin > .milliseconds(1_500))
        loop.eventInbox.stop()
        #expect(running.ends())
    }

    @Test("The numbers that a device was measured with: who changes one measures again")
    func numbers() {
        #expect(AppLoop.maxLingering == 128)
        #expect(AppLoop.maxAcceptsPerTurn == 16)
        #expect(AppLoop.maxDrainsPerTurn == 8)
        #expect(AppLoop.maxWaitingParts == 16)
        #expect(AppLoop.unauthenticatedPortion == 8_192)
        #expect(AppLoop.unauthenticatedSendBuffer == 16_384)
        #expect(AppLoop.sendBuffer == 262_144)
        #expect(Poller.maxEvents == 512)
        #expect(Inbox.maxBytes == 1_048_576)
        #expect(SyncWorker.maxWaiting == 16)
        #expect(OriginClient.idleTime == .seconds(30))
        #expect(FreezeDetector.tolerance == .seconds(1) && FreezeDetector.longestStep == .seconds(1))
    }
}
