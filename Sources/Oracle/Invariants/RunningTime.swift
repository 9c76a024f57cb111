import Core

/// Time in which an app runs with nothing in its way: its process is not stopped, no disk call is slow or
/// fails. What the app has to do by itself is due by such time.
struct RunningTime: Hashable, Sendable {
    private var countedTo = Instant.zero
    private var wasRunning = false

    /// - Returns: such time since the last call. Whether the app ran is what the last call saw, because an
    ///   event is the end of the time before it.
    mutating func advance(_ observed: ObservedState) -> TimeSpan {
        let span = wasRunning ? observed.now - countedTo : .zero
        countedTo = observed.now
        wasRunning =
            observed.isAlive && !observed.isSuspended && observed.diskFaults.isEmpty
            && observed.diskDelay == .zero
        return span
    }
}
