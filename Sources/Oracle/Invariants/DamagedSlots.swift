import Core
import Updater

/// Slots of the record that the scenario has damaged and that were not written since. The durable image shows
/// them without the damage, but the updater can't read them.
struct DamagedSlots: Hashable, Sendable {
    private struct DamagedSlot: Hashable {
        var path: String
        var content: StoreImage.Slot
    }

    private var slots: [DamagedSlot] = []

    var isEmpty: Bool { slots.isEmpty }

    /// The scenario has damaged a file of the store.
    /// - Parameter before: the slots before the damage: one that is absent now may have been removed.
    mutating func damaged(_ path: String, in image: StoreImage, before: Present = Present()) {
        slots += DamagedSlots.all(in: image).filter { slot in
            slot.path == path && (slot.content != .absent || before.contains(path))
        }
    }

    /// Which slots an image has.
    struct Present: Hashable, Sendable {
        private var hasA = false
        private var hasB = false

        init() {}

        init(in image: StoreImage) {
            if case .absent = image.slotA { hasA = false } else { hasA = true }
            if case .absent = image.slotB { hasB = false } else { hasB = true }
        }

        func contains(_ path: String) -> Bool {
            path == StorePaths.recordA.text && hasA || path == StorePaths.recordB.text && hasB
        }
    }

    /// Removes slots that were written since.
    mutating func removeWritten(in image: StoreImage) {
        if slots.isEmpty { return }
        let now = DamagedSlots.all(in: image)
        slots.removeAll { damaged in !now.contains(damaged) }
    }

    /// The newest generation that the updater can read.
    func readableRecord(of image: StoreImage) -> RecordImage? {
        if slots.isEmpty { return image.record }
        let readable = DamagedSlots.all(in: image).filter { slot in !slots.contains(slot) }
        return readable.compactMap(\.content.record).max { $0.generation < $1.generation }
    }

    private static func all(in image: StoreImage) -> [DamagedSlot] {
        [
            DamagedSlot(path: StorePaths.recordA.text, content: image.slotA),
            DamagedSlot(path: StorePaths.recordB.text, content: image.slotB),
        ]
    }
}
