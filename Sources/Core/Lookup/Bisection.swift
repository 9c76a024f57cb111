extension Range<Int> {
    /// Where a sorted row divides: the first place that no longer stands before what is looked for, or the
    /// end where all do.
    ///
    /// - Parameter precedes: true for the row's first places, false from some place on. Asked of as many
    ///   places as the count has binary digits.
    @inlinable @inline(__always)
    public func bisected(_ precedes: (Int) -> Bool) -> Int {
        var low = lowerBound
        var high = upperBound
        while low < high {
            let middle = (low + high) / 2
            if precedes(middle) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
