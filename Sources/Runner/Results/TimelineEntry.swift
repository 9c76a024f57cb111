import Core

/// One event of a run as a report shows it.
package struct TimelineEntry: Hashable, Sendable {
    /// Ordinal of the event in the run, unique and ascending, with gaps; ``cause`` refers to it.
    package var ordinal: Int
    package var at: Instant
    package var lane: TimelineLane
    package var text: String
    /// Index of the step during which it happened, from 0.
    package var step: Int?
    /// Fault that was applied here: `← fault: reset after 40 KB`.
    package var fault: String?
    /// Ordinal of the entry that caused it.
    package var cause: Int?

    package init(
        ordinal: Int, at: Instant, lane: TimelineLane, text: String, step: Int? = nil, fault: String? = nil,
        cause: Int? = nil
    ) {
        self.ordinal = ordinal
        self.at = at
        self.lane = lane
        self.text = text
        self.step = step
        self.fault = fault
        self.cause = cause
    }
}
