import Core

/// The job that opens or verifies the store and met an error that says nothing about the content
/// (``DiskErrorClass/transient``): it is tried again.
///
/// In front, where the user waits under the cover, it is tried every 100 ms for a second; then the process
/// continues with what can be read. In background no user waits, so that it is put off with U5's delays until
/// it succeeds, or until the app comes to the front, the network changes, or a check is requested.
///
/// **Invariants.** At most one job waits here, and none of its kind is in a queue meanwhile.
struct DiskRetry: Sendable {
    /// Interval between two tries in front.
    static let interval = TimeSpan.milliseconds(100)
    /// Time after the first failure for which the app in front tries.
    static let limit = TimeSpan.seconds(1)

    private(set) var job: UpdaterJob?
    /// First failure with the app in front; nil while no job has failed.
    private var since: Instant?
    private var backoff = Backoff()

    var isWaiting: Bool { job != nil }

    /// Whether page loads wait for a verification that is tried again.
    var isVerification: Bool { if case .verify? = job { true } else { false } }

    /// - Returns: the time after which the job is tried again; nil if it must go on without what it could not
    ///   read.
    mutating func delay(_ job: UpdaterJob, at now: Instant, inForeground: Bool, jitter: UInt64) -> TimeSpan? {
        guard inForeground else { return putOff(job, at: now, jitter: jitter) }
        let first = since ?? now
        since = first
        guard now - first < DiskRetry.limit else { return nil }
        self.job = job
        return DiskRetry.interval
    }

    /// Puts a job off with U5's delays: in background, and an opening without which nothing can be shown.
    /// - Returns: the time after which it is tried again.
    mutating func putOff(_ job: UpdaterJob, at now: Instant, jitter: UInt64) -> TimeSpan {
        since = nil
        self.job = job
        backoff.failed(at: now, jitter: jitter)
        return backoff.notBefore.map { $0 - now } ?? .zero
    }

    /// Takes the job out, to be tried now.
    mutating func take() -> UpdaterJob? { job.take() }

    /// The job has succeeded.
    mutating func succeeded() { self = DiskRetry() }
}
