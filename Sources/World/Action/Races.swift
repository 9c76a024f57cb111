import Core
import ScenarioLanguage

/// The races of a run, in the order in which they began.
///
/// Invariants
/// - A race keeps its index for as long as the world exists; the queued timeout names it by that index.
/// - An event is held back by at most one race: the oldest unfinished one that lists it.
/// - A race that is given up releases the events that it held, once, and holds none afterwards.
struct Races: Sendable {
    private var barriers: [RaceBarrier] = []

    /// No race has begun.
    var isEmpty: Bool { barriers.isEmpty }

    mutating func begin(_ order: [RacingEvent], step: Int) -> Int {
        barriers.append(RaceBarrier(order: order, step: step))
        return barriers.count - 1
    }

    mutating func admit(_ event: RacingEvent, _ input: RaceBarrier.Held) -> RaceBarrier.Decision {
        for index in barriers.indices where !barriers[index].isDone {
            let decision = barriers[index].admit(event, input)
            if case .unrelated = decision { continue }
            return decision
        }
        return .unrelated
    }

    /// Ends the race. Returns the step that began it and the inputs that it held; nil if it is done.
    mutating func giveUp(_ index: Int) -> (step: Int, held: [RaceBarrier.Held])? {
        guard barriers.indices.contains(index), !barriers[index].isDone else { return nil }
        return (barriers[index].step, barriers[index].giveUp())
    }
}

/// Holds back the listed events of one race until the order allows them.
struct RaceBarrier: Sendable {
    /// Index of the step that began the race.
    let step: Int
    private let order: [RacingEvent]
    private var next = 0
    private var held: [(event: RacingEvent, input: Held)] = []

    /// An input of a device's process that is held back.
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

    enum Decision: Sendable {
        case hold
        /// The event is the next one; it is delivered, and after it these held ones.
        case proceed([(event: RacingEvent, input: Held)])
        /// The event does not belong to the race.
        case unrelated
    }

    mutating func admit(_ event: RacingEvent, _ input: Held) -> Decision {
        guard let index = order.firstIndex(of: event), index >= next else { return .unrelated }
        guard index == next else {
            held.append((event, input))
            return .hold
        }
        next += 1
        var released: [(event: RacingEvent, input: Held)] = []
        while next < order.count, let index = held.firstIndex(where: { $0.0 == order[next] }) {
            released.append(held.remove(at: index))
            next += 1
        }
        return .proceed(released)
    }

    /// Releases all held inputs, sorted by the order as far as they are part of it.
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
