import AppHost
import Core
import Foundation
import LocalServer
import Testing
import Updater

@testable import DeviceShell

@Suite("One turn of a loop", .serialized)
struct LoopTurnTests {
    private static let retry = AppHost.TimerName.updater(.retry)

    @Test("A turn returns how much it has handled: events, timers and descriptors")
    func count() throws {
        let record = EventRecord()
        let loop = try AppLoop.scripted(record) { event in
            event == .foreground
                ? [
                    .setTimer(.wrapper(1), after: .seconds(1)), .setTimer(.wrapper(2), after: .seconds(1)),
                    .setTimer(LoopTurnTests.retry, after: .seconds(1)),
                ] : []
        }
        #expect(loop.turns == 0)
        #expect(try loop.turn(waiting: .zero) == 0)
        loop.take(.push)
        loop.take(.foreground)
        #expect(try loop.turn(waiting: .zero) == 2)
        loop.take(.part(1))
        loop.take(.part(2))
        #expect(try loop.turn(waiting: .zero) == 1)
        loop.take(.push)
        #expect(try loop.turn(waiting: .zero) == 2)
        // One descriptor, and its event in the next turn.
        loop.eventInbox.enqueue(.check)
        #expect(try loop.turn(waiting: .zero) == 1)
        #expect(try loop.turn(waiting: .zero) == 1)
        _ = record.passing(.seconds(1))
        #expect(try loop.turn(waiting: .zero) == 2)
        #expect(record.all.suffix(2) == [.timer(.wrapper(1)), .timer(.wrapper(2))])
        #expect(loop.inbox.count == 1, "the timer of the update waits")
        #expect(try loop.turn(waiting: .zero) == 1)
        #expect(record.all.last == .timer(LoopTurnTests.retry))
        #expect(try loop.turn(waiting: .zero) == 0)
        #expect(loop.turns == 9)
    }

    @Test("An event that arrives while timers are due is counted once with its descriptor")
    func countWithTimer() throws {
        let record = EventRecord()
        let loop = try AppLoop.scripted(record) { event in
            event == .check ? [.setTimer(.wrapper(1), after: .seconds(1))] : []
        }
        loop.take(.check)
        try loop.turn(waiting: .zero)
        _ = record.passing(.seconds(1))
        loop.eventInbox.enqueue(.push)
        // The descriptor in the first poll, the event before the timer, the timer.
        #expect(try loop.turn(waiting: .zero) == 3)
        #expect(record.all == [.check, .push, .timer(.wrapper(1))])
    }

    @Test("Events that cause others are handled in eight rounds, and then the sockets are looked at")
    func rounds() throws {
        let record = EventRecord()
        let loop = try AppLoop.scripted(record) { _ in [.again(.urgent)] }
        loop.take(.check)
        #expect(try loop.turn(waiting: .zero) == 8)
        #expect(record.all.count == 8)
    }

    @Test("Timers that are due together fire by their time, then by their name")
    func order() throws {
        let record = EventRecord()
        let loop = try AppLoop.scripted(record) { event in
            guard event == .check else { return [] }
            let times: [(UInt64, Int64)] = [(5, 2), (1, 3), (4, 2), (2, 1), (3, 2)]
            return times.map { .setTimer(.wrapper($0.0), after: .seconds($0.1)) }
        }
        loop.take(.check)
        try loop.turn(waiting: .zero)
        #expect(loop.nextDeadline == record.now + .seconds(1))
        _ = record.passing(.seconds(1))
        try loop.turn(waiting: .zero)
        #expect(record.fired == [.wrapper(2)] && loop.nextDeadline == record.now + .seconds(1))
        _ = record.passing(.seconds(2))
        try loop.turn(waiting: .zero)
        #expect(Array(record.fired.dropFirst()) == [3, 4, 5, 1].map { .wrapper($0) })
        #expect(loop.nextDeadline == nil)
    }

    @Test("A loop is busy with an event, with a sync, and with a connection that it opens")
    func busy() throws {
        let record = EventRecord()
        let (gate, folder) = (GatedSyncs(), try SyncFolder())
        let loop = try AppLoop(
            folder.disk, ScriptedHost(record: record) { _ in [] }, clock: record,
            performSync: { gate.perform($0) })
        #expect(!loop.isBusy && !loop.isSyncing)
        loop.take(.push)
        #expect(loop.isBusy)
        try loop.turn(waiting: .zero)
        loop.take(.part(1))
        #expect(loop.isBusy)
        try loop.turn(waiting: .zero)
        #expect(!loop.isBusy)
        loop.perform(.sync(SyncTicket(1), .directory(DiskPath(.data, "")), .urgent))
        #expect(loop.isBusy && loop.isSyncing && loop.inbox.isEmpty)
        gate.permit()
        #expect(
            try GatedSyncs.wait {
                try loop.turn(waiting: .milliseconds(1))
                return !loop.isBusy
            })
        loop.origin.resolve = { _, _ in }
        loop.perform(.fetch(TransferID(1), OriginRequest(kind: .manifest, url: "http://one.example/")))
        #expect(loop.isBusy && !loop.isSyncing)
        loop.perform(.cancelFetch(TransferID(1)))
        #expect(!loop.isBusy)
    }

    // MARK: - Time in which the loop did not run

    /// A loop that opens a connection to an address that swallows packets, for at most five seconds.
    private func connecting(
        _ record: EventRecord, _ hole: BlackHole,
        _ script: @escaping @Sendable (AppHost.Event) -> [AppHost.Effect]
    ) throws -> AppLoop {
        let loop = try AppLoop.scripted(record, script)
        loop.origin.connectTime = .seconds(5)
        loop.origin.resolve = { [unowned loop] id, _ in loop.origin.resolved(id, [hole.address]) }
        loop.perform(.fetch(TransferID(1), OriginRequest(kind: .manifest, url: "http://one.example/")))
        #expect(loop.nextDeadline == record.now + .seconds(5))
        return loop
    }

    private static let timedOut = AppHost.Event.transfer(TransferID(1), .failed(.connectTimeout))

    @Test("Time between two turns is the caller's, and no hole")
    func betweenTurns() throws {
        let (record, hole) = (EventRecord(), try BlackHole())
        let loop = try connecting(record, hole) { _ in [] }
        loop.take(.check)
        try loop.turn(waiting: .zero)
        _ = record.passing(.seconds(5))
        loop.take(.push)
        try loop.turn(waiting: .zero)
        try loop.turn(waiting: .zero)
        #expect(record.all == [.check, .push, LoopTurnTests.timedOut])
    }

    @Test("A step that blocks gives a connection that opens its time back (U5)")
    func blockedStep() throws {
        let (record, hole) = (EventRecord(), try BlackHole())
        let loop = try connecting(record, hole) { $0 == .push ? record.passing(.seconds(34)) : [] }
        loop.take(.push)
        loop.take(.foreground)
        for _ in 0..<3 { try loop.turn(waiting: .zero) }
        #expect(record.all == [.push, .frozen(.seconds(34)), .foreground])
        #expect(loop.nextDeadline == record.now + .seconds(5))
        // The last event's own hole is found by the poll after it.
        loop.take(.push)
        for _ in 0..<3 { try loop.turn(waiting: .zero) }
        #expect(record.all.dropFirst(3) == [.push, .frozen(.seconds(34))])
        #expect(loop.nextDeadline == record.now + .seconds(5))
        _ = record.passing(.seconds(5))
        for _ in 0..<2 { try loop.turn(waiting: .zero) }
        #expect(record.all.last == LoopTurnTests.timedOut)
    }

    /// Lets a minute pass after a step of the loop, and then wakes it up with a push.
    private func passMinute(_ record: EventRecord, _ inbox: Inbox, after step: DispatchSemaphore) {
        Thread.detachNewThread {
            step.wait()
            usleep(20_000)
            _ = record.passing(.seconds(60))
            inbox.enqueue(.push)
        }
    }

    @Test("A wait that takes longer than it should is a hole, before what came in it")
    func longWait() throws {
        let (record, hole, step) = (EventRecord(), try BlackHole(), DispatchSemaphore(value: 0))
        let loop = try connecting(record, hole) { event in
            if event == .check { step.signal() }
            return []
        }
        passMinute(record, loop.eventInbox, after: step)
        loop.take(.check)
        try loop.turn(waiting: .seconds(30))
        try loop.turn(waiting: .zero)
        #expect(record.all == [.check, .frozen(.seconds(60)), .push])
        #expect(loop.nextDeadline == record.now + .seconds(5))
    }

    @Test("A wait without an end is no hole, however long it takes")
    func endlessWait() throws {
        let (record, step) = (EventRecord(), DispatchSemaphore(value: 0))
        let loop = try AppLoop.scripted(record) { event in
            if event == .check { step.signal() }
            return event == .check ? [.setTimer(.wrapper(1), after: .seconds(5))] : []
        }
        passMinute(record, loop.eventInbox, after: step)
        loop.take(.check)
        try loop.turn(waiting: nil)
        for _ in 0..<2 { try loop.turn(waiting: .zero) }
        #expect(record.all == [.check, .push, .timer(.wrapper(1))])
    }

    @Test("A hole in the step of one timer may set the next one again")
    func holeBetweenTimers() throws {
        let record = EventRecord()
        let loop = try AppLoop.scripted(record) { event in
            switch event {
            case .check: (1...2).map { .setTimer(.wrapper($0), after: .seconds(1)) }
            case .timer(.wrapper(1)): record.passing(.seconds(34))
            case .frozen: [.setTimer(.wrapper(2), after: .seconds(9))]
            default: []
            }
        }
        loop.take(.check)
        try loop.turn(waiting: .zero)
        _ = record.passing(.seconds(1))
        for _ in 0..<3 { try loop.turn(waiting: .zero) }
        #expect(record.all == [.check, .timer(.wrapper(1)), .frozen(.seconds(34))])
        #expect(loop.nextDeadline == record.now + .seconds(9))
    }

    @Test("A process that is stopped at any moment of a running loop fails no start by its clock (R3)")
    func stoppedAnywhere() throws {
        let startup = AppHost.TimerName.updater(.startup)
        let script: @Sendable (AppHost.Event) -> [AppHost.Effect] = { event in
            switch event {
            case .check, .frozen: [.setTimer(startup, after: .seconds(5))]
            default: []
            }
        }
        /// - Returns: what the host got when the process was stopped at a reading of the clock, and the readings.
        func events(stoppedAt reading: Int) throws -> (events: [AppHost.Event], readings: Int) {
            let record = EventRecord()
            let loop = try AppLoop.scripted(record, script)
            loop.take(.check)
            record.jump(.seconds(7), at: reading)
            for _ in 0..<2 {
                loop.take(.push)
                try loop.nextTurn(waiting: .zero)
            }
            let readings = record.readings
            for _ in 0..<2 { try loop.nextTurn(waiting: .zero) }
            return (record.all, readings)
        }
        let readings = try events(stoppedAt: .max).readings
        #expect(readings > 10)
        for reading in 1...readings {
            let events = try events(stoppedAt: reading).events.filter { $0 != .push }
            #expect(
                events == [.check, .frozen(.seconds(7))] || events == [.frozen(.seconds(7)), .check],
                "at reading \(reading)")
        }
    }

    @Test("Attempts to connect to a remote root begin in the loop's own time")
    func upstreamAttempts() throws {
        let (record, hole, server) = (EventRecord(), try BlackHole(), try ThreadedPort())
        let loop = try AppLoop.scripted(record) { _ in [] }
        loop.upstream.resolve = { [unowned loop] id, _, _ in
            loop.upstream.resolved(id, [hole.address, .loopback4(port: server.port)])
        }
        loop.perform(.upstream(UpstreamID(1), .open(try RemoteRoot("http://two.example"))))
        #expect(loop.nextDeadline == record.now + .milliseconds(250))
        _ = record.passing(.milliseconds(250))
        #expect(
            try GatedSyncs.wait {
                try loop.turn(waiting: .milliseconds(1))
                return record.all == [.upstream(UpstreamID(1), .connected)]
            })
        #expect(loop.nextDeadline == nil)
    }
}
