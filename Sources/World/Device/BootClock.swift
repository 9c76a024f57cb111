import Core

/// How often a device was booted, and its monotonic clock, which begins again at each boot (N3: no instant
/// outlives a boot).
struct BootClock: Sendable {
    /// Counts from 1.
    private(set) var boot = 1
    private(set) var bootedAt = Instant.zero

    mutating func reboot(at now: Instant) {
        boot += 1
        bootedAt = now
    }

    /// What the device's monotonic clock shows.
    func reading(at now: Instant) -> Instant {
        Instant(microseconds: now.microseconds - bootedAt.microseconds)
    }
}
