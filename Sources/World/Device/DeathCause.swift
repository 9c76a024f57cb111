/// What really ends a process; the device profile decides what the next one is told.
package enum DeathCause: String, Hashable, Sendable, CaseIterable {
    /// Swiped away.
    case user
    case system
    case lowMemory = "low memory"
    case crash
    case notResponding = "not responding"
    /// The power is gone: the disk loses what was not durable.
    case battery
    /// The store replaced the app package.
    case storeUpdate = "store update"
}
