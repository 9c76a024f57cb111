import Core

/// Holds the named events of a race back until it is their turn.
struct Gate: Sendable {
    private let order: [RacingEvent]
    private var next = 0
    private var held: [(RacingEvent, Held)] = []

    /// Something for a device's process that waits.
    struct Held: Sendable {
        let device: Int
        let process: Int
        let input: AppInput
    }

    init(order: [RacingEvent]) { self.order = order }

    var isDone: Bool { next >= order.count && held.isEmpty }

    /// True when it has to wait; else it is its turn, or it is none of the race.
    mutating func holds(_ event: RacingEvent, _ input: Held) -> Bool {
        guard let place = order.firstIndex(of: event), place >= next else { return false }
        if place == next {
            next += 1
            return false
        }
        held.append((event, input))
        return true
    }

    /// What may come now that ``holds(_:_:)`` let one through.
    mutating func released() -> [Held] {
        var free: [Held] = []
        while next < order.count, let place = held.firstIndex(where: { $0.0 == order[next] }) {
            free.append(held.remove(at: place).1)
            next += 1
        }
        return free
    }

    /// Lets all go: those in the order's order first that can.
    mutating func giveUp() -> [Held] {
        defer {
            held = []
            next = order.count
        }
        let sorted = held.enumerated().sorted { left, right in
            let one = order.firstIndex(of: left.element.0) ?? 0
            let other = order.firstIndex(of: right.element.0) ?? 0
            return one == other ? left.offset < right.offset : one < other
        }
        return sorted.map(\.element.1)
    }

    var isHolding: Bool { !held.isEmpty }
}
