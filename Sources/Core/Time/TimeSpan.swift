/// A length of time in whole microseconds. Integers only, because decisions must not depend on rounding.
/// Sums, differences and products stop at the limits of 64 bits; a divisor is a number of the code, not 0.
public struct TimeSpan: Hashable, Comparable, Sendable {
    /// Length in microseconds; may be negative.
    public var microseconds: Int64

    public init(microseconds: Int64) { self.microseconds = microseconds }

    public static let zero = TimeSpan(microseconds: 0)

    public static func microseconds(_ count: Int64) -> TimeSpan { TimeSpan(microseconds: count) }
    public static func milliseconds(_ count: Int64) -> TimeSpan { TimeSpan.microseconds(count) * 1_000 }
    public static func seconds(_ count: Int64) -> TimeSpan { TimeSpan.microseconds(count) * 1_000_000 }
    public static func minutes(_ count: Int64) -> TimeSpan { seconds(count) * 60 }
    public static func hours(_ count: Int64) -> TimeSpan { minutes(count) * 60 }
    public static func days(_ count: Int64) -> TimeSpan { hours(count) * 24 }

    public static func < (left: TimeSpan, right: TimeSpan) -> Bool { left.microseconds < right.microseconds }

    public static func + (left: TimeSpan, right: TimeSpan) -> TimeSpan {
        TimeSpan(microseconds: Saturating.sum(left.microseconds, right.microseconds))
    }

    public static func - (left: TimeSpan, right: TimeSpan) -> TimeSpan {
        TimeSpan(microseconds: Saturating.difference(left.microseconds, right.microseconds))
    }

    public static func * (span: TimeSpan, factor: Int64) -> TimeSpan {
        TimeSpan(microseconds: Saturating.product(span.microseconds, factor))
    }

    public static func / (span: TimeSpan, divisor: Int64) -> TimeSpan {
        TimeSpan(microseconds: span.microseconds / divisor)
    }

    public static func += (left: inout TimeSpan, right: TimeSpan) { left = left + right }
    public static func -= (left: inout TimeSpan, right: TimeSpan) { left = left - right }
}
