/// What one call of ``Backend/advance(to:)`` came to.
package enum StepOutcome: Hashable, Sendable {
    /// An event happened; more may be due.
    case event
    /// Nothing was due: the clock has reached the end.
    case reachedEnd
    /// A device's disk stopped during the event, because it was told to.
    case diskStopped
    /// The backend can't go on.
    case exhausted(Exhaustion)
}

/// Why a run ends without a verdict, in words.
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
