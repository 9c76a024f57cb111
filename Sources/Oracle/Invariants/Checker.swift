import Backend
import Core
import Updater

/// One ∎ rule of the rulebook, watched over a whole run.
///
/// A checker is fed every fact in order, what the trace shows so far (``ObservedState``), and both views of
/// the device's store. It never asks the updater. It may remember what it likes; it is copied with the run.
package protocol Checker: Sendable {
    /// `S1`, `R7` …
    var rule: String { get }

    /// After the observed state has taken in the fact, and with the store as the event left it.
    mutating func observe(_ fact: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation?

    /// After an event that changed the live or the durable image.
    mutating func storeChanged(_ store: StoreView, in observed: ObservedState) -> Violation?

    /// Virtual time has come to here and nothing else happens at this instant.
    mutating func timePassed(in observed: ObservedState, _ store: StoreView) -> Violation?

    /// What it remembers of a device on which no process runs, beside what the store's images show: with
    /// equal sums, equal stores and equal scenes it judges all that follows alike. What the next launch makes
    /// it forget need not be told. Moments count in whole seconds.
    func remember(in sum: inout Hasher)
}

extension Checker {
    package mutating func observe(_ fact: TraceEvent, in observed: ObservedState, _ store: StoreView)
        -> Violation?
    { nil }
    package mutating func storeChanged(_ store: StoreView, in observed: ObservedState) -> Violation? { nil }
    package mutating func timePassed(in observed: ObservedState, _ store: StoreView) -> Violation? { nil }

    /// All that it is: right for any checker, and slow.
    package func remember(in sum: inout Hasher) { sum.combine(String(reflecting: self)) }
}

extension Hasher {
    package mutating func combine(seconds instant: Instant?) {
        combine(instant.map { $0.microseconds / 1_000_000 })
    }
}

/// A rule that did not hold.
package struct Violation: Hashable, Sendable {
    /// One sentence without a full stop.
    package var headline: String
    package var expected: String
    package var actual: String

    package init(_ headline: String, expected: String, actual: String) {
        self.headline = headline
        self.expected = expected
        self.actual = actual
    }
}
