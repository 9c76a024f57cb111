import Core

/// Identifies one entry of a ``EventQueue``; invalid once the entry has left it.
struct QueueTicket: Hashable, Sendable {
    let slot: Int32
    let generation: UInt32
}

/// Future events, ordered by (instant, tie-break, sequence): a binary heap that knows the index of each
/// entry, so that a cancelled one can be removed.
///
/// Guarantees: a ticket is never valid for another entry than its own; equal instants and tie-breaks come out
/// in the order in which they went in. Deliberately not here: names (``Timers``), the clock.
struct EventQueue<Payload: Sendable>: Sendable {
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
        /// Index of the key in the heap.
        var heapIndex: Int32 = 0
        var generation: UInt32 = 0
    }

    private var heap: [Key] = []
    /// Changed whenever a key moves in the heap; small, because the payloads are apart.
    private var slots: [Slot] = []
    /// Payloads by slot; nil in a free slot.
    private var payloads: [Payload?] = []
    private var free: [Int32] = []
    private var sequence: UInt64 = 0

    var count: Int { heap.count }
    var isEmpty: Bool { heap.isEmpty }

    /// Time at which the next entry is due.
    var nextTime: Instant? { heap.first.map { Instant(microseconds: $0.at) } }

    @discardableResult
    mutating func push(_ payload: consuming Payload, at: Instant, tie: UInt64 = 0) -> QueueTicket {
        let slot: Int32
        if let reused = free.popLast() {
            slot = reused
            payloads[Int(slot)] = payload
        } else {
            slot = Int32(payloads.count)
            payloads.append(payload)
            slots.append(Slot())
        }
        sequence &+= 1
        heap.append(Key(at: at.microseconds, tie: tie, sequence: sequence, slot: slot))
        rise(heap.count - 1)
        return QueueTicket(slot: slot, generation: slots[Int(slot)].generation)
    }

    /// Removes and returns the first entry.
    mutating func pop() -> (at: Instant, payload: Payload)? {
        guard let first = heap.first, let payload = payloads[Int(first.slot)].take() else { return nil }
        removeKey(at: 0)
        release(first.slot)
        return (Instant(microseconds: first.at), payload)
    }

    /// Removes the entry; false if it has left the queue already.
    @discardableResult
    mutating func remove(_ ticket: QueueTicket) -> Bool {
        let index = Int(ticket.slot)
        guard payloads.indices.contains(index), slots[index].generation == ticket.generation,
            payloads[index] != nil
        else { return false }
        removeKey(at: Int(slots[index].heapIndex))
        payloads[index] = nil
        release(ticket.slot)
        return true
    }

    /// Removes all entries whose payload matches.
    mutating func removeAll(where leaves: (Payload) -> Bool) {
        var leaving: [QueueTicket] = []
        for key in heap {
            guard let payload = payloads[Int(key.slot)], leaves(payload) else { continue }
            leaving.append(QueueTicket(slot: key.slot, generation: slots[Int(key.slot)].generation))
        }
        for ticket in leaving { remove(ticket) }
    }

    /// Whether any payload matches; they are tried in no particular order.
    func contains(where fits: (Payload) -> Bool) -> Bool {
        heap.contains { key in payloads[Int(key.slot)].map(fits) ?? false }
    }

    /// All entries, in the order in which they are due.
    var entries: [(at: Instant, payload: Payload)] {
        heap.sorted { $0.isBefore($1) }.compactMap { key in
            payloads[Int(key.slot)].map { (Instant(microseconds: key.at), $0) }
        }
    }

    /// Frees a slot whose payload has been taken.
    private mutating func release(_ slot: Int32) {
        slots[Int(slot)].generation &+= 1
        free.append(slot)
    }

    private mutating func removeKey(at index: Int) {
        let last = heap.removeLast()
        guard index < heap.count else { return }
        heap[index] = last
        if index > 0, last.isBefore(heap[(index - 1) / 2]) { rise(index) } else { sink(index) }
    }

    private mutating func rise(_ start: Int) {
        withHeap { heap, slots in
            var index = start
            let key = heap[index]
            while index > 0 {
                let parent = (index - 1) / 2
                if !key.isBefore(heap[parent]) { break }
                heap[index] = heap[parent]
                slots[Int(heap[index].slot)].heapIndex = Int32(truncatingIfNeeded: index)
                index = parent
            }
            heap[index] = key
            slots[Int(key.slot)].heapIndex = Int32(truncatingIfNeeded: index)
        }
    }

    private mutating func sink(_ start: Int) {
        withHeap { heap, slots in
            var index = start
            let key = heap[index]
            while true {
                var child = 2 * index + 1
                if child >= heap.count { break }
                if child + 1 < heap.count, heap[child + 1].isBefore(heap[child]) { child += 1 }
                if !heap[child].isBefore(key) { break }
                heap[index] = heap[child]
                slots[Int(heap[index].slot)].heapIndex = Int32(truncatingIfNeeded: index)
                index = child
            }
            heap[index] = key
            slots[Int(key.slot)].heapIndex = Int32(truncatingIfNeeded: index)
        }
    }

    /// Moves keys without a check for uniqueness at each move.
    @inline(__always)
    private mutating func withHeap(
        _ move: (UnsafeMutableBufferPointer<Key>, UnsafeMutableBufferPointer<Slot>) -> Void
    ) {
        heap.withUnsafeMutableBufferPointer { heap in
            slots.withUnsafeMutableBufferPointer { slots in move(heap, slots) }
        }
    }
}
