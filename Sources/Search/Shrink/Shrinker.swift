import Foundation
import Runner
import ScenarioLanguage

/// Finds a small scenario with the same failure as a given one.
///
/// It changes the printed tree of the scenario by one strategy after the other (``ShrinkStrategies``) and
/// keeps a change if the scenario still fails in the same way (``FailureSignature``), until no strategy helps
/// or the runs are used up.
///
/// Guarantees: the result is a valid file that fails in the same way, wherever it lies: if the failure needs
/// the choices of this run, the file names the id and the seed that they are made from. It depends on the
/// scenario, the signature and the number of runs, not on the number of jobs: of several candidates that are
/// tried at the same time, the first in order counts. A text is run once. Deliberately not here: how a
/// scenario is run (``Trial``), and the smallest scenario of all, because only single changes are tried.
package struct Shrinker: Sendable {
    /// Runs a scenario and returns the signatures of its failures; called from several tasks.
    package typealias Trial = @Sendable (Scenario) async -> [FailureSignature]

    /// Limit of the runs, with the first one.
    package var maxRuns = standardRuns
    /// Default of ``maxRuns``.
    package static let standardRuns = 500
    /// Number of candidates that are tried at the same time.
    package var jobs = ProcessInfo.processInfo.activeProcessorCount
    /// Path of the file that is written. A scenario without an `id` is named by it, and real builds are found
    /// relative to it.
    package var path: String
    /// Names of the device profiles.
    package var devices = ScenarioReader.knownDevices
    /// Whether a smaller scenario still shows the failure, apart from that it fails alike; nil: always.
    package var accepts: (@Sendable (Scenario) -> Bool)?
    /// Receives the number of runs and of steps after each run that made the scenario smaller.
    package var progress: (@Sendable (_ runs: Int, _ steps: Int) -> Void)?
    private let trial: Trial

    package init(path: String, trial: @escaping Trial) {
        self.path = path
        self.trial = trial
    }

    /// - Parameter wanted: the failure to keep; nil: the one that says most.
    /// - Returns: nil if the scenario does not have this failure, or passes.
    package func shrink(_ scenario: Scenario, keeping wanted: FailureSignature? = nil) async
        -> ShrunkScenario?
    {
        let clock = ContinuousClock()
        let start = clock.now
        var tree = Shrinker.stripped(ScenarioPrinter.tree(of: scenario))
        // All choices of a run are made from the name. It would follow from the path of the new file, and a
        // case has no name of its own in a file.
        tree["id"] = .text(scenario.name)
        guard let first = read(tree) else { return nil }
        let failures = await trial(first)
        let same = wanted.map { wanted in failures.first { $0.isSame(as: wanted) } }
        guard let found = same ?? FailureSignature.mostTelling(of: failures)
        else { return nil }
        var search = ShrinkSearch(tree: tree, wanted: found, shrinker: self)
        while await search.round() {}
        await search.removeSeed()
        return ShrunkScenario(
            search.tree, of: scenario, signature: search.latest, runs: search.runs,
            isComplete: !search.isSpent && !Task.isCancelled, wall: clock.now - start)
    }

    /// The scenario without texts that are for people alone, and without marks that hide a failure.
    private static func stripped(_ tree: PrintedValue) -> PrintedValue {
        var tree = tree
        for key in ["issue", "covers", "tags", "xfail", "skip"] { tree[key] = nil }
        for (path, step) in tree.locatedSteps.reversed() where step["because"] != nil {
            tree =
                tree.changed(at: path) { step in
                    var step = step
                    step["because"] = nil
                    return step
                } ?? tree
        }
        return tree
    }

    /// Limit of the events of a candidate. With some defects an app never rests, and a candidate without the
    /// step that ends it would run for long.
    private static let maxEvents: Int64 = 50_000

    /// The scenario of a candidate, with a limit if it states none.
    func limited(_ tree: PrintedValue) -> Scenario? {
        var tree = tree
        if tree["limits"] == nil {
            tree["limits"] = .object([PrintedValue.Pair("events", .number(Shrinker.maxEvents))])
        }
        return read(tree)
    }

    /// The scenario of the tree; nil if the reader refuses it.
    func read(_ tree: PrintedValue) -> Scenario? {
        let text = ScenarioPrinter.text(of: tree)
        let reading = ScenarioReader.read(path: path, bytes: Array(text.utf8), devices: devices)
        return reading.hasErrors ? nil : reading.scenarios.first
    }

    /// Runs the scenarios at the same time.
    func signatures(of scenarios: [Scenario]) async -> [[FailureSignature]] {
        await withTaskGroup(of: (Int, [FailureSignature]).self) { group in
            for (index, scenario) in scenarios.enumerated() {
                group.addTask { [trial] in (index, await trial(scenario)) }
            }
            var all = [[FailureSignature]](repeating: [], count: scenarios.count)
            for await (index, signatures) in group { all[index] = signatures }
            return all
        }
    }
}
