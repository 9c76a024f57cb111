extension Range<Int> {
    /// The partition point of a sorted list: the first index for which `precedes` is false, or the end when
    /// there is none.
    ///
    /// - Parameter precedes: true for the first indices, false for all after them. Called about log₂(count)
    ///   times.
    @inlinable @inline(__always)
    package func bisected(_ precedes: (Int) -> Bool) -> Int {
        var low = lowerBound
        var high = upperBound
        while low < high {
            let middle = (low + high) / 2
            if precedes(middle) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
