import Core
import ScenarioLanguage

/// What differs in the results of two runs, part by part, without the way to them.
enum EndDifferences {
    static func pairs(_ one: ScenarioResult, _ other: ScenarioResult) -> [ContentDifference.Pair] {
        var pairs: [ContentDifference.Pair] = []
        func add(_ name: String, _ text: (ScenarioResult) -> String) {
            let (left, right) = (text(one), text(other))
            if left != right { pairs.append(ContentDifference.Pair(name, left, right)) }
        }
        add("verdict") { $0.verdict.rawValue }
        add("failures") { list($0.failures.map(failure)) }
        add("reached") { reached($0) }
        add("runs") { list($0.running.map(version)) }
        if !one.moments.isEmpty, !other.moments.isEmpty {
            let states = TimelineDifference.changes(one.moments.state, other.moments.state)
            pairs += states.filter { pair in !["generation"].contains { pair.name.hasSuffix($0) } }
        }
        add("starts") { "\($0.starts)" }
        add("switches") { "\($0.switches)" }
        add("rescues") { "\($0.rescues)" }
        add("to content") { list($0.times.launches.map(\.shown)) }
        add("switch took") { list($0.times.switches.map(\.shown)) }
        add("rescue took") { list($0.times.rescues.map(\.shown)) }
        add("white") { $0.times.white.shown }
        add("notes") { list($0.notes.map(\.text)) }
        add("length") { $0.virtualDuration.shown }
        return pairs
    }

    private static func failure(_ failure: Failure) -> String {
        (failure.rule.map { "\($0) " } ?? "") + failure.headline
    }

    /// The last step that was performed, if the scenario's steps were not all.
    private static func reached(_ result: ScenarioResult) -> String {
        guard let missing = result.steps.first(where: { $0.startedAt == nil }) else { return "all steps" }
        return "\(missing.index) of \(result.steps.count) steps"
    }

    private static func version(_ running: RunningVersion) -> String {
        (running.device.map { "\($0): " } ?? "") + running.version
    }

    private static func list(_ texts: [String]) -> String {
        texts.isEmpty ? "none" : texts.joined(separator: ", ")
    }
}
