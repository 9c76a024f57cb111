/// Required disk space, computed from sizes that an origin states; sums are capped at `Int.max`.
enum RequiredSpace {
    static func sum(_ sizes: some Sequence<Int>) -> Int { sizes.reduce(0, add) }

    /// U11: missing bytes × 1.1 and a reserve.
    static func bytes(missing: Int, reserve: Int) -> Int { add(add(missing, missing / 10), reserve) }

    private static func add(_ left: Int, _ right: Int) -> Int {
        let (sum, isOver) = left.addingReportingOverflow(right)
        return isOver ? .max : sum
    }
}
