extension Array {
    /// Returns all elements and leaves the array empty. The elements are not copied, and no memory is
    /// reserved for the next ones: `removeAll(keepingCapacity:)` would allocate a buffer for them, because
    /// the returned array still uses the old one.
    @inlinable package mutating func takeAll() -> [Element] {
        let all = self
        self = []
        return all
    }
}
