import Core
import ScenarioLanguage

/// The races of a run, in the order in which they began.
///
/// Invariants
/// - A race keeps its index for as long as the world exists; the queued end of its patience names it by that.
/// - An event is held back by one race at most: the oldest that is not done and knows it.
/// - What a race that was given up held back is released once, and it holds nothing back afterwards.
struct Races: Sendable {
    private var barriers: [RaceBarrier] = []

    /// No race has begun.
    var isEmpty: Bool { barriers.isEmpty }

    mutating func begin(_ order: [RacingEvent], step: Int) -> Int {
        barriers.append(RaceBarrier(order: order, step: step))
        return barriers.count - 1
    }

    mutating func meet(_ event: RacingEvent, _ input: RaceBarrier.Held) -> RaceBarrier.Turn {
        for index in barriers.indices where !barriers[index].isDone {
            let turn = barriers[index].meet(event, input)
            if case .isOther = turn { continue }
            return turn
        }
        return .isOther
    }

    /// The step that began the race, and what was held back; nil if the race is done.
    mutating func giveUp(_ index: Int) -> (step: Int, held: [RaceBarrier.Held])? {
        guard barriers.indices.contains(index), !barriers[index].isDone else { return nil }
        return (barriers[index].step, barriers[index].giveUp())
    }
}

/// Holds the named events of one race back until it is their turn.
struct RaceBarrier: Sendable {
    /// The step that begins the race.
    let step: Int
    private let order: [RacingEvent]
    private var next = 0
    private var held: [(event: RacingEvent, input: Held)] = []

    /// Something for a device's process that waits.
    struct Held: Sendable {
        let device: Int
        let process: Int
        let input: AppInput
    }

    init(order: [RacingEvent], step: Int) {
        self.order = order
        self.step = step
    }

    var isDone: Bool { next >= order.count && held.isEmpty }

    enum Turn: Sendable {
        case waits
        /// It is its turn; what has waited for it comes behind it.
        case comes([(event: RacingEvent, input: Held)])
        /// None of the race.
        case isOther
    }

    mutating func meet(_ event: RacingEvent, _ input: Held) -> Turn {
        guard let place = order.firstIndex(of: event), place >= next else { return .isOther }
        guard place == next else {
            held.append((event, input))
            return .waits
        }
        next += 1
        var free: [(event: RacingEvent, input: Held)] = []
        while next < order.count, let place = held.firstIndex(where: { $0.0 == order[next] }) {
            free.append(held.remove(at: place))
            next += 1
        }
        return .comes(free)
    }

    /// Lets all go: those in the order's order first that can.
    mutating func giveUp() -> [Held] {
        defer {
            held = []
            next = order.count
        }
        let sorted = held.enumerated().sorted { left, right in
            let one = order.firstIndex(of: left.element.event) ?? 0
            let other = order.firstIndex(of: right.element.event) ?? 0
            return one == other ? left.offset < right.offset : one < other
        }
        return sorted.map(\.element.input)
    }
}
