import Oracle
import Updater

/// The records that a process found when it started, to tell which records it wrote.
///
/// A record with a higher generation was written by the process, with one exception: a generation that could
/// not be read is overwritten by the process, and a power cut can restore it with the log of an earlier
/// process.
package struct PreviousRecords: Sendable {
    private var generation: UInt64 = 0
    /// Records of a higher generation that only the durable image has.
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

    package func hashMemory(into sum: inout Hasher) {
        sum.combine(generation)
        sum.combine(hidden)
    }
}
