/// Room on the disk, worked out from sizes that an origin states: no sum goes over the largest number.
enum NeededSpace {
    static func sum(_ sizes: some Sequence<Int>) -> Int { sizes.reduce(0, add) }

    /// U11: missing bytes × 1.1 and a reserve.
    static func bytes(missing: Int, reserve: Int) -> Int { add(add(missing, missing / 10), reserve) }

    private static func add(_ left: Int, _ right: Int) -> Int {
        let (sum, isOver) = left.addingReportingOverflow(right)
        return isOver ? .max : sum
    }
}
