import Core
import World

/// Performs a scenario a second time (`--check-determinism`) and reports the first event that differs, with
/// both sides.
enum DeterminismCheck {
    /// Runs the plan again in a new world.
    /// - Parameter first: events of the first run's digest.
    static func compare(
        _ result: inout ScenarioResult, _ first: [DigestedEvent], _ plan: RunPlan, _ runner: ScenarioRunner
    ) {
        var second: [DigestedEvent] = []
        let again = runner.runOnce(plan, nil, trace: &second).result
        addFailure(&result, first, again, second, plan)
    }

    /// Adds a failure to the first result if the second is not equal.
    static func addFailure(
        _ result: inout ScenarioResult, _ first: [DigestedEvent], _ again: ScenarioResult,
        _ second: [DigestedEvent],
        _ plan: RunPlan
    ) {
        guard result != again else { return }
        var failure = Failure(
            kind: .determinism, headline: "The same scenario and seed went two ways",
            at: .zero + result.virtualDuration)
        failure.differences = [
            Difference(
                expected: "digest \(Hex.text(result.digest)) after \(result.events) events",
                actual: "digest \(Hex.text(again.digest)) after \(again.events) events")
        ]
        if let index = DigestedEvent.firstDifference(first, second) {
            let (one, other) = (event(first, index), event(second, index))
            let at = [first, second].compactMap { $0.indices.contains(index) ? $0[index].at : nil }.min()
            failure.at = at ?? failure.at
            failure.headline += ": event \(index + 1), at \(failure.at.clock), is the first that differs"
            let (left, right) = excerpts(one, other)
            failure.differences.append(
                Difference(expected: "event \(index + 1): \(left)", actual: "event \(index + 1): \(right)"))
        } else if result.digest == again.digest {
            failure.headline += " in what the laboratory made of it: every event is the same"
            failure.differences = difference(result, again).map {
                Difference(expected: "equal \($0)", actual: "other \($0)")
            }
        }
        failure.reproduction = Reproduction.command(plan) + " --check-determinism"
        result.failures.append(failure)
        result.verdict = .nonDeterministic
    }

    private static func event(_ trace: [DigestedEvent], _ index: Int) -> String {
        guard trace.indices.contains(index) else { return "nothing: that run was over" }
        return "\(trace[index].at.clock)  \(trace[index].text)"
    }

    /// Readable excerpts of two texts, from shortly before their first difference.
    static func excerpts(_ one: String, _ other: String) -> (String, String) {
        let (left, right) = (Array(one), Array(other))
        var same = 0
        while same < min(left.count, right.count), left[same] == right[same] { same += 1 }
        // The beginning has time and kind of the event.
        let (head, before, after) = (60, 40, 120)
        func cut(_ text: [Character]) -> String {
            var shown = ""
            var begin = 0
            if same > head + before {
                shown = String(text[..<head]) + " … "
                begin = same - before
            }
            let end = min(text.count, same + after)
            return shown + String(text[begin..<end]) + (end < text.count ? " …" : "")
        }
        return (cut(left), cut(right))
    }

    /// Names of the parts that differ in two results with the same events.
    private static func difference(_ one: ScenarioResult, _ other: ScenarioResult) -> [String] {
        var parts: [String] = []
        if one.verdict != other.verdict { parts.append("verdict") }
        if one.steps != other.steps { parts.append("steps") }
        if one.failures != other.failures { parts.append("failures") }
        if one.timeline != other.timeline { parts.append("timeline") }
        if one.times != other.times { parts.append("times") }
        if one.faultsNeverApplied != other.faultsNeverApplied { parts.append("notes") }
        return parts.isEmpty ? ["something else of the result"] : parts
    }
}
