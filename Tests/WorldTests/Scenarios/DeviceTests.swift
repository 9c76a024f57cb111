import Backend
import AppHost
import Core
import ScenarioLanguage
import Testing
import Updater

@testable import World

@Suite("A device and its app")
struct DeviceTests {
    private func started(_ device: DeviceProfile = .plain) throws -> World {
        var world = try Shop.world(device: device)
        world.start()
        #expect(world.run(.seconds(5)) { $0.isReady("v1") }, "\(world.traceText)")
        return world
    }

    private func withPending(_ device: DeviceProfile = .plain) throws -> World {
        var world = try started(device)
        world.perform(.deploy(DeploySpec("v2")))
        world.perform(.check)
        #expect(world.run(.seconds(30)) { $0.isPending("v2") }, "\(world.traceText)")
        return world
    }

    @Test("Equal worlds run alike, event for event, and a fork goes its own way")
    func determinism() throws {
        let fork = try started()
        var one = fork
        var other = fork
        for step in 0..<2 {
            one.perform(.deploy(DeploySpec("v2")))
            one.perform(.check)
            one.run(for: .seconds(40))
            one.relaunch()
            one.run(for: .seconds(40))
            if step == 0 {
                swap(&one, &other)
            }
        }
        #expect(one.digest == other.digest)
        #expect(one.trace == other.trace)
        #expect(one.now == other.now)
        #expect(fork.digest != one.digest)
        #expect(fork.isReady("v1"))
        #expect(one.isReady("v2"))
    }

    @Test(
        "The profile decides what the next process learns about an end",
        arguments: [DeathCause.crash, .lowMemory, .user])
    func exitReport(cause: DeathCause) throws {
        for profile in [DeviceProfile.plain, .reportingExits] {
            var world = try started(profile)
            world.perform(.kill(cause))
            let launch = world.devices[0].launch(
                world.library, embedded: true, entropy: [], inForeground: true,
                wallClock: WallClock(seconds: 0, at: .zero))
            #expect(launch?.updater.lastExit == profile.exitRecord(after: cause))
            #expect(launch?.updater.bootID == "boot-1")
            #expect((launch?.updater.lastExit == nil) == (profile.platform == "ios"))
        }
    }

    @Test("A power cut ends the process, changes the boot id, and the next launch shows a page again")
    func powerCut() throws {
        for outcome in [PowerCutOutcome.nothing, .everything, .metadataOnly] {
            var world = try withPending()
            world.perform(.powerCut(outcome))
            #expect(world.view().process == nil)
            #expect(world.devices[0].clock.boot == 2)
            world.start()
            #expect(
                world.run(.seconds(10)) { $0.view().webViews.first?.state == .ready },
                "\(outcome) \(world.traceText)")
        }
    }

    @Test("In background the app runs on for its budget, then stands still, and comes back on the same port")
    func suspension() throws {
        var world = try started()
        let port = world.view().port
        world.perform(.background)
        world.run(for: .seconds(29))
        #expect(!world.view().isSuspended)
        world.run(for: .seconds(2))
        #expect(world.view().isSuspended)
        let events = world.eventCount
        world.run(for: .hours(3))
        #expect(world.eventCount - events < 10, "a suspended process is not heard of")
        world.perform(.foreground)
        world.run(for: .seconds(2))
        #expect(world.view().isListening)
        #expect(world.view().port == port)
        world.perform(.page(PageSpec(action: .reload)))
        #expect(world.run(.seconds(5)) { $0.isReady("v1") }, "\(world.traceText)")
    }

    @Test("A process that is stopped without a notice keeps its sockets; what is sent to it waits")
    func frozen() throws {
        var world = try started()
        let port = world.view().port
        func answers(_ world: World) -> Int {
            world.trace.count { if case .answered = $0.kind { true } else { false } }
        }
        let before = answers(world)
        world.perform(.freeze(for: .minutes(1)))
        world.perform(.page(PageSpec(action: .reload)))
        world.run(for: .seconds(59))
        #expect(answers(world) == before)
        #expect(world.run(.seconds(3)) { answers($0) > before && $0.isReady("v1") }, "\(world.traceText)")
        #expect(world.view().port == port && !world.view().isSuspended)
    }

    @Test("A stopped process notices the time first, then what came in it, then its timers")
    func orderAfterFreeze() {
        var inbox = ProcessInbox()
        for input in [.timer(.retryListening), .push, .timer(.wrapper(1)), .check] as [AppInput] {
            inbox.add(input)
        }
        inbox.moveTimersLast()
        inbox.addFirst([.frozen(.seconds(1))])
        var order: [AppInput] = []
        while let input = inbox.next() { order.append(input) }
        #expect(
            order == [.frozen(.seconds(1)), .push, .check, .timer(.retryListening), .timer(.wrapper(1))])
    }

    @Test("A suspended download goes on when the app is back in front")
    func suspendedDownload() throws {
        var world = try started()
        world.perform(.deploy(DeploySpec("v2")))
        world.perform(.check)
        #expect(world.run(.seconds(10)) { $0.requestedRoutes.contains("/app.js") })
        world.perform(.background)
        world.perform(.suspend(for: nil))
        world.run(for: .minutes(30))
        #expect(world.view().isSuspended)
        #expect(!world.isPending("v2"))
        world.perform(.launch(.foreground))
        #expect(world.run(.minutes(3)) { $0.isPending("v2") }, "\(world.traceText)")
    }

    @Test("A silent push starts an app that the system ended, not one that its user closed on iOS")
    func push() throws {
        for (profile, cause, starts) in [
            (DeviceProfile.plain, DeathCause.system, true), (.plain, .user, false),
            (.reportingExits, .user, true),
        ] {
            var world = try started(profile)
            world.perform(.kill(cause))
            world.perform(.deploy(DeploySpec("v2")))
            world.perform(.push)
            #expect((world.view().process == 2) == starts, "\(profile.name) \(cause)")
            // In background a push takes the version up at once (U6).
            let isTaken = world.run(.seconds(25)) { $0.view().status?.current.map(\.id) == "v2" }
            #expect(isTaken == starts, "\(profile.name) \(cause) \(world.traceText)")
        }
    }

    @Test(
        "A store update ends the app and replaces the package; the next launch shows the new embedded version"
    )
    func storeUpdate() throws {
        var setup = Shop.setup()
        setup.app.builds.append(BuildSetup(name: "1.1", embeds: "v3"))
        var world = try World(setup)
        world.start()
        #expect(world.run(.seconds(5)) { $0.isReady("v1") })
        world.perform(.storeUpdate(build: "1.1"))
        #expect(world.view().process == nil)
        #expect(world.view().build == "1.1")
        world.start()
        #expect(world.run(.seconds(5)) { $0.isReady("v3") }, "\(world.traceText)")
        world.perform(.storeUpdate(build: "1.0"))
        world.start()
        #expect(world.run(.seconds(5)) { $0.isReady("v1") }, "\(world.traceText)")
    }

    @Test("No white time in launch, update and reload")
    func whiteTime() throws {
        var world = try withPending()
        world.perform(.page(PageSpec(action: .reload)))
        #expect(world.run(.seconds(10)) { $0.isReady("v2") }, "\(world.traceText)")
        #expect(world.view().whiteTime == .zero, "\(world.traceText)")
    }

    @Test("Settled means that nothing but timers of the app is left")
    func settle() throws {
        var world = try started()
        world.perform(.deploy(DeploySpec("v2")))
        world.perform(.check)
        let isSettled = world.settle(limit: .minutes(1))
        #expect(isSettled)
        #expect(world.isPending("v2"))
        #expect(world.isSettled)
        #expect(world.now < .zero + .seconds(10))
    }

    @Test("A disk that is stopped discards the step, and after the kill the next launch goes well")
    func stoppedDisk() throws {
        var stops = 0
        for call in stride(from: 1, to: 60, by: 6) {
            var world = try started()
            world.perform(.deploy(DeploySpec("v2")))
            world.perform(.check)
            world.changeDisk { $0.stop(atCall: call) }
            let result = world.run(until: world.now + .seconds(20))
            guard case .diskStopped = result else { continue }
            stops += 1
            world.perform(.kill(.system))
            world.start()
            #expect(
                world.run(.seconds(10)) { $0.view().webViews.first?.state == .ready },
                "call \(call) \(world.traceText)")
        }
        #expect(stops >= 5)
    }

    @Test("No step of the app did more than a bounded step may, over an update, a push and a power cut")
    func bounds() throws {
        var world = try withPending()
        world.perform(.powerCut(.nothing))
        world.start()
        world.run(for: .minutes(2))
        world.perform(.deploy(DeploySpec("v3")))
        world.perform(.background)
        world.perform(.push)
        world.run(for: .minutes(2))
        let exceeded = world.trace.filter { event in
            if case .boundExceeded = event.kind { return true }
            return false
        }
        #expect(exceeded.isEmpty, "\(exceeded)")
    }

    @Test("Trace events name their causes, back to what the scenario did")
    func causes() throws {
        var world = try started()
        world.settleDown()
        world.perform(.deploy(DeploySpec("v2")))
        world.perform(.check, step: 7)
        let check = try #require(world.trace.last { $0.kind == .checkRequested })
        #expect(check.cause == nil)
        #expect(world.run(.seconds(30)) { $0.isPending("v2") })
        let file = try #require(
            world.trace.last { event in
                if case .transferEnded(_, _, let mask) = event.kind { return mask.contains(1) }
                return false
            })
        var chain: [TraceEvent] = [file]
        while let cause = chain.last?.cause, let fact = world.trace.first(where: { $0.ordinal == cause }) {
            #expect(cause < chain[chain.count - 1].ordinal)
            chain.append(fact)
        }
        guard case .requestSent(let first)? = chain.last?.kind else {
            Issue.record("the chain does not begin with a request: \(chain)")
            return
        }
        #expect(first.kind == .manifest && chain.last?.at == check.at)
        #expect(chain.contains { if case .answerHead = $0.kind { true } else { false } })
        let request = chain.first { if case .requestSent = $0.kind { true } else { false } }
        guard case .requestSent(let sent)? = request?.kind else {
            Issue.record("no request in \(chain)")
            return
        }
        #expect(sent.kind == .file("/app.js"))
    }

    @Test(
        "Equal worlds have equal states, whatever the time; another deploy, disk or network makes another"
    )
    func states() throws {
        var world = try started()
        world.settleDown()
        world.perform(.kill(.user))
        let state = world.state
        #expect(state.isComplete)
        var later = world
        later.run(for: .hours(5))
        #expect(later.state == state)
        let changes: [Action] = [
            .deploy(DeploySpec("v2")), .network(.offline), .fault(FaultSpec(.refuse)),
            .storeUpdate(build: "1.0"),
        ]
        for change in changes.dropLast() {
            var other = world
            other.perform(change)
            #expect(other.state != state, "\(change)")
        }
        var other = world
        other.start()
        other.run(for: .seconds(30))
        other.perform(.deploy(DeploySpec("v2")))
        other.perform(.check)
        other.run(for: .seconds(30))
        other.perform(.kill(.user))
        #expect(other.state != state)
    }

    @Test("Other orders of equal instants lead to the same end", arguments: 1...6 as ClosedRange<UInt64>)
    func ties(salt: UInt64) throws {
        var setup = Shop.setup()
        setup.ties = .keyed(salt)
        var world = try World(setup)
        world.start()
        #expect(world.run(.seconds(5)) { $0.isReady("v1") }, "\(world.traceText)")
        world.perform(.deploy(DeploySpec("v2")))
        world.perform(.check)
        #expect(world.run(.seconds(30)) { $0.isPending("v2") }, "\(world.traceText)")
        world.perform(.page(PageSpec(action: .reload)))
        #expect(world.run(.seconds(5)) { $0.isReady("v2") }, "\(world.traceText)")
    }
}
