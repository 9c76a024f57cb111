import Testing

@testable import Oracle

@Suite("Removing what waits longest")
struct ArraySliceTests {
    @Test("The others keep their order, wherever the removed one was", arguments: 0..<5)
    func order(_ position: Int) {
        var numbers: ArraySlice<Int> = [0, 1, 2, 3, 4]
        #expect(numbers.removeOldest(at: numbers.startIndex + position) == position)
        #expect(Array(numbers) == [0, 1, 2, 3, 4].filter { $0 != position })
    }

    @Test("Positions count from the front that is left")
    func again() {
        var numbers: ArraySlice<Int> = [0, 1, 2, 3]
        _ = numbers.removeOldest(at: numbers.startIndex + 1)
        numbers.append(4)
        #expect(numbers.removeOldest(at: numbers.startIndex + 2) == 3)
        #expect(Array(numbers) == [0, 2, 4])
    }
}
