import Backend
import Core
import Updater

/// Checks one ∎ rule of `Sources/Runner/Runner.docc/Rules.md` during a whole run.
///
/// A checker receives every event in order, the state that the trace shows so far (``ObservedState``), and
/// both views of the device's store. It never queries the updater. It may have any state; it is copied with
/// the run.
///
/// The head of each checker names its rule, what it promises to detect, and what it is deliberately silent
/// about.
package protocol Checker: Sendable {
    /// Id of the rule: `S1`, `R7` …
    var rule: String { get }

    /// What the checker decides, by rule or clause, and how often it has so far. The ids are the same in all
    /// runs. The counts are no part of what ``hashMemory(into:)`` adds.
    var decisions: [DecisionCount] { get }

    /// Sets all counts of ``decisions`` to zero, for a copy of a run that counts its own part only.
    mutating func forgetDecisions()

    /// Is called after the observed state has taken in the event, with the store as the event left it.
    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation?

    /// Is called after an event that changed the live or the durable image.
    mutating func storeChanged(_ store: StoreView, in observed: ObservedState) -> Violation?

    /// Is called when virtual time has advanced and nothing else happens at this instant.
    mutating func timePassed(in observed: ObservedState, _ store: StoreView) -> Violation?

    /// Adds the checker's memory of a device on which no process runs to a hash, apart from what the store's
    /// images show. If the hashes, the stores and the observed states of two runs are equal, the checker
    /// gives the same verdicts on all that follows. Memory that the next launch resets may be left out.
    /// Instants count in whole seconds.
    func hashMemory(into hasher: inout Hasher)
}

extension Checker {
    package mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView)
        -> Violation?
    { nil }
    package mutating func storeChanged(_ store: StoreView, in observed: ObservedState) -> Violation? { nil }
    package mutating func timePassed(in observed: ObservedState, _ store: StoreView) -> Violation? { nil }

    /// Adds all properties, counts of decisions among them: safe for any checker, and slow.
    package func hashMemory(into hasher: inout Hasher) { hasher.combine(String(reflecting: self)) }
}

extension Hasher {
    /// Adds an instant in whole seconds.
    package mutating func combine(seconds instant: Instant?) {
        combine(instant.map { $0.microseconds / 1_000_000 })
    }
}

/// How a rule was broken.
package struct Violation: Hashable, Sendable {
    /// One sentence without a full stop.
    package var headline: String
    /// What the rule requires here.
    package var expected: String
    /// What happened instead.
    package var actual: String
    /// Names of the versions that the texts name.
    package var versions: [String]
    /// Id of the broken clause; nil: the rule as a whole.
    package let clause: String?
    /// The headline without its values (``ViolationText/pattern``).
    package let pattern: String

    /// - Parameter clause: id of the broken clause, for a checker of several rules or clauses.
    package init(
        _ headline: ViolationText, expected: ViolationText, actual: ViolationText, clause: String? = nil
    ) {
        self.clause = clause
        self.headline = headline.text
        pattern = headline.pattern
        self.expected = expected.text
        self.actual = actual.text
        versions = headline.versions + expected.versions + actual.versions
    }
}
