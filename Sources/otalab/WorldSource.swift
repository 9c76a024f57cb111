import Foundation
import Reporting
import Runner
import ScenarioLanguage
import Search

/// Where the worlds of a search come from and who runs them: the project's own updater in worker processes
/// (``OwnWorlds``), or somebody else's (``SubjectWorlds``).
protocol WorldSource: Sendable {
    var kind: SearchSummary.Kind { get }
    var seeds: ExplorationSeeds { get }
    /// The devices that worlds can name.
    var profiles: ProfileSet { get }
    /// Worlds in a round.
    var round: Int { get }
    /// Worlds that run at the same time.
    var jobs: Int { get }
    /// Runs to make a finding smaller.
    var runsOfShrinking: Int { get }
    /// How often a finding's file is run at the end, to say how often it fails; 0: each run is like the
    /// first.
    var repetitions: Int { get }
    /// Flags that a command needs to run a finding's file as it was run here: ` --subject ./adapter`.
    var flags: String { get }
    /// Name and version of somebody else's updater.
    var subject: String? { get }
    /// What is known of the search before it begins.
    var counts: SearchCounts { get }

    func recipe(_ seed: UInt64) -> WorldRecipe
    /// The world for people.
    func name(of recipe: WorldRecipe) -> String
    /// The world in a list of worlds.
    func shortName(of recipe: WorldRecipe) -> String
    func reply(to recipe: WorldRecipe) async -> WorldReply
    /// The text of a world's file; nil: there is none.
    func text(of recipe: WorldRecipe) -> String?
    /// A run of a finding's file, or of a smaller one.
    func result(of run: PlannedRun) async -> ScenarioResult
    /// The same, performed again with changes that must not matter (``MetamorphicCheck``).
    func resultWithChanges(of run: PlannedRun) async -> ScenarioResult
    /// Runs the files of findings for the report, after ``stop()`` too; nil: new worker processes with the
    /// project's own updater do.
    var runOfReport: (@Sendable (PlannedRun) async -> ScenarioResult)? { get }
    /// Whether a smaller scenario still shows what was found.
    func accepts(_ scenario: Scenario, asSmaller recipe: WorldRecipe, of failure: Failure?) -> Bool
    /// Ends what runs.
    func stop()
}

/// Worlds of the project's own updater, run by worker processes.
struct OwnWorlds: WorldSource {
    let pool: WorkerPool
    /// Workers that perform each run again with changes that must not matter.
    let poolWithChanges: WorkerPool
    let seeds: ExplorationSeeds
    let jobs: Int
    let profiles: ProfileSet
    let bases: WorldBases
    /// The limit for one world as the call gives it.
    let wallLimit: String

    var kind: SearchSummary.Kind { .explore }
    /// Many, so that workers seldom wait for the last one of a round, and few, so that what one finds is soon
    /// built upon.
    var round: Int { 64 }
    var runsOfShrinking: Int { Shrinker.standardRuns }
    var repetitions: Int { 0 }
    var flags: String { "" }
    var subject: String? { nil }
    var counts: SearchCounts { SearchCounts() }
    var runOfReport: (@Sendable (PlannedRun) async -> ScenarioResult)? { nil }

    func recipe(_ seed: UInt64) -> WorldRecipe { bases.recipe(seed) }

    func name(of recipe: WorldRecipe) -> String { "world \(recipe.text)" }

    func shortName(of recipe: WorldRecipe) -> String { recipe.text }

    func reply(to recipe: WorldRecipe) async -> WorldReply {
        let reply = await pool.reply(to: WorkerMessage.world(recipe, bases.basis(of: recipe)))
        return WorldReply(reply, wallLimit)
    }

    func text(of recipe: WorldRecipe) -> String? {
        DrawnWorld(recipe, of: bases.basis(of: recipe), profiles: profiles.names)?.text
    }

    func result(of run: PlannedRun) async -> ScenarioResult { await pool.result(of: run) }

    func resultWithChanges(of run: PlannedRun) async -> ScenarioResult {
        await poolWithChanges.result(of: run)
    }

    func accepts(_ scenario: Scenario, asSmaller recipe: WorldRecipe, of failure: Failure?) -> Bool {
        bases.basis(of: recipe)?.allows(scenario) ?? true
    }

    func stop() {
        pool.stop()
        poolWithChanges.stop()
    }
}
