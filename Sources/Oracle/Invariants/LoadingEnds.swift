import AppHost
import Backend
import Core

/// U7.offline: the loading screen is shown while something is loaded, or soon will be.
///
/// In front, after the longest pause between two attempts (U5) in which no request to the origin was open,
/// another screen is shown; after half a minute, where the app does not check automatically and its process
/// has sent no request.
///
/// Silent about: time in background or in which the process is stopped, without network, while a
/// `Retry-After` holds, or while the disk is slow or fails.
struct LoadingEnds: RuleChecker {
    let rule = "U7"
    var decided = 0
    var decisions: [DecisionCount] { [DecisionCount("U7.offline", decided)] }

    /// For how long the screen was shown and nothing was under way.
    private var idle = LastingTime()

    private static let limit = AttemptLimits.backoff + .minutes(1)

    /// Adds nothing: a screen ends with its process.
    func hashMemory(into hasher: inout Hasher) {}

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        evaluate(observed)
    }

    mutating func timePassed(in observed: ObservedState, _ store: StoreView) -> Violation? {
        evaluate(observed)
    }

    private mutating func evaluate(_ observed: ObservedState) -> Violation? {
        idle.advance(observed)
        var isLoading = false
        if case .loading = observed.screen { isLoading = true }
        let isIdle =
            isLoading && observed.isActive && observed.openIndices.isEmpty && observed.retryAfterLeft == .zero
        if idle.time > .zero, !isLoading { decided += 1 }
        idle.set(isIdle)
        guard isIdle else { return nil }
        // A process that can't open its store tries again automatically.
        let isOpening =
            observed.hasLoggedInProcess(.storeInUse) || observed.hasLoggedInProcess(.storeUnavailable)
        let isWithoutCheck =
            observed.settings.updates != .automatic && !isOpening
            && observed.transfers.last?.process != observed.process
        let limit = isWithoutCheck ? TimeSpan.seconds(30) : LoadingEnds.limit
        guard idle.time > limit + observed.timerDelay else { return nil }
        idle.countAnew()
        decided += 1
        return Violation(
            "The loading screen stays, and nothing is loaded", expected: "a screen that offers a way on",
            actual: "the loading screen", clause: "U7.offline")
    }
}
