import Core

/// One thing that happened, told for a person.
public struct TimelineEntry: Hashable, Sendable {
    /// Unique and rising within its scenario; what ``cause`` refers to. Numbers may be left out.
    public var number: Int
    public var at: Instant
    public var lane: TimelineLane
    public var text: String
    /// The step in whose time it happened, from 0.
    public var step: Int?
    /// The fault that was applied here: `← fault: reset after 40 KB`.
    public var fault: String?
    /// Number of the entry that led to it.
    public var cause: Int?

    public init(
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
