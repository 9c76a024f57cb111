import Backend
import Core
import ScenarioLanguage

/// What is left of a disk when the power fails, the system crashes, or the process ends. Which operations
/// survive is chosen in `PowerCutSurvivors.swift` (``PowerCutOutcome`` `survivors(of:_:)`). This file decides
/// the rest: outcomes that need no order (nothing, everything), that a kernel panic also keeps what the
/// device has in its cache, that no handle stays open, which write is torn, and that the survivors change the
/// medium, from which the device starts.
extension SimulatedDisk {
    /// Number of pending operations: changes that are not durable yet.
    package var pendingCount: Int { pending.count }

    /// The outcomes that a power cut can have now; with torn writes if lost blocks hold garbage.
    package func powerCutPlan() -> PowerCutPlan {
        let tearing = faults.leavesGarbage ? pending.indices.filter { pending[$0].isData } : []
        return PowerCutPlan(
            PersistenceOrder(pending, profile), tearing: tearing, hasSyncsInFlight: hasCoveredOperations)
    }

    /// The process ends: its handles and locks are released; all accepted changes stay, durable or not. Syncs
    /// in flight make nothing durable.
    package mutating func processEnded() {
        syncsInFlight = []
        for index in openFiles.indices.reversed() where openFiles.indices.contains(index) {
            dropHandle(FileHandle(id: Int32(index)))
        }
        // A stop that has not been reached yet stays armed for the next process.
        if isStopped { resume() }
    }

    /// The power fails: the pending operations that `outcome` names survive, all others are lost, and the
    /// device starts from the medium.
    /// - Returns: for each pending operation whether it survived.
    @discardableResult
    package mutating func powerCut(keeping outcome: PowerCutOutcome) -> [Bool] {
        cut(keeping: outcome, isCacheKept: false)
    }

    /// The system crashes, or its watchdog restarts it: as a power cut, but what the device has in its cache
    /// survives. The two differ only in profile `apple` with plain syncs.
    @discardableResult
    package mutating func kernelPanic(keeping outcome: PowerCutOutcome) -> [Bool] {
        cut(keeping: outcome, isCacheKept: true)
    }

    /// The device is shut down or restarted in order: everything becomes durable first.
    package mutating func cleanShutdown() { powerCut(keeping: .everything) }

    /// The disk after a power cut that none of the pending operations survives.
    package func worstDurableImage() -> SimulatedDisk {
        var image = self
        image.powerCut(keeping: .nothing)
        return image
    }

    /// Ends a stop: calls work again.
    package mutating func resume() {
        faults.isStopped = false
        faults.lastOperation = nil
        faults.lastWrite = nil
        callsAfterStop = 0
    }

    private mutating func cut(keeping outcome: PowerCutOutcome, isCacheKept: Bool) -> [Bool] {
        let survivors = survivors(of: outcome, isCacheKept: isCacheKept)
        var torn: Int?
        if case .torn(let index) = outcome, pending.indices.contains(index), pending[index].isData {
            torn = index
        }
        journal.noteEverything()
        apply(survivors, torn: torn, leavesGarbage: faults.leavesGarbage && profile.canShowGarbage)
        pendingOperations.removeAll()
        syncsInFlight = []
        openFiles = []
        usedSpace = data.restart()
        if !faults.damages.isEmpty {
            let tree = data
            faults.damages.removeAll { $0.volume == .data && tree[$0.inode].kind == .unused }
        }
        if isStopped { resume() }
        return survivors
    }

    /// For each pending operation whether it survives the cut.
    private func survivors(of outcome: PowerCutOutcome, isCacheKept: Bool) -> [Bool] {
        var survivors: [Bool]
        switch outcome {
        case .nothing: survivors = pending.map { _ in false }
        case .everything, .torn: survivors = pending.map { _ in true }
        case .only, .allBut, .pair, .metadataOnly, .dataOnly, .these, .keyed, .syncsInFlight:
            survivors = outcome.survivors(
                of: pending, PersistenceOrder(pending, profile), inFlight: coveredBySyncsInFlight)
        }
        if isCacheKept, pending.contains(where: { $0.isInDeviceCache }) {
            for index in pending.indices where pending[index].isInDeviceCache { survivors[index] = true }
            survivors = PersistenceOrder(pending, profile).adding(to: survivors)
        }
        return survivors
    }
}
