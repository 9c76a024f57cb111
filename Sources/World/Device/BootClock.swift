import Core

/// The number of a device's boots, and its monotonic clock, which restarts at each boot (N3: no instant
/// outlives a boot).
struct BootClock: Sendable {
    /// Number of boots, the current one included.
    private(set) var boot = 1
    private(set) var bootedAt = Instant.zero

    mutating func reboot(at now: Instant) {
        boot += 1
        bootedAt = now
    }

    /// Reading of the device's monotonic clock.
    func reading(at now: Instant) -> Instant {
        Instant(microseconds: now.microseconds - bootedAt.microseconds)
    }
}
