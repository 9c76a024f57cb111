import Core

/// The syncs that a process has submitted and that have not completed. The device does them in batches.
///
/// **Model.** A device has one queue, because its file system has one journal and its flash one cache. While
/// nothing is under way, all urgent syncs that wait together form the next batch; if none is urgent, all that
/// wait do. So an urgent sync goes before all background ones that have not begun, and waits for the batch
/// under way only. The syncs of a batch complete together, in the order of their submission: at that moment
/// the disk makes each durable (``SimulatedDisk/complete(_:)``), and the app gets their completions.
///
/// **Duration** of a batch (``SimulatedDisk/begin(batch:)``): the longest of its syncs, a share of each
/// further one (``DiskCost/batchShare``), and what a fault adds to each. Bytes are charged when they are
/// written (``DiskCost/writeRate``), not here, so a sync takes as long for one block as for many.
///
/// **Assumptions**
/// - Syncs that were submitted together share the journal's commit. ext4 groups them (jbd2); that F2FS and
///   APFS do is assumed.
/// - A full sync of profile `apple` (`F_FULLFSYNC`) covers all earlier plain ones of the device; it takes no
///   longer for them.
/// - A submitted sync continues, and begins, while the process is suspended or stopped: the system does it.
///   Its completion waits for the process as any input.
/// - The end of a process drops what has not begun, and the batch under way too: the operations that they
///   cover stay pending, and a power cut may keep any of them. The next process's syncs don't wait for it.
///
/// Invariants: a batch is not empty and of one lane; no sync is in two batches.
struct SyncQueue: Sendable {
    struct Sync: Equatable, Sendable {
        let ticket: SyncTicket
        let target: SyncTarget
        let lane: WorkLane
    }

    private var waiting: [Sync] = []
    /// The batch that the device is busy with; empty: none.
    private var underWay: [Sync] = []

    /// Whether a page, the user or the platform waits for a sync.
    var hasUrgent: Bool {
        underWay.contains { $0.lane == .urgent } || waiting.contains { $0.lane == .urgent }
    }

    mutating func add(_ sync: Sync) { waiting.append(sync) }

    /// Begins the next batch, unless one is under way.
    /// - Returns: the batch, in the order of submission; empty: none has begun.
    mutating func beginBatch() -> [Sync] {
        guard underWay.isEmpty, !waiting.isEmpty else { return [] }
        let lane: WorkLane = waiting.contains { $0.lane == .urgent } ? .urgent : .background
        underWay = waiting.filter { $0.lane == lane }
        waiting.removeAll { $0.lane == lane }
        return underWay
    }

    /// Ends the batch under way and returns it.
    mutating func endBatch() -> [Sync] {
        defer { underWay = [] }
        return underWay
    }
}
