/// A point on a device's monotonic clock, in whole microseconds since that clock's start.
///
/// The clock never jumps and has no date; it may restart at every boot, so an instant on disk means nothing
/// without the id of the boot in which it was read (rule N3). Times that must outlive a boot are stored as a
/// remaining ``TimeSpan``, a count of launches, or an ``OriginTime``. Sums and differences stop at the
/// limits of 64 bits, so that a timer of any length is due late, never at once.
public struct Instant: Hashable, Comparable, Sendable {
    /// Microseconds since the start of the clock.
    public var microseconds: Int64

    public init(microseconds: Int64) { self.microseconds = microseconds }

    public static let zero = Instant(microseconds: 0)

    public static func < (left: Instant, right: Instant) -> Bool { left.microseconds < right.microseconds }

    public static func + (instant: Instant, span: TimeSpan) -> Instant {
        Instant(microseconds: Saturating.sum(instant.microseconds, span.microseconds))
    }

    public static func - (instant: Instant, span: TimeSpan) -> Instant {
        Instant(microseconds: Saturating.difference(instant.microseconds, span.microseconds))
    }

    /// The span from `earlier` to `later`; negative when `later` is before it.
    public static func - (later: Instant, earlier: Instant) -> TimeSpan {
        TimeSpan(microseconds: Saturating.difference(later.microseconds, earlier.microseconds))
    }
}
