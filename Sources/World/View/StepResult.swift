import Core

/// What one step of the world came to.
package enum StepResult: Hashable, Sendable {
    case happened(Instant)
    /// A device's disk stopped during the step: its effects were discarded, and the laboratory says with
    /// ``Action/kill(_:)`` or ``Action/powerCut(_:)`` what comes next.
    case diskStopped(device: Int, Instant)
    /// Nothing is left to do.
    case idle
    /// A bound of the setup was reached.
    case exhausted(Verdict)
}

/// Why a run ended that should have gone on.
package enum Verdict: Hashable, Sendable {
    case nothingLeft
    case noProgress(events: Int)
    case tooManyEvents
    case tooMuchTime
}
