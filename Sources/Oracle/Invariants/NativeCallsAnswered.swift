import AppHost
import Backend
import Core

/// N5.answer-in-time: native code that asks the page gets an answer, or none, within 30 s.
///
/// Silent about: time in which the process is stopped.
struct NativeCallsAnswered: RuleChecker {
    let rule = "N5"
    var decided = 0
    var decisions: [DecisionCount] { [DecisionCount("N5.answer-in-time", decided)] }

    private struct Call: Hashable {
        var method: String
        var time = TimeSpan.zero
    }

    private var open: [Call] = []
    private var clock = RunningTime()

    private static let limit = TimeSpan.seconds(30)
    /// Time for the app to handle the end.
    private static let timeToHandle = TimeSpan.seconds(1)

    /// Adds nothing: a call ends with its process.
    func hashMemory(into hasher: inout Hasher) {}

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        if let violation = overdue(observed) { return violation }
        switch event.kind {
        case .nativeAsked(let method): open.append(Call(method: method))
        case .nativeAnswered(let method, _):
            guard let index = open.firstIndex(where: { $0.method == method }) else { break }
            open.remove(at: index)
            decided += 1
        case .launched, .processEnded, .powerCut: open = []
        default: break
        }
        return nil
    }

    mutating func timePassed(in observed: ObservedState, _ store: StoreView) -> Violation? {
        overdue(observed)
    }

    private mutating func overdue(_ observed: ObservedState) -> Violation? {
        let span = clock.advance(observed)
        guard span > .zero, !open.isEmpty else { return nil }
        for index in open.indices { open[index].time += span }
        let limit = NativeCallsAnswered.limit + NativeCallsAnswered.timeToHandle + observed.timerDelay
        guard let late = open.first(where: { $0.time > limit }) else { return nil }
        open = []
        decided += 1
        return Violation(
            "Native code waits for a page's answer: \(late.method)",
            expected: "an answer, or none, within 30 s", actual: "neither", clause: "N5.answer-in-time")
    }
}
