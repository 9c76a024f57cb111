import Core
import LocalServer

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Bionic)
    import Bionic
#endif

extension WallClock {
    /// The system's wall clock; nil where it has none.
    static func read(at now: Instant) -> WallClock? {
        var time = timespec()
        guard clock_gettime(CLOCK_REALTIME, &time) == 0 else { return nil }
        return WallClock(seconds: Int64(time.tv_sec), at: now)
    }
}
