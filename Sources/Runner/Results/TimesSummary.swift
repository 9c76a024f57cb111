import Core

/// How long the person in front of the device waited (rule T4).
package struct TimesSummary: Hashable, Sendable {
    /// From a launch to first content.
    package var launches: [TimeSpan]
    /// From a switch to first content of the new version.
    package var switches: [TimeSpan]
    /// From the end of a failed or given up start to first content of what rescued it.
    package var rescues: [TimeSpan]
    /// Time with neither cover nor content; 0 is the rule.
    package var white: TimeSpan

    package init() {
        launches = []
        switches = []
        rescues = []
        white = .zero
    }
}
