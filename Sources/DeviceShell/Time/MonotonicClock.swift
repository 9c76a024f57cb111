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

/// The clock of a loop. It must never decrease.
package protocol DeviceClock: Sendable {
    var now: Instant { get }
}

/// The device's monotonic clock, which includes the time that the device sleeps: `CLOCK_BOOTTIME` on Linux
/// and Android, `CLOCK_MONOTONIC` on Apple's systems, where it counts sleep.
///
/// It is the one clock of deadlines and of waits (``Poller``). Sleep has to count, because a delay that the
/// origin requests, the time in background and the age of a date of the origin go on while a device sleeps
/// (U5, U6, N3). What must not count sleep (the clock of a start, the silence of a peer) is corrected:
/// the loop reports the time in which it did not run (``FreezeDetector``).
public struct MonotonicClock: DeviceClock {
    public init() {}

    /// Present instant, in microseconds since an arbitrary origin.
    public var now: Instant {
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
