/// A point on a device's monotonic clock, in whole microseconds since that clock's start.
///
/// The clock never jumps and does not know the date; it may start anew with every boot, so an
/// instant is never written to disk (rule N3). What must outlive a process is kept as a remaining
/// ``TimeSpan``, a count of launches, or an ``OriginTime``.
public struct Instant: Hashable, Comparable, Sendable {
    public var microseconds: Int64

    public init(microseconds: Int64) { self.microseconds = microseconds }

    public static let zero = Instant(microseconds: 0)

    public static func < (left: Instant, right: Instant) -> Bool { left.microseconds < right.microseconds }

    public static func + (instant: Instant, span: TimeSpan) -> Instant {
        Instant(microseconds: instant.microseconds &+ span.microseconds)
    }

    public static func - (instant: Instant, span: TimeSpan) -> Instant {
        Instant(microseconds: instant.microseconds &- span.microseconds)
    }

    /// The span from `earlier` to `later`; negative when they are given the wrong way round.
    public static func - (later: Instant, earlier: Instant) -> TimeSpan {
        TimeSpan(microseconds: later.microseconds &- earlier.microseconds)
    }
}
