import Testing

@testable import Core

@Suite("A queue of two lanes (S9)")
struct LaneQueueTests {
    /// Urgent elements are positive, those of the background lane negative.
    private func queue(_ elements: [Int]) -> LaneQueue<Int> {
        var queue = LaneQueue<Int>()
        for element in elements { queue.append(element, element > 0 ? .urgent : .background) }
        return queue
    }

    private func drained(_ queue: LaneQueue<Int>) -> [Int] {
        var (queue, elements) = (queue, [Int]())
        while let element = queue.next() { elements.append(element) }
        return elements
    }

    @Test("Urgent elements go first, those of each lane in order")
    func order() {
        let queue = queue([-1, 1, 2, -2, 3])
        #expect(queue.count == 5 && queue.count(of: .urgent) == 3 && queue.count(of: .background) == 2)
        #expect(queue.isNextUrgent && !queue.isEmpty)
        #expect(drained(queue) == [1, 2, 3, -1, -2])
        #expect(drained(LaneQueue<Int>()).isEmpty)
        #expect(!LaneQueue<Int>().isNextUrgent)
    }

    @Test("Under urgent elements without end, one of the background lane follows after 32 of them")
    func fairness() {
        let most = LaneQueue<Int>.mostUrgentInARow
        #expect(most == 32)
        let elements = drained(queue(Array(1...(3 * most)) + [-1, -2]))
        #expect(elements.firstIndex(of: -1) == most)
        #expect(elements.firstIndex(of: -2) == 2 * most + 1)
        #expect(elements.filter { $0 > 0 } == Array(1...(3 * most)))
    }

    @Test("Urgent elements that are taken while none of the background lane waits don't count")
    func alone() {
        let most = LaneQueue<Int>.mostUrgentInARow
        var queue = queue(Array(1...most))
        while queue.next() != nil {}
        queue.append(1, .urgent)
        queue.append(-1, .background)
        #expect(drained(queue) == [1, -1])
        // The one that had waited is gone, and with it the count.
        queue = self.queue([-1] + Array(1...most))
        for _ in 0..<most { _ = queue.next() }
        #expect(!queue.isNextUrgent)
        queue.removeAll { $0 == -1 }
        queue.append(-2, .background)
        queue.append(9, .urgent)
        #expect(drained(queue) == [9, -2])
    }

    @Test("One lane can be taken alone; what is taken counts")
    func oneLane() {
        let most = LaneQueue<Int>.mostUrgentInARow
        var queue = queue([-1, -2] + Array(1...(most + 2)))
        #expect(queue.next(of: .background) == -1)
        for element in 1...(most + 1) { #expect(queue.next(of: .urgent) == element) }
        #expect(!queue.isNextUrgent)
        #expect(queue.next() == -2)
        #expect(queue.next() == most + 2)
        #expect(queue.next(of: .urgent) == nil && queue.next(of: .background) == nil)
    }

    @Test("Elements can be put first, removed, and moved to the end of their lane")
    func changes() {
        var queue = queue([-1, 1, 2, -2, 3])
        queue.prepend([8, 9])
        #expect(drained(queue) == [8, 9, 1, 2, 3, -1, -2])
        queue.moveLast { $0 == 9 || $0 == 1 }
        #expect(drained(queue) == [8, 2, 3, 9, 1, -1, -2])
        queue.removeAll { $0 == 2 || $0 == -1 }
        #expect(drained(queue) == [8, 3, 9, 1, -2])
        queue.removeAll { _ in true }
        #expect(queue.isEmpty && queue.count == 0)
    }
}
