/// Arithmetic that stops at the limits of 64 bits instead of trapping or wrapping around.
enum Saturating {
    @inline(__always)
    static func sum(_ left: Int64, _ right: Int64) -> Int64 {
        let (sum, isOver) = left.addingReportingOverflow(right)
        return isOver ? limit(isNegative: right < 0) : sum
    }

    @inline(__always)
    static func difference(_ left: Int64, _ right: Int64) -> Int64 {
        let (difference, isOver) = left.subtractingReportingOverflow(right)
        return isOver ? limit(isNegative: right > 0) : difference
    }

    @inline(__always)
    static func product(_ left: Int64, _ right: Int64) -> Int64 {
        let (product, isOver) = left.multipliedReportingOverflow(by: right)
        return isOver ? limit(isNegative: (left < 0) != (right < 0)) : product
    }

    private static func limit(isNegative: Bool) -> Int64 { isNegative ? .min : .max }
}
