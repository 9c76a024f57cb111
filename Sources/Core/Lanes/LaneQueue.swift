/// What waits to be handled, in two lanes (rule S9): an element of the background lane is taken only while no
/// urgent one waits.
///
/// **Invariants.** Elements of one lane are taken in order. While urgent ones never end, every
/// ``mostUrgentInARow``-th element is one of the background lane, so that the update still finishes under a
/// page that never stops asking.
///
/// Inlinable, because the optimizer makes a version for the element's type in another module only then.
@usableFromInline package struct LaneQueue<Element> {
    /// Urgent elements that are taken in a row while one of the background lane waits.
    @inlinable package static var mostUrgentInARow: Int { 32 }

    @usableFromInline var urgent: [Element] = []
    @usableFromInline var background: [Element] = []
    /// Urgent elements taken since the last one of the background lane, while one of it waits.
    @usableFromInline var urgentInARow = 0

    @inlinable package init() {}

    @inlinable package var isEmpty: Bool { urgent.isEmpty && background.isEmpty }

    @inlinable package var count: Int { urgent.count + background.count }

    @inlinable package func count(of lane: WorkLane) -> Int {
        switch lane {
        case .urgent: urgent.count
        case .background: background.count
        }
    }

    /// Whether the next element is one that a page, the user or the platform waits for.
    @inlinable package var isNextUrgent: Bool {
        !urgent.isEmpty && (background.isEmpty || urgentInARow < LaneQueue.mostUrgentInARow)
    }

    @inlinable package mutating func append(_ element: Element, _ lane: WorkLane) {
        switch lane {
        case .urgent: urgent.append(element)
        case .background: background.append(element)
        }
    }

    /// Adds elements before all urgent ones.
    @inlinable package mutating func prepend(_ elements: [Element]) {
        urgent.insert(contentsOf: elements, at: 0)
    }

    @inlinable package mutating func next() -> Element? { next(of: isNextUrgent ? .urgent : .background) }

    /// Removes the first element of one lane, whichever lane is next.
    @inlinable package mutating func next(of lane: WorkLane) -> Element? {
        switch lane {
        case .urgent:
            guard !urgent.isEmpty else { return nil }
            urgentInARow = background.isEmpty ? 0 : urgentInARow + 1
            return urgent.removeFirst()
        case .background:
            urgentInARow = 0
            return background.isEmpty ? nil : background.removeFirst()
        }
    }

    @inlinable package mutating func removeAll(where isRemoved: (Element) -> Bool) {
        if !urgent.isEmpty { urgent.removeAll(where: isRemoved) }
        guard !background.isEmpty else { return }
        background.removeAll(where: isRemoved)
        if background.isEmpty { urgentInARow = 0 }
    }

    /// Moves the elements of a kind behind all others of their lane.
    @inlinable package mutating func moveLast(_ isMoved: (Element) -> Bool) {
        urgent = urgent.filter { !isMoved($0) } + urgent.filter(isMoved)
        background = background.filter { !isMoved($0) } + background.filter(isMoved)
    }
}

extension LaneQueue: Sendable where Element: Sendable {}
