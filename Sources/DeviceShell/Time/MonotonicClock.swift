import Core

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Bionic)
    import Bionic
#endif

/// The device's monotonic clock, which includes the time that the device sleeps: `CLOCK_BOOTTIME` on Linux
/// and Android, `CLOCK_MONOTONIC` on Apple's systems, where it counts sleep.
public struct MonotonicClock: Sendable {
    /// Clock that replaces the system's.
    private let replacement: (@Sendable () -> Instant)?

    public init() { replacement = nil }

    /// A clock that the caller controls.
    /// - Parameter replacement: present instant; must never decrease.
    package init(reading replacement: @escaping @Sendable () -> Instant) { self.replacement = replacement }

    /// Present instant, in microseconds since an arbitrary origin.
    public var now: Instant {
        if let replacement { return replacement() }
        var time = timespec()
        #if canImport(Darwin)
            let clock = CLOCK_MONOTONIC
        #else
            let clock = CLOCK_BOOTTIME
        #endif
        // The call fails only for a clock that does not exist; both of these always exist.
        let answer = clock_gettime(clock, &time)
        precondition(answer == 0, "the system has no monotonic clock")
        return Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }
}
