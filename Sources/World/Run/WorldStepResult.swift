import Core

/// Result of one step of the world.
package enum WorldStepResult: Hashable, Sendable {
    case happened(Instant)
    /// A device's disk stopped during the step, and the step's effects were discarded. The caller continues
    /// with ``Action/kill(_:)`` or ``Action/powerCut(_:)``.
    case diskStopped(device: Int, Instant)
    /// The queue is empty.
    case idle
    /// A limit of the setup was reached.
    case exhausted(RunLimit)
}

/// Why a run can't continue.
package enum RunLimit: Hashable, Sendable {
    case nothingLeft
    case noProgress(events: Int)
    case tooManyEvents
    case tooMuchTime
}
