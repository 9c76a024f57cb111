import Runner
import ScenarioLanguage
import Search

/// The scenarios that a search performs again and again, and those that are left out, each with its reason.
///
/// Guarantees: every selected scenario is in one of the two lists. A file with errors is too, and makes the
/// exit code 3. Deliberately not here: all errors of a file; `otalab lint` reports them.
struct CrashSelection {
    struct LeftOut: Hashable, Sendable {
        /// The scenario's name, or the path of a file that can't be read.
        var name: String
        var reason: String

        init(_ name: String, _ reason: String) {
            self.name = name
            self.reason = reason
        }

        /// A file with an error.
        init(file path: String, _ error: String) {
            self.init(path, "\(error); see otalab lint \(ShellWord.quoted(path))")
        }
    }

    /// Those of all shards.
    let plans: [RunPlan]
    /// Those that this call searches: all, or those of its shard.
    let own: [RunPlan]
    /// The shard of the call; nil: everything.
    let shard: Shard?
    private(set) var leftOut: [LeftOut] = []
    private(set) var hasInvalid = false
    /// The paths of the call, each with the names of the scenarios that it selects.
    private let named: [(path: String, scenarios: Set<String>)]
    private let files: [ScenarioFile]

    init(_ selection: Selection, _ arguments: Arguments, seed: UInt64) throws {
        files = selection.profiles.files + selection.files
        let call = try ShardCall(arguments, of: .file)
        shard = call?.shard
        var plans: [RunPlan] = []
        for (file, diagnostics) in selection.profiles.diagnostics {
            let error = diagnostics.first { $0.severity == .error }
            leftOut.append(LeftOut(file: file.path, error?.message ?? ""))
            hasInvalid = true
        }
        for file in selection.files {
            let reading = selection.read(file)
            if file.error != nil || reading.hasErrors {
                let why = file.error ?? reading.diagnostics.first { $0.severity == .error }?.message ?? ""
                leftOut.append(LeftOut(file: file.path, why))
                hasInvalid = true
                continue
            }
            for scenario in reading.scenarios(atLine: file.line) where selection.holds(scenario) {
                if let reason = scenario.skip?.value {
                    leftOut.append(LeftOut(scenario.name, "skipped: \(reason)"))
                } else {
                    plans += RunPlan.plans(for: scenario, seed: seed)
                }
            }
        }
        self.plans = plans
        own = CrashSelection.share(of: plans, call)
        named = arguments.paths.map { path in
            let scenarios = plans.filter { CrashSelection.selects(path, $0) }.map(\.name)
            return (path, Set(scenarios))
        }
    }

    /// The plans of whole files, so that the cases of a file stay together.
    private static func share(of plans: [RunPlan], _ call: ShardCall?) -> [RunPlan] {
        guard let call else { return plans }
        if let costs = call.costs {
            let own = costs.names(of: call.shard, among: plans.map(\.scenario.source.path))
            return plans.filter { own.contains($0.scenario.source.path) }
        }
        let shard = call.shard
        var files = 0
        var path: String?
        return plans.filter { plan in
            if path != plan.scenario.source.path { (files, path) = (files + 1, plan.scenario.source.path) }
            return (files - 1) % shard.count == shard.ordinal - 1
        }
    }

    /// The ordinal of a scenario among those of all shards, from 1.
    func ordinal(of plan: RunPlan) -> Int { (plans.firstIndex { $0.name == plan.name } ?? 0) + 1 }

    /// Digest of the paths and bytes of all selected files.
    var digest: UInt64 {
        var paths: Set<String> = []
        let included = plans.flatMap(\.scenario.source.included).map(\.file).filter {
            paths.insert($0.path).inserted
        }
        return ScenarioSuite.digest(files, included: included)
    }

    private static func selects(_ path: String, _ plan: RunPlan) -> Bool {
        let scenario = plan.scenario
        if scenario.id == path || scenario.name == path { return true }
        let file = scenario.source.path
        return file == path || file.hasPrefix(path.hasSuffix("/") ? path : path + "/")
            || path.hasPrefix(file + ":")
    }

    /// One error for each path of the call at which nothing was searched, because a caller who names a path
    /// expects a search there. What another shard searches is no error of this one.
    func empty(_ reports: [CrashReport]) -> [UsageError] {
        named.compactMap { path, scenarios in
            if !scenarios.isEmpty, !own.contains(where: { scenarios.contains($0.name) }) { return nil }
            let searched = reports.filter { scenarios.contains($0.plan.name) }
            if searched.contains(where: { $0.tally.points + $0.tally.pointsLeftOut > 0 || $0.problem != nil })
            {
                return nil
            }
            let help =
                scenarios.isEmpty
                ? "the scenarios that were left out are named above, each with its reason"
                : "the app does not touch its disk there: see the steps with crashPoints, or launch it"
            return UsageError(message: "no crash point was searched in '\(path)'", help: help)
        }
    }
}
