import Core

/// Notices time in which a loop's thread did not run: a stopped process (SIGSTOP, a freezer of the system), a
/// sleeping device, a processor that others use, a disk call that blocks.
///
/// The clock can't say for how long a process was stopped, so consecutive readings are compared: a loop that
/// neither waits nor blocks reads the clock within ``tolerance``. A hole counts from the last reading before
/// it. What it says is therefore too long by at most the wait in which the process was stopped, and never too
/// short; a loop that must know waits in short parts (``longestStep``).
struct FreezeDetector {
    /// How much later than it meant to a loop may go on, on a busy device.
    static let tolerance = TimeSpan.seconds(1)
    /// Longest wait of a loop that has to notice a hole.
    static let longestStep = TimeSpan.seconds(1)

    private var lastReading: Instant

    init(at now: Instant) { lastReading = now }

    /// Begins again with this reading, whatever happened before.
    mutating func restart(at now: Instant) { lastReading = now }

    /// - Parameter span: how long the loop meant to wait since the last reading; nil: without an end.
    /// - Returns: the time since the last reading when the loop did not run in it; else nil.
    mutating func hole(at now: Instant, afterWaiting span: TimeSpan? = .zero) -> TimeSpan? {
        let passed = now - lastReading
        lastReading = now
        guard let span else { return nil }
        return passed > span + FreezeDetector.tolerance ? passed : nil
    }
}
