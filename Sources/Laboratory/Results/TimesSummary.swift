import Core

/// How long the person in front of the device waited (rule T4).
public struct TimesSummary: Hashable, Sendable {
    /// From a launch to first content.
    public var launches: [TimeSpan]
    /// From a switch to first content of the new version.
    public var switches: [TimeSpan]
    /// From the end of a failed or given up start to first content of what rescued it.
    public var rescues: [TimeSpan]
    /// Time with neither cover nor content; 0 is the rule.
    public var white: TimeSpan

    public init() {
        launches = []
        switches = []
        rescues = []
        white = .zero
    }
}
