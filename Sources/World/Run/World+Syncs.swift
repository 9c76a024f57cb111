import AppHost
import Core

/// Syncs beside the steps of the app (``SyncQueue``).
extension World {
    /// The sync covers what is pending now; it begins with ``beginSyncs(_:)``.
    mutating func submitSync(_ ticket: SyncTicket, _ target: SyncTarget, _ lane: WorkLane, _ device: Int) {
        devices[device].disk.submit(ticket, target)
        devices[device].process.syncs.add(SyncQueue.Sync(ticket: ticket, target: target, lane: lane))
    }

    /// Begins the next batch, if one waits and none is under way. Its end is an event even if it takes no
    /// time.
    mutating func beginSyncs(_ device: Int) {
        let batch = devices[device].process.syncs.beginBatch()
        guard let first = batch.first else { return }
        let span = devices[device].disk.begin(batch: batch.map(\.target))
        postFromOutside(.syncBatch(first.ticket), device, after: span)
    }

    /// The batch under way is done: the disk completes its syncs, the next batch begins, and the app gets the
    /// completions.
    mutating func completeSyncs(_ device: Int) {
        let process = devices[device].process.ordinal
        var completions: [AppInput] = []
        for sync in devices[device].process.syncs.endBatch() {
            completions.append(.synced(sync.ticket, devices[device].disk.complete(sync.ticket)))
            if devices[device].disk.isStopped {
                stoppedDevice = device
                return
            }
        }
        // The batch has taken its time.
        _ = devices[device].disk.takeCost()
        beginSyncs(device)
        for completion in completions where devices[device].process.ordinal == process {
            arrive(completion, device)
        }
    }
}
