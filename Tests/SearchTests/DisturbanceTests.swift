import Backend
import Core
import ScenarioLanguage
import TestSupport
import Testing
import World

@testable import Runner
@testable import Search

/// The network is lost between two events, and the user swipes the app away a while later.
private struct LostNetwork: Disturbance {
    typealias Moment = CrashMoment
    typealias Reuse = Int

    /// How long the app runs without a network, as a `wait` step would say it.
    struct Site: Hashable, Sendable {
        var wait: TimeSpan
    }

    let waits: [TimeSpan]
    let recovery: Recovery
    /// Damages the record before the app is launched again, so that something is found.
    var losesStore = false

    func disturb(
        _ moment: CrashMoment, after previous: [Site], turn: Int,
        _ states: inout DisturbedStates<LostNetwork>
    ) {
        for wait in waits {
            guard let device = reproduced(Site(wait: wait), (), at: moment) else { continue }
            states.tally.states += 1
            states.add(device, sites: previous + [Site(wait: wait)], cause: ())
        }
    }

    func reproduced(_ site: Site, _ cause: Void, at moment: CrashMoment) -> ObservedWorld? {
        var device = moment.before
        device.perform(.network(.offline))
        guard device.pass(until: device.world.now + site.wait) == nil else { return nil }
        device.perform(.kill(.user))
        return device
    }

    func moments(ofRecovery device: inout ObservedWorld) -> [CrashMoment] { recovery.moments(&device) }

    func launch(_ disturbed: DisturbedDevice<LostNetwork>) -> Recovery.Launch {
        if losesStore {
            return .failed(Recovery.Finding("test", "lost", expected: "a store", actual: "none"))
        }
        return recovery.launch(disturbed.device)
    }

    func evaluateAfterRecovery(_ device: inout ObservedWorld) -> Recovery.Finding? {
        recovery.evaluateAfterRecovery(&device)
    }
}

@Suite("The search takes any disturbance")
struct DisturbanceTests {
    private func searched(losesStore: Bool = false, jobs: Int = 2) async throws
        -> DisturbanceSearch<LostNetwork>
    {
        let plan = try SmallScenario.plan(
            SmallScenario.text(
                """
                { launch: true }, { deploy: "v2" }, { check: true, crashPoints: "this step" },
                { expect: { pending: "v2" }, within: "10s" },
                """))
        var kind = LostNetwork(waits: [.milliseconds(50), .seconds(3)], recovery: Recovery(of: plan))
        kind.losesStore = losesStore
        var limits = CrashLimits()
        limits.second = 1
        var search = DisturbanceSearch(kind, limits: limits, jobs: jobs)
        await search.search(try CrashPointsRun().moments(of: plan))
        return search
    }

    @Test("a lost network is tried at each moment and once in a recovery; equal states are launched once")
    func lostNetwork() async throws {
        let search = try await searched()
        #expect(search.findings.isEmpty)
        #expect(search.tally.states > 20)
        #expect(search.tally.launched > 1 && search.tally.launched < search.tally.states)
        #expect(search.tally.secondTried == 1)
        #expect(search.tally.used > 0)
        let alone = try await searched(jobs: 1)
        #expect(alone.tally == search.tally)
    }

    @Test("a finding names the disturbances that led to it")
    func finding() async throws {
        let search = try await searched(losesStore: true)
        let first = try #require(search.findings.first)
        #expect(first.verdict.headline == "lost")
        #expect(first.sites == [LostNetwork.Site(wait: .milliseconds(50))])
        #expect(search.tally.failures == search.tally.launched)
    }
}
