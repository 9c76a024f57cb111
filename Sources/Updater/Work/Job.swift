import Core

/// Work that takes more than one bounded step. Urgent jobs (what a page waits for) go before background ones;
/// a job is taken up again where it stopped. Boxed, because it goes in and out of a row with every step.
indirect enum Job: Sendable {
    case open(Opening)
    case commit(Commit)
    /// Lengths, and hashes where this boot has not seen them, of a version before it is served (R10).
    case verify(VersionCheck)
    case note
    case begin(DownloadBegin)
    case plan
    case finish(FileFinish)
    case resume(PartialReading)
    case complete(VersionCompletion)
    case sweep(GarbageCollection)
    case closeOrphans
}

/// A write of the record (ST-5, ST-6) and what waits for it.
struct Commit: Sendable {
    enum Stage: Sendable { case write, directory }

    var stage = Stage.write
    var then: [Consequence]
    var written: Record?
}

/// What a commit makes possible.
enum Consequence: Hashable, Sendable {
    /// The store is settled: choose and get ready.
    case opened
    /// The mark is on disk: answer the page load.
    case answer(PageLoadToken)
    /// What was found damaged is in the record: decide about waiting page loads again (R10).
    case consider
    /// The end of the start is on disk: load the rescuing version.
    case rescue
    case switchAnswer(PageLoadToken, VersionKey)
    case becamePending(VersionKey)
    case downloadBegun(VersionKey)
    /// What the record no longer names may go.
    case sweep
}
