extension ArraySlice {
    /// Removes an element by moving the ones before it: what waits longest is near the front, and a page of
    /// ten thousand files has as many requests behind it.
    package mutating func removeOldest(at index: Int) -> Element {
        let element = self[index]
        for position in stride(from: index, to: startIndex, by: -1) { self[position] = self[position - 1] }
        removeFirst()
        return element
    }
}
