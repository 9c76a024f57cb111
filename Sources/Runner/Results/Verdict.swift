/// The verdict on one run of a scenario.
package enum Verdict: String, Hashable, Sendable, CaseIterable {
    case passed
    case failed
    /// The file could not be read or is invalid.
    case invalid
    /// A limit of events or virtual time was reached before the scenario ended.
    case inconclusive
    /// Failed, as its `xfail` says.
    case expectedFailure
    /// Passed although its `xfail` says that it fails: counts as a failure.
    case unexpectedPass
    /// Not run, as its `skip` says.
    case skipped
    /// The same scenario and seed gave two digests.
    case nonDeterministic

    /// Whether the run as a whole can still pass.
    package var isGood: Bool {
        switch self {
        case .passed, .expectedFailure, .skipped: true
        case .failed, .invalid, .inconclusive, .unexpectedPass, .nonDeterministic: false
        }
    }

    /// Whether a reader of the report will want to see the trace.
    package var needsTrace: Bool {
        switch self {
        case .failed, .inconclusive, .expectedFailure, .unexpectedPass, .nonDeterministic: true
        case .passed, .invalid, .skipped: false
        }
    }
}
