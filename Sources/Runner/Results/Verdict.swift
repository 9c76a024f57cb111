/// What became of one scenario.
package enum Verdict: String, Hashable, Sendable, CaseIterable {
    case passed
    case failed
    /// The file could not be read, or says what cannot be.
    case invalid
    /// A budget of events or virtual time ran out before the story ended.
    case inconclusive
    /// Failed, as its `xfail` says.
    case expectedFailure
    /// Passed although its `xfail` says that it fails: counts as a failure.
    case unexpectedPass
    /// Not run, as its `skip` says.
    case skipped
    /// The same scenario and seed gave two digests.
    case nonDeterministic

    /// Whether the run as a whole may still pass with it.
    package var isGood: Bool {
        switch self {
        case .passed, .expectedFailure, .skipped: true
        case .failed, .invalid, .inconclusive, .unexpectedPass, .nonDeterministic: false
        }
    }

    /// A person will want to see what happened.
    package var needsTrace: Bool {
        switch self {
        case .failed, .inconclusive, .expectedFailure, .unexpectedPass, .nonDeterministic: true
        case .passed, .invalid, .skipped: false
        }
    }
}
