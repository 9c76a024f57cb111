/// Origin time: whole seconds since 1970-01-01T00:00:00Z, from the `Date` field of a successful manifest
/// answer. The only time that is compared across processes; the device's wall clock never affects a decision.
/// Sums and differences stop at the limits of 64 bits.
public struct OriginTime: Hashable, Comparable, Sendable {
    /// Seconds since 1970-01-01T00:00:00Z.
    public var seconds: Int64

    public init(seconds: Int64) { self.seconds = seconds }

    public static func < (left: OriginTime, right: OriginTime) -> Bool { left.seconds < right.seconds }

    public static func + (time: OriginTime, span: TimeSpan) -> OriginTime {
        OriginTime(seconds: Saturating.sum(time.seconds, span.microseconds / 1_000_000))
    }

    public static func - (later: OriginTime, earlier: OriginTime) -> TimeSpan {
        .seconds(Saturating.difference(later.seconds, earlier.seconds))
    }
}
