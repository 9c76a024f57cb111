import Backend
import Core

/// A sync that was submitted and has not completed.
struct SyncInFlight: Equatable, Sendable {
    let ticket: SyncTicket
    let target: SyncTarget
    /// What its completion makes durable; nil: nothing, because the target is on a read-only volume or was
    /// invalid at the submission.
    let coverage: SyncCoverage?
    /// What was wrong with the target at the submission.
    let flaw: DiskError.Code?
}

/// The pending operations that a sync makes durable: those of one file's content or of one directory's names
/// that preceded its submission.
struct SyncCoverage: Equatable, Sendable {
    enum What: Sendable { case content, names }

    /// The file or directory.
    let object: InodeNumber
    let what: What
    /// Ordinal of the sync among those that were submitted to its disk, from 1. A sync that is performed at
    /// once has the largest one, because it covers everything.
    let ordinal: UInt32

    init(contentOf file: InodeNumber, ordinal: UInt32 = .max) {
        object = file
        what = .content
        self.ordinal = ordinal
    }

    init(namesIn directory: InodeNumber, ordinal: UInt32 = .max) {
        object = directory
        what = .names
        self.ordinal = ordinal
    }

    func contains(_ operation: PendingOperation) -> Bool {
        guard operation.syncsBefore < ordinal else { return false }
        switch what {
        case .content: return operation.object == object && operation.isContent
        case .names: return operation.changesNames(of: object)
        }
    }
}

/// Syncs that take place beside other calls.
///
/// The submission is no call: it can't fail, takes no time and is not counted. The completion is the call
/// (`sync`, `syncDirectory`) for counts, faults, a stop, the journal and costs. If it fails, what the sync
/// covered is lost as by a sync that is performed at once; what was written since stays pending.
extension SimulatedDisk {
    /// Begins a sync: it covers what is pending now. A ticket must not be in flight already.
    package mutating func submit(_ ticket: SyncTicket, _ target: SyncTarget) {
        submittedSyncs += 1
        var coverage: SyncCoverage?
        var flaw: DiskError.Code?
        switch target {
        case .file(let file):
            if let open = openFile(file) {
                if open.volume == .data {
                    coverage = SyncCoverage(contentOf: open.inode, ordinal: submittedSyncs)
                }
            } else {
                flaw = .badHandle
            }
        case .directory(let path):
            switch find(path) {
            case .failure(let failure): flaw = failure.code
            case .success(let inode) where tree(path.volume)[inode].kind != .directory: flaw = .notADirectory
            case .success(let inode):
                if path.volume == .data {
                    coverage = SyncCoverage(namesIn: inode, ordinal: submittedSyncs)
                }
            }
        }
        syncsInFlight.append(SyncInFlight(ticket: ticket, target: target, coverage: coverage, flaw: flaw))
    }

    /// Ends a sync: what it covers, and what the profile's order requires with it, is durable, or the sync
    /// fails. A sync whose file was closed in between fails with `badHandle`.
    /// - Returns: nil if everything that the sync covers is durable.
    package mutating func complete(_ ticket: SyncTicket) -> DiskError? {
        do throws(DiskError) {
            guard let index = syncsInFlight.firstIndex(where: { $0.ticket == ticket }) else {
                return try perform(.sync, .volume(.data)) { _ in DiskError(.badHandle, .sync) }
            }
            let sync = syncsInFlight[index]
            let call = sync.target.call
            // A stopped disk carries nothing out, so the sync stays in flight until the crash.
            if !isStopped { syncsInFlight.remove(at: index) }
            try perform(call, .submitted(sync)) { (disk: inout SimulatedDisk) throws(DiskError) in
                if let flaw = sync.flaw { throw DiskError(flaw, call, sync.target.callTarget.path) }
                guard let coverage = sync.coverage, !disk.isLeftOut(call, .submitted(sync)) else { return }
                disk.retire(coverage)
            }
            return nil
        } catch {
            return error
        }
    }

    /// The device begins these syncs together.
    /// - Returns: the time that it needs for them, `slow` faults included.
    mutating func begin(batch targets: [SyncTarget]) -> TimeSpan {
        var span = cost.span(ofBatch: targets.map(\.call))
        for call in targets.map(\.call) {
            let delay = faults.delay(of: call)
            // Here and not at the end only: the process may end before.
            if delay > .zero { faultEffects.formUnion(.slow(call)) }
            span += delay
        }
        return span
    }

    // MARK: - What the syncs in flight cover

    /// For each pending operation whether a sync in flight covers it.
    var coveredBySyncsInFlight: [Bool] {
        pending.map { operation in syncsInFlight.contains { isCovered(operation, by: $0) } }
    }

    /// Whether a sync in flight covers any operation.
    var hasCoveredOperations: Bool {
        pending.contains { operation in syncsInFlight.contains { isCovered(operation, by: $0) } }
    }

    /// For each pending operation whether this sync covers it.
    func covered(by sync: SyncInFlight) -> [Bool] { pending.map { isCovered($0, by: sync) } }

    private func isCovered(_ operation: PendingOperation, by sync: SyncInFlight) -> Bool {
        guard let coverage = sync.coverage else { return false }
        return coverage.contains(operation) || isFlushed(operation, byFullSync: coverage.ordinal)
    }
}

extension SyncTarget {
    /// The call that makes it durable.
    var call: DiskCall {
        switch self {
        case .file: .sync
        case .directory: .syncDirectory
        }
    }

    var callTarget: CallTarget {
        switch self {
        case .file(let file): .handle(file)
        case .directory(let path): .path(path)
        }
    }
}
