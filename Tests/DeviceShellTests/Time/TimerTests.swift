import AppHost
import Core
import LocalServer
import Testing
import Updater

@testable import DeviceShell

@Suite("The timers of a loop")
struct TimerTests {
    /// Lets time pass at once, as it does for a process that does not run.
    private func pass(_ span: TimeSpan, _ record: EventRecord, _ loop: AppLoop) throws {
        _ = record.passing(span)
        for _ in 0..<8 { try loop.turn(waiting: .zero) }
    }

    private static let all: [AppHost.Effect] = (1...3).map {
        .setTimer(.wrapper($0), after: .milliseconds(10))
    }

    @Test("Of timers that are due together, one that another cancels or sets again does not fire")
    func bunched() throws {
        let record = EventRecord()
        let loop = try AppLoop.scripted(record) { event in
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
        let record = EventRecord()
        let loop = try AppLoop.scripted(record) { event in
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
        let record = EventRecord()
        let loop = try AppLoop.scripted(record) { event in
            switch event {
            case .check: TimerTests.all
            // A step that blocks, such as a call to a disk.
            case .push: record.passing(.seconds(34))
            case .frozen: [.cancelTimer(.wrapper(1)), .setTimer(.wrapper(2), after: .seconds(5))]
            default: []
            }
        }
        loop.take(.check)
        loop.take(.push)
        loop.take(.foreground)
        for _ in 0..<4 { try loop.turn(waiting: .zero) }
        #expect(
            record.all == [
                .check, .push, .frozen(.seconds(34)), .foreground, .timer(.wrapper(3)),
            ])
    }

    @Test("A timer that waits in the inbox of a busy loop does not fire after it was set again")
    func busy() throws {
        let record = EventRecord()
        let loop = try AppLoop.scripted(record) { event in
            switch event {
            case .check: TimerTests.all + [.again(.urgent)]
            case .again: [.again(.urgent)]
            case .push: (1...3).map { .setTimer(.wrapper($0), after: .seconds(5)) }
            default: []
            }
        }
        loop.take(.check)
        try loop.turn(waiting: .zero)
        _ = record.passing(.milliseconds(10))
        loop.take(.push)
        for _ in 0..<20 { try loop.turn(waiting: .zero) }
        #expect(record.fired.isEmpty)
        try pass(.seconds(5), record, loop)
        #expect(record.fired == (1...3).map { .wrapper($0) }, "work that goes on holds no timer up")
    }
}

/// Timers of the update share a lane with the parts of responses.
@Suite("The timers of the background lane")
struct BackgroundTimerTests {
    private static let retry = AppHost.TimerName.updater(.retry)

    /// A loop whose timer is due while three parts of a response wait.
    private func loop(
        _ record: EventRecord, _ script: @escaping @Sendable (AppHost.Event) -> [AppHost.Effect]
    ) throws -> AppLoop {
        let loop = try AppLoop.scripted(record) { event in
            event == .check
                ? [.setTimer(BackgroundTimerTests.retry, after: .milliseconds(10))] : script(event)
        }
        loop.take(.check)
        try loop.turn(waiting: .zero)
        _ = record.passing(.milliseconds(20))
        for part in 1...3 { loop.take(.part(UInt8(part))) }
        return loop
    }

    private func turns(_ count: Int, _ loop: AppLoop) throws {
        for _ in 0..<count { try loop.turn(waiting: .zero) }
    }

    @Test("One that is due fires after the parts that were there, and urgent ones before them")
    func order() throws {
        let record = EventRecord()
        let loop = try loop(record) { $0 == .push ? [.setTimer(.wrapper(1), after: .zero)] : [] }
        loop.take(.push)
        try turns(6, loop)
        #expect(
            record.all == [
                .check, .push, .part(1), .timer(.wrapper(1)), .part(2), .part(3),
                .timer(BackgroundTimerTests.retry),
            ])
    }

    @Test("One that is cancelled while it waits behind the parts never fires")
    func cancelled() throws {
        let record = EventRecord()
        let loop = try loop(record) { $0 == .part(3) ? [.cancelTimer(BackgroundTimerTests.retry)] : [] }
        try turns(2, loop)
        #expect(loop.inbox.count == 2, "the timer is not in the inbox")
        try turns(6, loop)
        #expect(record.all == [.check, .part(1), .part(2), .part(3)])
    }

    @Test("One that is set again while it waits behind the parts fires once, at its new time")
    func setAgain() throws {
        let record = EventRecord()
        let loop = try loop(record) {
            $0 == .part(3) ? [.setTimer(BackgroundTimerTests.retry, after: .seconds(5))] : []
        }
        try turns(8, loop)
        #expect(record.fired.isEmpty)
        #expect(loop.nextDeadline == record.now + .seconds(5))
        _ = record.passing(.seconds(5))
        try turns(4, loop)
        #expect(record.fired == [BackgroundTimerTests.retry])
    }

    /// A loop that does not run for 34 s after a push, and sets the timer again when it hears of that.
    private func frozenLoop(_ record: EventRecord) throws -> AppLoop {
        try loop(record) { event in
            switch event {
            case .push: record.passing(.seconds(34))
            case .frozen: [.setTimer(BackgroundTimerTests.retry, after: .seconds(5))]
            default: []
            }
        }
    }

    @Test("Time in which the loop did not run is reported before parts and timers, and may set these again")
    func frozen() throws {
        let record = EventRecord()
        let loop = try frozenLoop(record)
        loop.take(.push)
        try turns(8, loop)
        #expect(
            record.all == [.check, .push, .frozen(.seconds(34)), .part(1), .part(2), .part(3)])
        #expect(loop.nextDeadline == record.now + .seconds(5))
    }

    @Test("One that is the next event is not fired by time in which the loop did not run")
    func frozenBefore() throws {
        let record = EventRecord()
        let loop = try frozenLoop(record)
        try turns(3, loop)
        #expect(loop.inbox.count(of: .background) == 1)
        loop.take(.push)
        try turns(3, loop)
        #expect(record.all.suffix(3) == [.part(3), .push, .frozen(.seconds(34))])
    }

    @Test("None fires while bytes of the origin are left unread; all do when these are handled")
    func unread() throws {
        let record = EventRecord()
        let loop = try loop(record) { _ in [] }
        for part in 4...20 { loop.take(.part(UInt8(part))) }
        try turns(2, loop)
        #expect(loop.inbox.count == 18, "the timer is in the inbox")
        try turns(20, loop)
        #expect(record.all.last == .timer(BackgroundTimerTests.retry))
        #expect(record.all.count == 22)
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
