import AppHost
import Backend
import Core

/// N5.answer-in-time: native code that asks the page gets an answer, or none, within 30 s; one, however often
/// the page answers.
///
/// Silent about: time in which the process is stopped, or the disk is slow or fails.
struct NativeCallsAnswered: RuleChecker {
    let rule = "N5"
    var decided = 0
    var decisions: [DecisionCount] { [DecisionCount("N5.answer-in-time", decided)] }

    /// By their methods.
    private var open = OpenTimes<String>()

    private static let limit = TimeSpan.seconds(30)
    /// Time for the app to handle the end.
    private static let timeToHandle = TimeSpan.seconds(1)

    /// Adds nothing: a call ends with its process.
    func hashMemory(into hasher: inout Hasher) {}

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        if let violation = overdue(observed) { return violation }
        switch event.kind {
        case .nativeAsked(let method):
            open.begin(method, limit: NativeCallsAnswered.limit + NativeCallsAnswered.timeToHandle)
        case .nativeAnswered(let method, _):
            decided += 1
            if !open.end(method) { return NativeCallsAnswered.second(method) }
        case .launched, .processEnded, .powerCut: open.endAll()
        default: break
        }
        return nil
    }

    mutating func timePassed(in observed: ObservedState, _ store: StoreView) -> Violation? {
        overdue(observed)
    }

    private static func second(_ method: String) -> Violation {
        Violation(
            "Native code got an answer that it did not wait for: \(method)",
            expected: "one answer to each call", actual: "another one")
    }

    private mutating func overdue(_ observed: ObservedState) -> Violation? {
        guard let late = open.overdue(observed) else { return nil }
        decided += 1
        return Violation(
            "Native code waits for a page's answer: \(late.id)",
            expected: "an answer, or none, within 30 s", actual: "neither", clause: "N5.answer-in-time")
    }
}
