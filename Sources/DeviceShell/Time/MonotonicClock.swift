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

/// The device's monotonic clock. It goes on while the device sleeps, so that fifteen minutes in a pocket
/// are fifteen minutes: `CLOCK_BOOTTIME` on Linux and Android, `CLOCK_MONOTONIC` on Apple's systems, which
/// counts sleep there.
public struct MonotonicClock: Sendable {
    /// Another clock in its place.
    private let other: (@Sendable () -> Instant)?

    public init() { other = nil }

    /// A clock that whoever drives the device keeps; it must not go back.
    package init(reading other: @escaping @Sendable () -> Instant) { self.other = other }

    public var now: Instant {
        if let other { return other() }
        var time = timespec()
        #if canImport(Darwin)
            let clock = CLOCK_MONOTONIC
        #else
            let clock = CLOCK_BOOTTIME
        #endif
        // Fails only for a clock that does not exist; these two always do.
        let answer = clock_gettime(clock, &time)
        precondition(answer == 0, "the system has no monotonic clock")
        return Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }
}
