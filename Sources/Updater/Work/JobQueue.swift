import Core

/// The updater's jobs: those that can take a step, in two lanes, and those that wait for a sync.
///
/// **Invariants**
/// - Urgent jobs run one after the other. While one is left, also one that waits, no background job takes a
///   step and no background sync is submitted (S9).
/// - At most four syncs are in flight: one of an urgent job, three of background jobs.
/// - One commit is in flight at a time: each writes the older of two slots (R8).
/// - A job that removes files (``UpdaterJob/collectGarbage(_:)``), or whose files another job could remove,
///   takes no step while a job of the background waits. Files of a download are completed side by side.
/// - A directory gets no new name while its sync is in flight, because a sync that fails is not believed for
///   any name in it.
/// - A job that waits is never removed: its file is closed when the sync is over, and what a failed sync
///   lost is undone.
struct JobQueue: Sendable {
    /// A job that can take a step.
    struct ReadyJob: Sendable {
        var job: UpdaterJob
        /// Error of the sync that it waited for.
        var syncError: DiskError?
    }

    struct WaitingJob: Sendable {
        let ticket: SyncTicket
        let target: SyncTarget
        let lane: WorkLane
        var job: UpdaterJob
    }

    static let mostBackgroundSyncs = 3

    private(set) var urgent: [ReadyJob] = []
    private(set) var background: [ReadyJob] = []
    private(set) var waiting: [WaitingJob] = []
    private var nextTicket: UInt32 = 1

    func contains(where isWanted: (UpdaterJob) -> Bool) -> Bool {
        urgent.contains { isWanted($0.job) } || background.contains { isWanted($0.job) }
            || waiting.contains { isWanted($0.job) }
    }

    /// Whether the record in memory is to be written.
    var hasCommit: Bool {
        contains { job in if case .commitRecord = job { true } else { false } }
    }

    /// Whether a page load waits for a verification.
    var isVerifyingForPage: Bool {
        urgent.contains { ready in if case .verify = ready.job { true } else { false } }
    }

    /// Indices of the assets whose partial files are still to be read.
    var assetsToRead: [Int] {
        background.compactMap { ready in
            if case .readPartial(let reading) = ready.job { reading.assetIndex } else { nil }
        }
    }

    // MARK: Adding

    /// Adds a job behind all others of its lane.
    mutating func add(_ job: UpdaterJob) {
        switch job.lane {
        case .urgent: urgent.append(ReadyJob(job: job))
        case .background: background.append(ReadyJob(job: job))
        }
    }

    /// Adds the reading of a partial file before the files that are to be completed: the next request is
    /// sent before finished files are synced, so that the network does not wait for the disk.
    mutating func add(_ reading: PartialReading) {
        let first = background.firstIndex { ready in
            if case .completeFile = ready.job { true } else { false }
        }
        background.insert(ReadyJob(job: .readPartial(reading)), at: first ?? background.count)
    }

    /// The counts of starts are written once, as they are then.
    mutating func addStartsFile() {
        let isWaiting = urgent.contains { ready in
            if case .writeStartsFile = ready.job { true } else { false }
        }
        if !isWaiting { add(.writeStartsFile) }
    }

    /// Adds a write of the record as it will be then, or joins one that has not begun. One that nothing but
    /// the update waits for precedes the other jobs of the background.
    mutating func addCommit(_ followUp: CommitFollowUp?) {
        var commit = RecordCommit(then: [])
        if let index = urgent.firstIndex(where: { $0.job.isCommitToBegin }) {
            commit = urgent.remove(at: index).commit ?? commit
        } else if let index = background.firstIndex(where: { $0.job.isCommitToBegin }) {
            commit = background.remove(at: index).commit ?? commit
        }
        if let followUp { commit.then.append(followUp) }
        guard commit.isAwaited else {
            // One that has begun, also one whose sync has just come back, ends before: both would write the
            // same slot.
            let begun = background.lastIndex { $0.commit != nil }
            return background.insert(ReadyJob(job: .commitRecord(commit)), at: begun.map { $0 + 1 } ?? 0)
        }
        hurryBegunCommit()
        urgent.append(ReadyJob(job: .commitRecord(commit)))
    }

    /// Lets something wait for a write of the record that has begun, if that contains what is needed.
    /// - Returns: false if none does.
    mutating func joinBegunCommit(_ followUp: CommitFollowUp, where isEnough: (StoreRecord) -> Bool) -> Bool {
        func join(_ job: inout UpdaterJob) -> Bool {
            guard case .commitRecord(var commit) = job, let written = commit.written, isEnough(written) else {
                return false
            }
            commit.then.append(followUp)
            job = .commitRecord(commit)
            return true
        }
        for index in waiting.indices where join(&waiting[index].job) { return true }
        for index in urgent.indices where join(&urgent[index].job) { return true }
        for index in background.indices where join(&background[index].job) {
            hurryBegunCommit()
            return true
        }
        return false
    }

    /// An urgent commit begins after one that has begun, which therefore is urgent too.
    private mutating func hurryBegunCommit() {
        guard let index = background.firstIndex(where: { $0.commit != nil && !$0.job.isCommitToBegin })
        else { return }
        urgent.insert(background.remove(at: index), at: 0)
    }

    // MARK: Running

    /// Whether a job of the lane can take a step.
    func isReady(_ lane: WorkLane) -> Bool {
        switch lane {
        case .urgent:
            guard let next = urgent.first else { return false }
            return !waiting.contains { $0.lane == .urgent } && !waitsForCommit(next.job)
        case .background:
            guard urgent.isEmpty, let next = background.first else { return false }
            return !waiting.contains { $0.lane == .urgent } && mayOverlapSyncs(next.job)
        }
    }

    private func waitsForCommit(_ job: UpdaterJob) -> Bool {
        job.isCommitToBegin && waiting.contains { if case .commitRecord = $0.job { true } else { false } }
    }

    /// Whether a job of the background may take a step while others wait for their syncs.
    private func mayOverlapSyncs(_ job: UpdaterJob) -> Bool {
        if waiting.isEmpty { return true }
        switch job {
        case .commitRecord: return !waitsForCommit(job) && waiting.count < JobQueue.mostBackgroundSyncs
        case .readPartial, .closeFiles: return isOnlyFilesWaiting
        case .writeReceived, .readManifest: return true
        case .completeFile(let completion):
            guard isOnlyFilesWaiting, waiting.count < JobQueue.mostBackgroundSyncs else { return false }
            return !completion.namesThatChange.contains { directory in
                waiting.contains { $0.target == .directory(directory) }
            }
        case .openStore, .verify, .writeStartsFile, .startDownload, .readInterrupted, .planDownload,
            .completeVersion, .collectGarbage:
            return false
        }
    }

    private var isOnlyFilesWaiting: Bool {
        waiting.allSatisfy { waiting in
            switch waiting.job {
            case .completeFile, .commitRecord: true
            case .openStore, .verify, .writeStartsFile, .startDownload, .readManifest, .readInterrupted,
                .planDownload, .writeReceived, .readPartial, .completeVersion, .collectGarbage, .closeFiles:
                false
            }
        }
    }

    /// Takes out the job of the lane that takes the next step; nil if none can.
    mutating func take(_ lane: WorkLane) -> ReadyJob? {
        guard isReady(lane) else { return nil }
        switch lane {
        case .urgent: return urgent.removeFirst()
        case .background: return background.removeFirst()
        }
    }

    /// The rest of a job takes the next step of its lane.
    mutating func putBack(_ job: UpdaterJob, _ lane: WorkLane) {
        let ready = ReadyJob(job: job)
        switch lane {
        case .urgent: urgent.insert(ready, at: 0)
        case .background: background.insert(ready, at: 0)
        }
    }

    /// The job waits until the target is durable.
    /// - Returns: the ticket of the sync that is to be submitted.
    mutating func wait(_ job: UpdaterJob, for target: SyncTarget, _ lane: WorkLane) -> SyncTicket {
        let ticket = SyncTicket(nextTicket)
        nextTicket += 1
        waiting.append(WaitingJob(ticket: ticket, target: target, lane: lane, job: job))
        return ticket
    }

    /// A sync is over: the job that waited for it takes the next step of its lane.
    mutating func synced(_ ticket: SyncTicket, _ error: DiskError?) {
        guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else { return }
        let done = waiting.remove(at: index)
        let ready = ReadyJob(job: done.job, syncError: error)
        let isAwaitedCommit = ready.commit != nil && urgent.contains { $0.commit != nil }
        switch done.lane {
        case .background where !isAwaitedCommit: background.insert(ready, at: 0)
        case .urgent, .background: urgent.insert(ready, at: 0)
        }
    }

    // MARK: Dropping

    /// Drops the jobs of a download. Those that may have written something end by themselves.
    /// - Returns: open files of jobs that were removed.
    mutating func dropDownload() -> [OpenPartialFile] {
        var files: [OpenPartialFile] = []
        background.removeAll { ready in
            switch ready.job {
            case .planDownload: return true
            case .readPartial(let reading):
                if let open = reading.openFile { files.append(open) }
                return true
            case .openStore, .commitRecord, .verify, .writeStartsFile, .startDownload, .readManifest,
                .readInterrupted, .writeReceived, .completeFile, .completeVersion, .collectGarbage,
                .closeFiles:
                return false
            }
        }
        for index in background.indices { background[index].job.drop() }
        for index in waiting.indices { waiting[index].job.drop() }
        return files
    }

    /// Removes the reading of partial files, because the data policy pauses the download.
    /// - Returns: their open files.
    mutating func removePartialReadings() -> [OpenPartialFile] {
        var files: [OpenPartialFile] = []
        background.removeAll { ready in
            guard case .readPartial(let reading) = ready.job else { return false }
            if let open = reading.openFile { files.append(open) }
            return true
        }
        return files
    }
}

extension JobQueue.ReadyJob {
    var commit: RecordCommit? { if case .commitRecord(let commit) = job { commit } else { nil } }
}
