import Backend
import Core
import Updater

/// R8: the record is always readable as its old or its new state.
///
/// Once a record has been durable, every later durable image has one that reads, and what processes see
/// has one too; generations only grow; after the second commit both slots are in use. Damage by the
/// scenario starts the watch anew; an image shows what it lies over as it was, so after damage of the record
/// generations may begin below what is seen there until both slots are written.
struct RecordReadable: Checker {
    let rule = "R8"

    private var generation: UInt64?
    /// Slots that still hold what the scenario has damaged.
    private var damaged: [(path: String, slot: StoreImage.Slot)] = []

    func remember(in sum: inout Hasher) {
        sum.combine(generation)
        for row in damaged {
            sum.combine(row.path)
            sum.combine(row.slot)
        }
    }

    mutating func observe(_ fact: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        guard case .damaged(let path) = fact.kind else { return nil }
        generation = store.durable.generation
        let slots = [(StorePaths.recordA, store.durable.slotA), (StorePaths.recordB, store.durable.slotB)]
        damaged += slots.filter { $0.text == path && $1 != .absent }.map { ($0.text, $1) }
        return nil
    }

    mutating func storeChanged(_ store: StoreView, in observed: ObservedState) -> Violation? {
        guard let known = generation else {
            generation = store.durable.generation
            return nil
        }
        guard let durable = store.durable.generation else {
            return Violation(
                "A power cut now would leave no record that reads",
                expected: "generation \(known) or a newer one", actual: RecordReadable.slots(store.durable))
        }
        guard store.live.generation != nil else {
            return Violation(
                "No generation of the record reads", expected: "generation \(known) or a newer one",
                actual: RecordReadable.slots(store.live))
        }
        let mayBeginAnew = !damaged.isEmpty
        if mayBeginAnew { forgetWritten(store) }
        if durable < known, !mayBeginAnew {
            return Violation(
                "The record went back", expected: "generation \(known) or a newer one",
                actual: "generation \(durable)")
        }
        generation = durable
        return nil
    }

    /// Damage that was written over.
    private mutating func forgetWritten(_ store: StoreView) {
        damaged.removeAll { row in
            row.slot != (row.path == StorePaths.recordA.text ? store.durable.slotA : store.durable.slotB)
        }
    }

    private static func slots(_ image: StoreImage) -> String {
        "record.a \(text(image.slotA)), record.b \(text(image.slotB))"
    }

    private static func text(_ slot: StoreImage.Slot) -> String {
        switch slot {
        case .absent: "absent"
        case .invalid: "does not read"
        case .valid(let record): "generation \(record.generation)"
        }
    }
}
