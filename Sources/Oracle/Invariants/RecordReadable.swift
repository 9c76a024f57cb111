import Backend
import Core
import Updater

/// R8: the record is always readable, in its old or its new state.
///
/// Once a record has been durable, every later durable image and every later live image has a valid one, and
/// generations only grow.
///
/// Silent about: generations after the scenario has damaged a slot, until that slot is written again; until
/// then no generation may read. The durable image may still show the content below the damage, so generations
/// may begin below it.
struct RecordReadable: Checker {
    let rule = "R8"

    /// Last durable generation.
    private var generation: UInt64?
    /// Slots that the scenario has damaged and that were not written since.
    private var damaged: [(path: String, slot: StoreImage.Slot)] = []

    func hashMemory(into hasher: inout Hasher) {
        hasher.combine(generation)
        for (path, slot) in damaged {
            hasher.combine(path)
            hasher.combine(slot)
        }
    }

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        guard case .damaged(let path) = event.kind else { return nil }
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
        let mayGoBack = !damaged.isEmpty
        if mayGoBack, store.durable.generation == nil || store.live.generation == nil { return nil }
        guard let durable = store.durable.generation else {
            return Violation(
                "A power cut now would leave no record that reads",
                expected: "generation \(known) or a newer one",
                actual: ViolationText(RecordReadable.slots(store.durable)))
        }
        guard store.live.generation != nil else {
            return Violation(
                "No generation of the record reads", expected: "generation \(known) or a newer one",
                actual: ViolationText(RecordReadable.slots(store.live)))
        }
        if mayGoBack { removeWritten(store) }
        if durable < known, !mayGoBack {
            return Violation(
                "The record went back", expected: "generation \(known) or a newer one",
                actual: "generation \(durable)")
        }
        generation = durable
        return nil
    }

    /// Removes damaged slots that were written since.
    private mutating func removeWritten(_ store: StoreView) {
        damaged.removeAll { path, slot in
            slot != (path == StorePaths.recordA.text ? store.durable.slotA : store.durable.slotB)
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
