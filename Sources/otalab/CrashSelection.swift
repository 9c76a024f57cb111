import Runner
import ScenarioLanguage
import Search

/// The stories whose crash points are searched, and those that are not, each with its reason.
///
/// VerificationSummary: every story that the call selects is in one of the two lists; a file with mistakes
/// is too, and makes the call end with 3. Deliberately not here: what is wrong with a file; `otalab lint`
/// tells that.
struct CrashSelection {
    struct LeftOut: Hashable, Sendable {
        /// Of the story, or the path of a file that can't be read.
        var name: String
        var reason: String

        init(_ name: String, _ reason: String) {
            self.name = name
            self.reason = reason
        }

        /// A file with a mistake.
        init(file path: String, _ mistake: String) {
            self.init(path, "\(mistake); see otalab lint \(path)")
        }
    }

    let plans: [RunPlan]
    private(set) var leftOut: [LeftOut] = []
    private(set) var hasInvalid = false
    /// What the call named, and the files that it stands for.
    private let named: [(path: String, stories: Set<String>)]

    init(_ selection: Selection, _ paths: [String], seed: UInt64) {
        var plans: [RunPlan] = []
        for (file, told) in selection.profiles.diagnostics {
            leftOut.append(LeftOut(file: file.path, told.first { $0.severity == .error }?.message ?? ""))
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
            for scenario in reading.meant(file.line) where selection.holds(scenario) {
                if let reason = scenario.skip?.value {
                    leftOut.append(LeftOut(scenario.name, "skipped: \(reason)"))
                } else {
                    plans += RunPlan.plans(for: scenario, seed: seed)
                }
            }
        }
        self.plans = plans
        named = paths.map { path in
            let stories = plans.filter { CrashSelection.stands(path, for: $0) }.map(\.name)
            return (path, Set(stories))
        }
    }

    private static func stands(_ path: String, for plan: RunPlan) -> Bool {
        let scenario = plan.scenario
        if scenario.id == path || scenario.name == path { return true }
        let file = scenario.source.path
        return file == path || file.hasPrefix(path.hasSuffix("/") ? path : path + "/")
            || path.hasPrefix(file + ":")
    }

    /// The paths of the call that gave no operation to stop at. Whoever names one expects a search.
    func empty(_ reports: [CrashReport]) -> [UsageError] {
        named.compactMap { path, stories in
            let searched = reports.filter { stories.contains($0.plan.name) }
            if searched.contains(where: { $0.tally.points + $0.tally.pointsLeftOut > 0 || $0.problem != nil })
            {
                return nil
            }
            let help =
                stories.isEmpty
                ? "what is left out is named above with its reason"
                : "the app does not touch its disk there: see the steps with crashPoints, or launch it"
            return UsageError(message: "no crash point was searched in '\(path)'", help: help)
        }
    }
}
