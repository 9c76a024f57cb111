import AppHost
import Backend
import Core
import ScenarioLanguage
import Testing

@testable import World

@Suite("The sync queue of a device")
struct SyncQueueTests {
    /// Times of a sync of a file and of a directory on the plain device.
    private let fileTime = DiskCost.phone.perCall + DiskCost.phone.sync
    private let directoryTime = DiskCost.phone.perCall + DiskCost.phone.syncDirectory

    @Test("Syncs that are submitted together are one batch: they complete together, in order")
    func batch() throws {
        var app = try SyncingApp()
        let (one, other) = (try app.write("a", "1"), try app.write("b", "2"))
        app.submit([(1, .file(one), .background), (2, .directory(data("")), .background)])
        app.submit([(3, .file(other), .background)])
        #expect(app.answers == [], "no completion is delivered while effects are carried out")
        #expect(!app.world.isSettled)
        app.run(for: .seconds(1))
        let end = fileTime + directoryTime * 25 / 100
        #expect(
            app.answers == [
                Answer(1, after: end), Answer(2, after: end), Answer(3, after: end + fileTime),
            ])
        #expect(app.world.isSettled)
    }

    @Test(
        "An urgent sync goes before all background ones that have not begun, and waits for the others"
    )
    func urgentFirst() throws {
        var app = try SyncingApp()
        let file = try app.write("a", "1")
        app.submit([(1, .file(file), .background)])
        app.run(for: .milliseconds(1))
        app.submit([(2, .directory(data("")), .background)])
        app.submit([(3, .directory(data("")), .urgent)])
        app.submit([(4, .directory(data("")), .background)])
        app.run(for: .seconds(1))
        let (third, last) = (fileTime + directoryTime, fileTime + directoryTime * 2)
        #expect(
            app.answers == [
                Answer(1, after: fileTime), Answer(3, after: third),
                Answer(2, after: last + directoryTime * 25 / 100),
                Answer(4, after: last + directoryTime * 25 / 100),
            ])
    }

    @Test("Of those that one step submits the urgent ones come first, alone")
    func sameStep() throws {
        var app = try SyncingApp()
        app.submit([(1, .directory(data("")), .background), (2, .directory(data("")), .urgent)])
        app.run(for: .seconds(1))
        #expect(
            app.answers == [Answer(2, after: directoryTime), Answer(1, after: directoryTime * 2)])
    }

    @Test("A sync that takes no time completes at once, and still by an event")
    func free() throws {
        var device = DeviceProfile.plain
        device.diskCost = .free
        var app = try SyncingApp(device)
        let file = try app.write("a", "1")
        app.submit([(1, .file(file), .urgent)])
        #expect(app.answers == [] && app.world.disk().pendingCount > 0)
        app.run(for: .zero)
        #expect(app.answers == [Answer(1, after: .zero)])
    }

    @Test("It covers what was written before it was submitted; the app goes on meanwhile")
    func covers() throws {
        var app = try SyncingApp()
        let file = try app.write("a", "1")
        app.submit([(1, .file(file), .background), (2, .directory(data("")), .background)])
        app.world.perform(.check)
        app.run(for: .zero)
        #expect(app.events == [.check], "no event waits for the sync")
        _ = try app.write("b", "2")
        app.run(for: .seconds(1))
        #expect(app.worst == "a=1")
    }

    @Test("A slow disk adds its time to each sync of a batch, and a failing one fails the one it is aimed at")
    func faults() throws {
        var app = try SyncingApp()
        let file = try app.write("a", "1")
        app.world.perform(.fault(FaultSpec(.slow(.diskSyncs, by: .milliseconds(100)))))
        app.world.changeDisk { $0.add(DiskFault(.sync, .inputOutput)) }
        app.submit([(1, .file(file), .background), (2, .directory(data("")), .background)])
        app.run(for: .seconds(1))
        let end = fileTime + directoryTime * 25 / 100 + .milliseconds(200)
        #expect(
            app.answers == [
                Answer(1, after: end, DiskError(.inputOutput, .sync)), Answer(2, after: end),
            ])
        #expect(app.worst == "a=")
        #expect(app.world.appliedDeviceFaults == [World.faultName(ofStep: 0)])
    }

    // MARK: - Ends and stops

    @Test("A power cut while a sync is in flight can leave it done, and nothing else")
    func powerCut() throws {
        var app = try SyncingApp()
        let file = try app.write("a", "1")
        app.submit([(1, .file(file), .background), (2, .directory(data("")), .urgent)])
        _ = try app.write("b", "2")
        let choice = app.world.powerCutChoice(turn: 0, atMost: nil)
        #expect(choice.existing.contains(.syncsInFlight) && choice.covered.contains(.syncsInFlight))
        for (outcome, picture) in [(PowerCutOutcome.nothing, ""), (.syncsInFlight, "a=1")] {
            var fork = app
            fork.world.perform(.powerCut(outcome))
            #expect(fork.world.disk().picture == picture)
            fork.run(for: .seconds(1))
            #expect(fork.answers == [])
        }
    }

    @Test("The end of a process drops its syncs; those of the next process don't wait for them")
    func kill() throws {
        var app = try SyncingApp()
        let file = try app.write("a", "1")
        app.submit([(1, .file(file), .background)])
        app.submit([(2, .directory(data("")), .background)])
        let pending = app.world.disk().pendingCount
        app.world.perform(.kill(.system))
        #expect(app.world.disk().pendingCount == pending)
        #expect(app.world.coveredBySyncsInFlight() == [])
        app.restart()
        app.submit([(1, .directory(data("")), .background)])
        app.run(for: .seconds(1))
        #expect(app.answers == [Answer(1, after: directoryTime)])
        #expect(app.worst == "a=", "the file's content is still pending")
    }

    @Test(
        "While the process is suspended or stopped its syncs go on, and their completions wait",
        arguments: [true, false])
    func suspended(isFrozen: Bool) throws {
        var app = try SyncingApp()
        let file = try app.write("a", "1")
        app.submit([(1, .file(file), .background)])
        app.submit([(2, .directory(data("")), .background)])
        app.world.perform(isFrozen ? .freeze(for: .seconds(10)) : .suspend(for: .seconds(10)))
        app.run(for: .seconds(9))
        #expect(app.answers == [])
        #expect(app.worst == "a=1")
        app.run(for: .seconds(2))
        #expect(app.answers.map(\.ticket) == [1, 2])
        let first = app.events.first
        if isFrozen { #expect(first == .frozen(.seconds(10))) }
    }

    @Test("Each sync of a batch is a call at which the disk can be stopped")
    func stops() throws {
        for call in 1...3 {
            var app = try SyncingApp()
            let files = try ["a", "b", "c"].map { try app.write($0, $0) }
            app.world.changeDisk { _ = $0.sync(.directory(data(""))) }
            app.submit(
                files.indices.map { (UInt32($0 + 1), .file(files[$0]), .background) })
            app.world.stopDisk(atCall: call)
            guard case .diskStopped = app.world.run(for: .seconds(1)) else {
                Issue.record("the disk did not stop at call \(call)")
                continue
            }
            #expect(app.worst == ["a=a b= c=", "a=a b=b c=", "a=a b=b c=c"][call - 1])
            #expect(app.world.coveredBySyncsInFlight().count { $0 } == (3 - call) * 2)
            #expect(app.world.takeExternalInputs().isEmpty)
        }
    }

    @Test("Equal worlds have equal runs, and a fork goes its own way")
    func determinism() throws {
        var one = try SyncingApp()
        let file = try one.write("a", "1")
        var other = one
        for _ in 0..<2 {
            one.submit([(1, .file(file), .background), (2, .directory(data("")), .urgent)])
            one.run(for: .seconds(1))
            swap(&one, &other)
        }
        #expect(one.world.digest == other.world.digest)
        one.submit([(3, .file(file), .background)])
        #expect(one.world.digest != other.world.digest)
    }
}

/// A completion, at a time after the first submission.
private struct Answer: Equatable {
    var ticket: UInt32
    var after: TimeSpan
    var error: DiskError?

    init(_ ticket: UInt32, after: TimeSpan, _ error: DiskError? = nil) {
        self.ticket = ticket
        self.after = after
        self.error = error
    }
}

/// A device whose app is the test: it submits syncs and notes their completions.
private struct SyncingApp {
    var world: World
    private(set) var answers: [Answer] = []
    /// Events other than completions, since the launch.
    private(set) var events: [AppHost.Event] = []
    private var start: Instant?

    init(_ device: DeviceProfile = .plain) throws {
        world = try Shop.world(device: device)
        world.useExternalApp()
        restart()
    }

    /// Launches the app; the launch event is no event of the test.
    mutating func restart() {
        world.start()
        world.run(for: .seconds(1))
        _ = world.takeExternalInputs()
        start = nil
    }

    /// Creates a file and leaves it open.
    mutating func write(_ path: String, _ text: String) throws -> FileHandle {
        let file = try world.devices[0].disk.open(data(path), .create)
        try world.devices[0].disk.append(file, text)
        return file
    }

    /// The effects of one step.
    mutating func submit(_ syncs: [(ticket: UInt32, target: SyncTarget, lane: WorkLane)]) {
        start = start ?? world.now
        world.carryOut(syncs.map { .sync(SyncTicket($0.ticket), $0.target, $0.lane) }, 0)
    }

    mutating func run(for span: TimeSpan) {
        let end = world.now + span
        while let next = world.nextEventTime, next <= end {
            _ = world.step()
            take()
        }
        world.run(until: end)
        take()
    }

    private mutating func take() {
        for input in world.takeExternalInputs() {
            guard case .event(let event) = input.what else { continue }
            if case .synced(let ticket, let error) = event {
                answers.append(Answer(ticket.rawValue, after: world.now - (start ?? .zero), error))
            } else {
                events.append(event)
            }
        }
    }

    /// What a power cut leaves that no pending operation survives.
    var worst: String { world.disk().worstDurableImage().picture }
}
