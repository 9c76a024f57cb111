import Core

/// Names one entry of a ``Queue``; worthless once it has left.
struct Ticket: Hashable, Sendable {
    let slot: Int32
    let generation: UInt32
}

/// What is going to happen, ordered by (instant, tie-break, sequence): a binary heap that knows where
/// each entry stands, so that a cancelled one leaves it.
///
/// Guarantees: a ticket is never valid for another entry than its own; equal instants and
/// tie-breaks come out in the order in which they went in. Deliberately not here: names (``Timers``), the
/// clock.
struct Queue<Payload: Sendable>: Sendable {
    private struct Key: Sendable {
        var at: Int64
        var tie: UInt64
        var sequence: UInt64
        var slot: Int32

        @inline(__always)
        func isBefore(_ other: Key) -> Bool {
            if at != other.at { return at < other.at }
            if tie != other.tie { return tie < other.tie }
            return sequence < other.sequence
        }
    }

    private struct Slot: Sendable {
        var payload: Payload?
        /// Where the key stands in the heap.
        var place: Int32
        var generation: UInt32
    }

    private var heap: [Key] = []
    private var slots: [Slot] = []
    private var free: [Int32] = []
    private var sequence: UInt64 = 0

    var count: Int { heap.count }
    var isEmpty: Bool { heap.isEmpty }

    /// When the next entry is due.
    var nextTime: Instant? { heap.first.map { Instant(microseconds: $0.at) } }

    @discardableResult
    mutating func push(_ payload: Payload, at: Instant, tie: UInt64 = 0) -> Ticket {
        let slot: Int32
        if let reused = free.popLast() {
            slot = reused
            slots[Int(slot)].payload = payload
        } else {
            slot = Int32(slots.count)
            slots.append(Slot(payload: payload, place: 0, generation: 0))
        }
        sequence &+= 1
        heap.append(Key(at: at.microseconds, tie: tie, sequence: sequence, slot: slot))
        rise(heap.count - 1)
        return Ticket(slot: slot, generation: slots[Int(slot)].generation)
    }

    /// Takes the first entry out.
    mutating func pop() -> (at: Instant, payload: Payload)? {
        guard let first = heap.first, let payload = slots[Int(first.slot)].payload.take() else { return nil }
        removeKey(at: 0)
        release(first.slot)
        return (Instant(microseconds: first.at), payload)
    }

    /// Takes the entry out; false when it has left already.
    @discardableResult
    mutating func remove(_ ticket: Ticket) -> Bool {
        let index = Int(ticket.slot)
        guard slots.indices.contains(index), slots[index].generation == ticket.generation,
            slots[index].payload != nil
        else { return false }
        removeKey(at: Int(slots[index].place))
        release(ticket.slot)
        return true
    }

    /// Takes all entries out whose payload answers true.
    mutating func removeAll(where leaves: (Payload) -> Bool) {
        var leaving: [Ticket] = []
        for key in heap {
            guard let payload = slots[Int(key.slot)].payload, leaves(payload) else { continue }
            leaving.append(Ticket(slot: key.slot, generation: slots[Int(key.slot)].generation))
        }
        for ticket in leaving { remove(ticket) }
    }

    /// Whether any entry answers true; in no particular order.
    func contains(where fits: (Payload) -> Bool) -> Bool {
        heap.contains { key in slots[Int(key.slot)].payload.map(fits) ?? false }
    }

    /// In the order in which they would come.
    var entries: [(at: Instant, payload: Payload)] {
        heap.sorted { $0.isBefore($1) }.compactMap { key in
            slots[Int(key.slot)].payload.map { (Instant(microseconds: key.at), $0) }
        }
    }

    private mutating func release(_ slot: Int32) {
        slots[Int(slot)].payload = nil
        slots[Int(slot)].generation &+= 1
        free.append(slot)
    }

    private mutating func removeKey(at place: Int) {
        let last = heap.removeLast()
        guard place < heap.count else { return }
        heap[place] = last
        slots[Int(last.slot)].place = Int32(place)
        if place > 0, last.isBefore(heap[(place - 1) / 2]) { rise(place) } else { sink(place) }
    }

    private mutating func rise(_ start: Int) {
        var place = start
        let key = heap[place]
        while place > 0 {
            let parent = (place - 1) / 2
            if !key.isBefore(heap[parent]) { break }
            heap[place] = heap[parent]
            slots[Int(heap[place].slot)].place = Int32(place)
            place = parent
        }
        heap[place] = key
        slots[Int(key.slot)].place = Int32(place)
    }

    private mutating func sink(_ start: Int) {
        var place = start
        let key = heap[place]
        let count = heap.count
        while true {
            var child = 2 * place + 1
            if child >= count { break }
            if child + 1 < count, heap[child + 1].isBefore(heap[child]) { child += 1 }
            if !heap[child].isBefore(key) { break }
            heap[place] = heap[child]
            slots[Int(heap[place].slot)].place = Int32(place)
            place = child
        }
        heap[place] = key
        slots[Int(key.slot)].place = Int32(place)
    }
}
