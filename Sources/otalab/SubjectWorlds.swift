import Foundation
import Reporting
import Runner
import ScenarioLanguage
import Search
import Subject

/// Worlds of somebody else's updater: drawn ones, or those of a sweep.
struct SubjectWorlds: WorldSource {
    /// Which worlds there are.
    enum Worlds: Sendable {
        case drawn
        /// Every n-th world of the scenarios, one after the other.
        case swept([(plan: RunPlan, sweep: OutsideSweep)], every: Int)
    }

    let run: SubjectRun
    let worlds: Worlds
    let seeds: ExplorationSeeds
    let jobs: Int
    let profiles: ProfileSet

    /// Few, because a finding is told at the end of a round, and one takes seconds.
    var round: Int { 4 * jobs }
    /// Less than in the simulated world, where a run takes no seconds.
    var runsOfShrinking: Int { 120 }
    var repetitions: Int { 5 }
    var flags: String { run.flags }
    var subject: String? { "\(run.description.name) \(run.description.version)" }

    var kind: SearchSummary.Kind {
        switch worlds {
        case .drawn: .explore
        case .swept: .sweep
        }
    }

    var counts: SearchCounts {
        var counts = SearchCounts()
        if case .swept(let swept, let every) = worlds {
            counts[.scenarios] = swept.count
            counts[.points] = SubjectWorlds.count(swept)
            counts[.tried] = SubjectWorlds.count(swept, every: every)
        }
        return counts
    }

    /// Worlds of the scenarios of a sweep, of which every n-th is run.
    static func count(_ swept: [(plan: RunPlan, sweep: OutsideSweep)], every: Int = 1) -> Int {
        (swept.reduce(0) { $0 + $1.sweep.count } + every - 1) / every
    }

    private var updater: OutsideUpdater { OutsideUpdater(run.description) }

    func recipe(_ seed: UInt64) -> WorldRecipe { WorldRecipe(seed) }

    func name(of recipe: WorldRecipe) -> String {
        guard let (plan, sweep, index) = swept(recipe) else { return "world \(recipe.text)" }
        return "\(plan.name): \(sweep.name(index))"
    }

    func shortName(of recipe: WorldRecipe) -> String {
        swept(recipe) == nil ? recipe.text : name(of: recipe)
    }

    /// The scenario of a world of a sweep, and the number of its disturbance.
    private func swept(_ recipe: WorldRecipe) -> (RunPlan, OutsideSweep, Int)? {
        guard case .swept(let swept, let every) = worlds else { return nil }
        var index = Int(recipe.seed) * every
        for (plan, sweep) in swept {
            if index < sweep.count { return (plan, sweep, index) }
            index -= sweep.count
        }
        return nil
    }

    private func world(_ recipe: WorldRecipe) -> DrawnWorld? {
        switch worlds {
        case .drawn: OutsideWorld.world(recipe.seed, for: updater, profiles: profiles.names)
        case .swept: swept(recipe).flatMap { $1.world($2) }
        }
    }

    func text(of recipe: WorldRecipe) -> String? { world(recipe)?.text }

    func reply(to recipe: WorldRecipe) async -> WorldReply {
        let trial = OutsideTrial(profiles: profiles.names) { [run] plan, toleratesMissedTriggers in
            var run = run
            run.toleratesMissedTriggers = toleratesMissedTriggers
            return await onOwnThread { [run] in run.result(of: plan) }
        }
        return .outcome(await trial.outcome(of: recipe, world(recipe)))
    }

    func result(of planned: PlannedRun) async -> ScenarioResult {
        await onOwnThread { [run] in run.result(of: planned.plan) }
    }

    /// No world of theirs is run with changes.
    func resultWithChanges(of planned: PlannedRun) async -> ScenarioResult { await result(of: planned) }

    var runOfReport: (@Sendable (PlannedRun) async -> ScenarioResult)? { { await result(of: $0) } }

    /// An expectation says nothing without the steps after which it must hold.
    func accepts(_ scenario: Scenario, asSmaller recipe: WorldRecipe, of failure: Failure?) -> Bool {
        failure?.kind != .expectation || OutsideEnd.isWhole(in: scenario)
    }

    /// Runs end by themselves: each has limits.
    func stop() {}
}

extension OutsideUpdater {
    init(_ description: SubjectDescription) {
        let formats = ManifestFormat.allCases.filter {
            $0 != .frontendWithHashes && description.dialects.contains($0.rawValue)
        }
        self.init(
            dialects: formats, checks: description.does.contains(.check),
            hasOwnClock: description.clock == .own)
    }
}
