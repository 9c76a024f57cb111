/// The time of a device's wall clock at an instant of its monotonic one. It is used for the `Date` of
/// responses, and for the expiry of signed manifests (U16); it decides nothing else (N3).
public struct WallClock: Hashable, Sendable {
    /// Seconds since 1970-01-01T00:00:00Z.
    public var seconds: Int64
    /// The monotonic instant at which it was read.
    public var at: Instant

    public init(seconds: Int64, at: Instant) {
        self.seconds = seconds
        self.at = at
    }

    /// The wall clock at an instant, if nobody sets it in between.
    package func time(at now: Instant) -> OriginTime {
        OriginTime(seconds: seconds) + (now - at)
    }
}
