import Core

/// One thing that did not hold, with all that a report needs to explain it.
package struct Failure: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// An `expect` step.
        case expectation
        /// A step whose `when`, `after` or `at` did not come before the story ended.
        case trigger
        /// A ∎ rule of the rulebook.
        case invariant
        /// The device did not come to run the version that it should have.
        case liveness
        /// Marked `xfail`, and passed.
        case unexpectedPass
        /// Events or virtual time ran out, or nothing was left to do.
        case bound
        /// One `handle` did more than a bounded step may (design §1).
        case boundedStep
        /// The same run gave another digest.
        case determinism
        /// The process that made the run died: a mistake of the laboratory, or more than the machine has.
        case workerDied
        /// The run took longer than `--wall-limit` and was ended.
        case wallLimit
    }

    package var kind: Kind
    /// `S1`, `R7` …; nil for an expectation.
    package var rule: String?
    /// Index of the step in the scenario, from 0; nil where no step is at fault.
    package var step: Int?
    package var place: SourcePlace?
    /// One sentence without a full stop.
    package var headline: String
    /// What was asked for; the parts that differ only.
    package var expected: [String]
    /// What was found, part for part.
    package var actual: [String]
    /// What each of them is about (`pending`, `requests for files`), where ``expected`` and ``actual`` begin
    /// with it; else empty.
    package var parts: [String]
    /// The sentence of the step's `because`.
    package var because: String?
    /// Which round of a `repeat` it was: `3 of 5`, of an outer one first.
    package var round: String?
    /// What to write, where more than the difference is to be said.
    package var help: String?
    /// From when the expectation was wrong without a break until the verdict.
    package var wrongSince: Instant?
    /// The timeline's number of what made it wrong; nil where it is not known.
    package var wrongSinceEvent: Int?
    /// It had been wrong from the beginning: no event made it so.
    package var wasNeverRight: Bool
    /// The time that was given to it: `within`, `throughout`.
    package var waitedFrom: Instant?
    package var waitedTo: Instant?
    /// When it was found.
    package var at: Instant
    /// Lines of the file above ``place``: the step that acted last, and where the failed step begins.
    package var context: [SourceLine]
    /// The last events that bear on it, oldest first: those on the chain of causes, those of the things that
    /// it names, and faults.
    package var lastEvents: [TimelineEntry]
    /// Events up to then, those of ``lastEvents`` among them.
    package var eventsSoFar: Int
    /// One command that shows it again.
    package var reproduction: String

    package init(kind: Kind, headline: String, at: Instant) {
        self.kind = kind
        self.headline = headline
        self.at = at
        expected = []
        actual = []
        parts = []
        wasNeverRight = false
        context = []
        eventsSoFar = 0
        lastEvents = []
        reproduction = ""
    }
}
