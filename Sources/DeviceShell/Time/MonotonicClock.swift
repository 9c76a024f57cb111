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

/// Where a loop reads the time. It must not go back.
package protocol DeviceClock: Sendable {
    var now: Instant { get }
}

/// The device's monotonic clock. It goes on while the device sleeps, so that fifteen minutes in a pocket
/// are fifteen minutes: `CLOCK_BOOTTIME` on Linux and Android, `CLOCK_MONOTONIC` on Apple's systems, which
/// counts sleep there.
public struct MonotonicClock: DeviceClock {
    public init() {}

    /// Microseconds since an instant that is fixed while the device runs.
    public var now: Instant {
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
