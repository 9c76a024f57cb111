import Core
import ScenarioLanguage

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
    /// The limit of events, which the file can raise.
    case events(Int)
    /// The limit of virtual time, which the file can raise.
    case virtualTime(TimeSpan)
    /// The limit of performed steps, with repeated steps counted each time.
    case steps(Int)
    /// This number of events happened at one instant.
    case noProgress(events: Int)
    /// A `settle` step ended without a settled world after this time.
    case unsettled(after: TimeSpan)
    case other(String)

    package var text: String {
        switch self {
        case .events(let count): "the limit of \(count) events was reached"
        case .virtualTime(let span): "the limit of \(span.shown) of virtual time was reached"
        case .steps(let count): "more than \(count) steps"
        case .noProgress(let events): "\(events) events without progress"
        case .unsettled(.days(1)): "the world did not settle within a day"
        case .unsettled(let span): "the world did not settle within \(span.shown)"
        case .other(let text): text
        }
    }
}
