import Core

/// One thing that happened, told for a person.
package struct TimelineEntry: Hashable, Sendable {
    /// Unique and rising within its scenario; what ``cause`` refers to. Numbers may be left out.
    package var number: Int
    package var at: Instant
    package var lane: TimelineLane
    package var text: String
    /// The step in whose time it happened, from 0.
    package var step: Int?
    /// The fault that was applied here: `← fault: reset after 40 KB`.
    package var fault: String?
    /// Number of the entry that led to it.
    package var cause: Int?

    package init(
        number: Int, at: Instant, lane: TimelineLane, text: String, step: Int? = nil, fault: String? = nil,
        cause: Int? = nil
    ) {
        self.number = number
        self.at = at
        self.lane = lane
        self.text = text
        self.step = step
        self.fault = fault
        self.cause = cause
    }
}
