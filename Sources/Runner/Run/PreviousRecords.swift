import Oracle
import Updater

/// The records that a process found when it began: a newer one is its own.
///
/// Not each newer one: where a generation could not be read, the process wrote over it, and a power cut can
/// bring it back as it was, with what another process told.
package struct PreviousRecords: Sendable {
    private var generation: UInt64 = 0
    /// Of a higher generation, on the medium alone.
    private var hidden: [RecordImage] = []

    package init() {}

    package init(_ view: StoreView) {
        let found = view.live.generation ?? 0
        generation = found
        hidden = [view.durable.slotA, view.durable.slotB].compactMap(\.record).filter {
            $0.generation > found
        }
    }

    package func isNew(_ record: RecordImage) -> Bool {
        record.generation > generation && !hidden.contains(record)
    }

    package func remember(in sum: inout Hasher) {
        sum.combine(generation)
        sum.combine(hidden)
    }
}
