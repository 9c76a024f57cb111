import Core

@testable import Updater

/// One job of each kind, to go through all of them.
enum JobKind: String, CaseIterable {
    case openStore, commit, awaitedCommit, verifyAtStart, verifyForPage, verifyOffer, startsFile, manifest,
        interrupted, downloadStart, plan, received, file, partialFile, version, garbage, closeFiles

    static let digest = Digest256(0x0a00_0000_0000_0000, 1, 2, 3)
    static let key = VersionKey(id: "v2", digest: digest)

    var job: UpdaterJob {
        switch self {
        case .openStore: .openStore(StoreOpening())
        case .commit: .commitRecord(RecordCommit(then: []))
        case .awaitedCommit: .commitRecord(RecordCommit(then: [.rescue]))
        case .verifyAtStart: .verify(VersionVerification(key: JobKind.key, purpose: .start))
        case .verifyForPage: .verify(VersionVerification(key: JobKind.key, purpose: .page))
        case .verifyOffer: .verify(VersionVerification(key: JobKind.key, purpose: .offer))
        case .startsFile: .writeStartsFile
        case .manifest: .readManifest(of: TransferID(1))
        case .interrupted: .readInterrupted(InterruptedDownload(key: JobKind.key, stage: .table))
        case .downloadStart: .startDownload(DownloadStart())
        case .plan: .planDownload
        case .received: .writeReceived(TransferID(1))
        case .file: .completeFile(JobKind.completion(JobKind.digest))
        case .partialFile: .readPartial(PartialReading(assetIndex: 0, key: JobKind.digest))
        case .version: .completeVersion(VersionCompletion())
        case .garbage: .collectGarbage(GarbageCollection())
        case .closeFiles: .closeFiles
        }
    }

    /// The kind of a job; a commit counts as awaited if a page waits for it.
    init(_ job: UpdaterJob) {
        self =
            switch job {
            case .openStore: .openStore
            case .commitRecord(let commit): commit.isAwaited ? .awaitedCommit : .commit
            case .verify(let check):
                switch check.purpose {
                case .start: .verifyAtStart
                case .page: .verifyForPage
                case .offer: .verifyOffer
                }
            case .writeStartsFile: .startsFile
            case .readManifest: .manifest
            case .readInterrupted: .interrupted
            case .startDownload: .downloadStart
            case .planDownload: .plan
            case .writeReceived: .received
            case .completeFile: .file
            case .readPartial: .partialFile
            case .completeVersion: .version
            case .collectGarbage: .garbage
            case .closeFiles: .closeFiles
            }
    }

    static let urgent: [JobKind] = [.openStore, .awaitedCommit, .verifyAtStart, .verifyForPage, .startsFile]

    static func completion(_ digest: Digest256) -> FileCompletion {
        FileCompletion(assetIndex: 0, key: digest, digest: digest, file: FileHandle(id: 1), size: 1)
    }

    /// A commit that has begun to write this record.
    static func begunCommit(
        _ record: StoreRecord = StoreRecord(), then followUps: [CommitFollowUp] = []
    ) -> UpdaterJob {
        let writing = SlotWriting(
            path: StorePaths.recordA, isBeside: false, generation: 1, isNew: false,
            writing: FileWriting(FileHandle(id: 2), []))
        return .commitRecord(RecordCommit(stage: .slotSynced(writing), then: followUps, written: record))
    }
}
