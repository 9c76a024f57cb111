import Core

/// Work that takes more than one bounded step. Urgent jobs (a page waits for them) precede background ones; a
/// job continues where it stopped. Boxed, because it is removed from and inserted into the queue with every
/// step.
indirect enum UpdaterJob: Sendable {
    case openStore(StoreOpening)
    case commitRecord(RecordCommit)
    /// Verifies a version before it is served: lengths, and hashes unless checked during this boot (R10).
    case verify(VersionVerification)
    case writeStartsFile
    case startDownload(DownloadStart)
    case planDownload
    case completeFile(FileCompletion)
    case readPartial(PartialReading)
    case completeVersion(VersionCompletion)
    case collectGarbage(GarbageCollection)
    case closeFiles
}

/// A write of the record, with the sync of its folder if its name is new, and what waits for it.
struct RecordCommit: Sendable {
    enum Stage: Sendable { case write, directory }

    var stage = Stage.write
    var then: [CommitFollowUp]
    var written: StoreRecord?
}

/// What happens after a commit.
enum CommitFollowUp: Hashable, Sendable {
    /// The record has been evaluated: choose a version and become ready.
    case opened
    /// The start record is on disk: answer the page load.
    case answer(PageLoadToken)
    /// Damage is recorded: decide about waiting page loads again (R10).
    case answerPageLoads
    /// The end of the start is on disk: load the rescuing version.
    case rescue
    case switchAnswer(PageLoadToken, VersionKey)
    case becamePending(VersionKey)
    case downloadBegun(VersionKey)
    /// Files that the record no longer names may be removed.
    case collectGarbage
}
