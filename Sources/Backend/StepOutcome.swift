/// Result of one call of ``Backend/advance(to:)``.
package enum StepOutcome: Hashable, Sendable {
    /// One event was handled; more may be due.
    case event
    /// Nothing was due: the clock has reached the end.
    case reachedEnd
    /// A device's disk reached its armed stop during the event.
    case diskStopped
    /// The backend can't continue.
    case exhausted(Exhaustion)
}

/// Why a run ends without a verdict.
package enum Exhaustion: Hashable, Sendable {
    /// A limit that the file can raise was reached.
    case limit(String)
    case other(String)

    package var text: String {
        switch self {
        case .limit(let limit): "the limit of \(limit) was reached"
        case .other(let text): text
        }
    }
}
