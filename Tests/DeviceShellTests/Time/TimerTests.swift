import AppHost
import Core
import Foundation
import LocalServer
import Synchronization
import Testing
import Updater

@testable import DeviceShell

@Suite("The timers of a loop")
struct TimerTests {
    /// What the host got, and the time of the loop.
    private final class Record: DeviceClock {
        let time = Mutex(Instant.zero)
        let events = Mutex<[AppHost.Event]>([])

        var now: Instant { time.withLock { $0 } }
        /// Half a minute passes within a step.
        func blocked() -> [AppHost.Effect] {
            time.withLock { $0 = $0 + .seconds(34) }
            return []
        }

        var fired: [AppHost.TimerName] {
            events.withLock { $0 }.compactMap { if case .timer(let name) = $0 { name } else { nil } }
        }
    }

    /// Answers events as a test says, and records them.
    private struct ScriptedHost: HostedApp {
        let record: Record
        let script: @Sendable (AppHost.Event) -> [AppHost.Effect]

        mutating func handle(_ event: AppHost.Event, at now: Instant, disk: inout some Disk)
            -> [AppHost.Effect]
        {
            record.events.withLock { $0.append(event) }
            return script(event)
        }
    }

    private func loop(
        _ record: Record, _ script: @escaping @Sendable (AppHost.Event) -> [AppHost.Effect]
    ) throws -> AppLoop {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "otalab-timers-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return try AppLoop(
            PosixDisk(data: folder.path), ScriptedHost(record: record, script: script), clock: record)
    }

    /// Lets time pass at once, as it does for a process that does not run.
    private func pass(_ span: TimeSpan, _ record: Record, _ loop: AppLoop) throws {
        record.time.withLock { $0 = $0 + span }
        for _ in 0..<8 { try loop.turn(waiting: .zero) }
    }

    private static let all: [AppHost.Effect] = (1...3).map {
        .setTimer(.wrapper($0), after: .milliseconds(10))
    }

    @Test("Of timers that are due together, one that another cancels or sets again does not fire")
    func bunched() throws {
        let record = Record()
        let loop = try loop(record) { event in
            switch event {
            case .check: TimerTests.all
            case .timer(.wrapper(1)):
                [.cancelTimer(.wrapper(2)), .setTimer(.wrapper(3), after: .seconds(5))]
            default: []
            }
        }
        loop.take(.check)
        try loop.turn(waiting: .zero)
        try pass(.milliseconds(20), record, loop)
        #expect(record.fired == [.wrapper(1)])
        try pass(.seconds(4), record, loop)
        #expect(record.fired == [.wrapper(1)])
        try pass(.seconds(1), record, loop)
        #expect(record.fired == [.wrapper(1), .wrapper(3)])
    }

    @Test("What had arrived before a timer was handled decides about it, however long it has been due")
    func arrivedFirst() throws {
        let record = Record()
        let loop = try loop(record) { event in
            switch event {
            case .check: TimerTests.all
            case .push: [.cancelTimer(.wrapper(1)), .setTimer(.wrapper(2), after: .seconds(5))]
            default: []
            }
        }
        loop.take(.check)
        try loop.turn(waiting: .zero)
        loop.eventInbox.enqueue(.push)
        try pass(.minutes(1), record, loop)
        #expect(record.fired == [.wrapper(3)])
        try pass(.seconds(5), record, loop)
        #expect(record.fired == [.wrapper(3), .wrapper(2)])
    }

    @Test("Time in which the loop did not go on is reported before the event after it, and ends no wait")
    func hole() throws {
        let record = Record()
        let loop = try loop(record) { event in
            switch event {
            case .check: TimerTests.all
            // A step that blocks, such as a call to a disk.
            case .push: record.blocked()
            case .frozen: [.cancelTimer(.wrapper(1)), .setTimer(.wrapper(2), after: .seconds(5))]
            default: []
            }
        }
        loop.take(.check)
        loop.take(.push)
        loop.take(.foreground)
        for _ in 0..<4 { try loop.turn(waiting: .zero) }
        #expect(
            record.events.withLock { $0 } == [
                .check, .push, .frozen(.seconds(34)), .foreground, .timer(.wrapper(3)),
            ])
    }

    @Test("A timer that waits in the inbox of a busy loop does not fire after it was set again")
    func busy() throws {
        let record = Record()
        let loop = try loop(record) { event in
            switch event {
            case .check: TimerTests.all + [.again(.urgent)]
            case .again: [.again(.urgent)]
            case .push: (1...3).map { .setTimer(.wrapper($0), after: .seconds(5)) }
            default: []
            }
        }
        loop.take(.check)
        try loop.turn(waiting: .zero)
        record.time.withLock { $0 = $0 + .milliseconds(10) }
        loop.take(.push)
        for _ in 0..<20 { try loop.turn(waiting: .zero) }
        #expect(record.fired.isEmpty)
        try pass(.seconds(5), record, loop)
        #expect(record.fired == (1...3).map { .wrapper($0) }, "work that goes on holds no timer up")
    }
}

@Suite("Time in which a loop did not run")
struct FreezeDetectorTests {
    private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

    @Test("A hole is what is longer than the wait that was meant, by more than the tolerance")
    func holes() {
        var detector = FreezeDetector(at: at(0))
        #expect(detector.hole(at: at(900)) == nil)
        #expect(detector.hole(at: at(1_901)) == .milliseconds(1_001))
        #expect(detector.hole(at: at(2_000), afterWaiting: .seconds(5)) == nil, "woken early")
        #expect(detector.hole(at: at(7_900), afterWaiting: .seconds(5)) == nil, "a little late")
        #expect(detector.hole(at: at(70_000), afterWaiting: .seconds(5)) == .milliseconds(62_100))
        detector.restart(at: at(900_000))
        #expect(detector.hole(at: at(900_001)) == nil)
    }

    @Test("Timers that decide about a start are known by their names")
    func names() {
        var table = TimerTable()
        table.set(.updater(.retry), at: at(1))
        table.set(.server(.write(ConnectionID(1))), at: at(1))
        #expect(!table.hasStartTimer)
        for name in [.startup, .sendingAllowance, .aliveAfterLoad(PageLoadToken(1))] as [Updater.TimerName] {
            table.set(.updater(name), at: at(1))
            #expect(table.hasStartTimer)
            table.cancel(.updater(name))
            #expect(!table.hasStartTimer)
        }
    }
}

@Suite("The wait of a poller")
struct PollerTests {
    @Test("It ends at its time, and the time of one wait does not end the next")
    func waits() throws {
        let poller = try Poller()
        let wakeUp = try WakeUp()
        try poller.watch(wakeUp.readEnd, .reads)
        let clock = MonotonicClock()
        let begin = clock.now
        #expect(try poller.wait(.milliseconds(30)).isEmpty)
        #expect(clock.now - begin >= .milliseconds(30))
        wakeUp.signal()
        #expect(try poller.wait(.milliseconds(100)).map(\.descriptor) == [wakeUp.readEnd])
        wakeUp.drain()
        #expect(try poller.wait(.zero).isEmpty)
        Thread.detachNewThread {
            usleep(300_000)
            wakeUp.signal()
        }
        #expect(try poller.wait(nil).map(\.descriptor) == [wakeUp.readEnd])
        #expect(clock.now - begin >= .milliseconds(330))
    }
}
