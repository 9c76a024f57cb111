import Core

/// Work that takes more than one bounded step. A job continues where it stopped. Boxed, because it is removed
/// from and inserted into the queue with every step.
indirect enum UpdaterJob: Sendable {
    case openStore(StoreOpening)
    case commitRecord(RecordCommit)
    /// Verifies a version before it is served: lengths, and hashes unless checked during this boot (R10).
    case verify(VersionVerification)
    case writeStartsFile
    /// Reads the manifest that a check has received, if it is too long for one step.
    case readManifest(of: TransferID)
    case readInterrupted(InterruptedDownload)
    case startDownload(DownloadStart)
    case planDownload
    /// Writes the rest of what a transfer has received.
    case writeReceived(TransferID)
    case completeFile(FileCompletion)
    case readPartial(PartialReading)
    case completeVersion(VersionCompletion)
    case collectGarbage(GarbageCollection)
    case closeFiles

    /// Who waits for it.
    var lane: WorkLane {
        switch self {
        case .openStore, .writeStartsFile: .urgent
        case .commitRecord(let commit): commit.isAwaited ? .urgent : .background
        case .verify(let check):
            switch check.purpose {
            case .start, .page: .urgent
            case .offer: .background
            }
        case .readManifest, .readInterrupted, .startDownload, .planDownload, .writeReceived, .completeFile,
            .readPartial, .completeVersion, .collectGarbage, .closeFiles:
            .background
        }
    }

    /// A write of the record that has not begun, so that others can join it.
    var isCommitToBegin: Bool {
        guard case .commitRecord(let commit) = self, case .begin = commit.stage else { return false }
        return true
    }

    /// The download that it belongs to is dropped: it only ends what it has begun.
    mutating func drop() {
        switch self {
        case .startDownload(var start):
            start.isDropped = true
            self = .startDownload(start)
        case .completeFile(var completion):
            completion.isDropped = true
            self = .completeFile(completion)
        case .completeVersion(var completion):
            completion.isDropped = true
            self = .completeVersion(completion)
        case .openStore, .commitRecord, .verify, .writeStartsFile, .readManifest, .readInterrupted,
            .planDownload, .writeReceived, .readPartial, .collectGarbage, .closeFiles:
            break
        }
    }
}
