import Core
import Testing

@testable import Updater

@Suite("The queue of jobs: two lanes, and those that wait for a sync (S9, R8)")
struct JobQueueTests {
    private static let file = SyncTarget.file(FileHandle(id: 9))

    /// A queue with jobs that can take a step, in this order.
    private func queue(_ kinds: [JobKind]) -> JobQueue {
        var queue = JobQueue()
        for kind in kinds { queue.add(kind.job) }
        return queue
    }

    private func kinds(_ jobs: [JobQueue.ReadyJob]) -> [JobKind] { jobs.map { JobKind($0.job) } }

    private func followUps(_ ready: JobQueue.ReadyJob?) -> [CommitFollowUp]? { ready?.commit?.then }

    // MARK: Lanes

    @Test("Each kind of job waits in its lane, and no other part of the queue knows of it")
    func lanes() {
        for kind in JobKind.allCases {
            var jobs = queue([kind])
            let isUrgent = JobKind.urgent.contains(kind)
            #expect(jobs.isReady(.urgent) == isUrgent, "\(kind)")
            #expect(jobs.isReady(.background) == !isUrgent, "\(kind)")
            #expect(jobs.hasCommit == [.commit, .awaitedCommit].contains(kind), "\(kind)")
            #expect(
                jobs.isVerifyingForPage == [.verifyAtStart, .verifyForPage].contains(kind), "\(kind)")
            #expect(jobs.assetsToRead == (kind == .partialFile ? [0] : []), "\(kind)")
            let lane = isUrgent ? WorkLane.urgent : .background
            let none = jobs.take(isUrgent ? .background : .urgent).map { JobKind($0.job) }
            #expect(none == nil)
            let taken = jobs.take(lane).map { JobKind($0.job) }
            #expect(taken == kind)
            let rest = jobs.take(lane).map { JobKind($0.job) }
            #expect(rest == nil)
        }
    }

    @Test("A job is found in either lane and while it waits for a sync")
    func contains() {
        for kind in JobKind.allCases {
            func isFound(_ jobs: JobQueue) -> Bool { jobs.contains { JobKind($0) == kind } }
            var jobs = queue([kind])
            #expect(isFound(jobs), "\(kind)")
            let lane = JobKind.urgent.contains(kind) ? WorkLane.urgent : .background
            _ = jobs.take(lane)
            #expect(!isFound(jobs), "\(kind)")
            _ = jobs.wait(kind.job, for: Self.file, lane)
            #expect(isFound(jobs), "\(kind)")
            #expect(jobs.hasCommit == [.commit, .awaitedCommit].contains(kind), "\(kind)")
        }
    }

    @Test("While an urgent job is left or waits, no job of the background takes a step")
    func urgentFirst() {
        var jobs = queue([.plan, .startsFile, .openStore])
        #expect(jobs.isReady(.urgent) && !jobs.isReady(.background))
        let first = jobs.take(.urgent).map { JobKind($0.job) }
        #expect(first == .startsFile)
        let ticket = jobs.wait(JobKind.openStore.job, for: Self.file, .urgent)
        #expect(!jobs.isReady(.urgent) && !jobs.isReady(.background), "urgent jobs run one after the other")
        jobs.synced(ticket, nil)
        _ = jobs.take(.urgent)
        #expect(jobs.isReady(.urgent) && !jobs.isReady(.background))
        _ = jobs.take(.urgent)
        #expect(!jobs.isReady(.urgent) && jobs.isReady(.background))
        _ = jobs.wait(JobKind.openStore.job, for: Self.file, .urgent)
        #expect(!jobs.isReady(.background), "an urgent job waits")
    }

    @Test("A lane is worked off in its order; the rest of a job takes the next step")
    func order() {
        var jobs = queue([.plan, .garbage, .closeFiles])
        let first = jobs.take(.background).map { JobKind($0.job) }
        #expect(first == .plan)
        jobs.putBack(JobKind.plan.job, .background)
        #expect(kinds(jobs.background) == [.plan, .garbage, .closeFiles])
        jobs.add(JobKind.startsFile.job)
        jobs.putBack(JobKind.openStore.job, .urgent)
        #expect(kinds(jobs.urgent) == [.openStore, .startsFile])
    }

    @Test("The counts of starts are written once, however often they change before")
    func startsFileOnce() {
        var jobs = queue([.openStore])
        jobs.addStartsFile()
        jobs.addStartsFile()
        #expect(kinds(jobs.urgent) == [.openStore, .startsFile])
        _ = jobs.take(.urgent)
        _ = jobs.take(.urgent)
        jobs.addStartsFile()
        #expect(kinds(jobs.urgent) == [.startsFile])
    }

    @Test("The next request is sent before finished files are synced")
    func readingsFirst() {
        var jobs = queue([.plan, .file, .file, .closeFiles])
        jobs.add(PartialReading(assetIndex: 4, key: JobKind.digest))
        #expect(kinds(jobs.background) == [.plan, .partialFile, .file, .file, .closeFiles])
        jobs = queue([.plan])
        jobs.add(PartialReading(assetIndex: 4, key: JobKind.digest))
        jobs.add(PartialReading(assetIndex: 6, key: JobKind.digest))
        #expect(kinds(jobs.background) == [.plan, .partialFile, .partialFile])
        #expect(jobs.assetsToRead == [4, 6])
    }

    // MARK: Syncs

    @Test("While files of a download or a commit wait for their syncs, only jobs that remove nothing go on")
    func overlap() {
        let always: Set<JobKind> = [.received, .manifest]
        let besideFiles: Set<JobKind> = [.partialFile, .closeFiles, .file]
        for waiting in JobKind.allCases where !JobKind.urgent.contains(waiting) {
            for next in JobKind.allCases where !JobKind.urgent.contains(next) {
                var jobs = queue([next])
                #expect(jobs.isReady(.background))
                _ = jobs.wait(waiting.job, for: Self.file, .background)
                let isExpected =
                    always.contains(next) || next == .commit && waiting != .commit
                    || besideFiles.contains(next) && [.file, .commit].contains(waiting)
                #expect(jobs.isReady(.background) == isExpected, "\(next) while \(waiting) waits")
            }
        }
    }

    @Test("At most three syncs of the background are in flight, and received bytes are written meanwhile")
    func mostSyncs() {
        for next in [JobKind.file, .commit, .received] {
            var jobs = queue([next])
            for count in 1...4 {
                _ = jobs.wait(JobKind.file.job, for: Self.file, .background)
                #expect(jobs.isReady(.background) == (count < 3 || next == .received), "\(next), \(count)")
            }
        }
    }

    @Test("A directory gets no new name while its sync is in flight")
    func names() {
        let same = Digest256(0x0aff_0000_0000_0000, 1, 2, 3)
        let other = Digest256(0x0b00_0000_0000_0000, 1, 2, 3)
        let folder = SyncTarget.directory(StorePaths.blobFolder(same))
        let blobs = SyncTarget.directory(StorePaths.blobs)
        func isReady(
            _ digest: Digest256, _ stage: FileCompletion.Stage, isNew: Bool, while target: SyncTarget
        ) -> Bool {
            var completion = JobKind.completion(digest)
            completion.stage = stage
            completion.isNewFolder = isNew
            var jobs = JobQueue()
            jobs.add(.completeFile(completion))
            _ = jobs.wait(JobKind.file.job, for: target, .background)
            return jobs.isReady(.background)
        }
        for stage in [FileCompletion.Stage.rename, .renameAnew] {
            #expect(!isReady(same, stage, isNew: false, while: folder))
            #expect(isReady(other, stage, isNew: false, while: folder))
            #expect(isReady(other, stage, isNew: true, while: folder))
            #expect(isReady(same, stage, isNew: false, while: blobs))
            #expect(!isReady(same, stage, isNew: true, while: blobs))
        }
        for stage in [FileCompletion.Stage.sync, .fileSynced, .folderSynced, .blobsSynced] {
            #expect(isReady(same, stage, isNew: true, while: folder), "\(stage)")
            #expect(isReady(same, stage, isNew: true, while: blobs), "\(stage)")
        }
    }

    @Test("A job whose sync is over takes the next step of its lane, with the error of the sync")
    func synced() {
        for (kind, lane) in [(JobKind.openStore, WorkLane.urgent), (.file, .background)] {
            var jobs = queue([lane == .urgent ? .startsFile : .plan])
            let ticket = jobs.wait(kind.job, for: Self.file, lane)
            let second = jobs.wait(kind.job, for: Self.file, lane)
            #expect(ticket != second, "no ticket is used twice")
            let error = DiskError(.inputOutput, .sync)
            jobs.synced(SyncTicket(77), error)
            #expect(jobs.waiting.count == 2, "an unknown ticket")
            jobs.synced(second, error)
            #expect(jobs.waiting.map(\.ticket) == [ticket])
            jobs.synced(ticket, nil)
            let ready = lane == .urgent ? jobs.urgent : jobs.background
            #expect(kinds(ready).dropLast() == [kind, kind])
            #expect(ready.map(\.syncError) == [nil, error, nil])
        }
    }

    @Test("A commit of the background that a page's commit waits for continues before it")
    func awaitedSync() {
        for isAwaited in [false, true] {
            var jobs = JobQueue()
            let ticket = jobs.wait(JobKind.begunCommit(), for: Self.file, .background)
            jobs.addCommit(isAwaited ? .rescue : .collectGarbage)
            jobs.synced(ticket, nil)
            let lane = isAwaited ? jobs.urgent : jobs.background
            #expect(lane.map { $0.commit?.written != nil } == [true, false])
            #expect((isAwaited ? jobs.background : jobs.urgent).isEmpty)
        }
        // Another urgent job is no reason to hurry.
        var jobs = queue([.startsFile])
        let ticket = jobs.wait(JobKind.begunCommit(), for: Self.file, .background)
        jobs.synced(ticket, nil)
        #expect(kinds(jobs.urgent) == [.startsFile] && kinds(jobs.background) == [.commit])
    }

    // MARK: Commits

    @Test("R8: one commit is in flight at a time")
    func oneCommit() {
        var jobs = JobQueue()
        jobs.addCommit(.rescue)
        #expect(jobs.isReady(.urgent))
        let ticket = jobs.wait(JobKind.begunCommit(), for: Self.file, .background)
        #expect(!jobs.isReady(.urgent))
        jobs.synced(ticket, nil)
        #expect(jobs.isReady(.urgent))
        // Only a commit waits for a commit.
        jobs = queue([.startsFile])
        _ = jobs.wait(JobKind.begunCommit(), for: Self.file, .background)
        #expect(jobs.isReady(.urgent))
    }

    @Test("Commits that have not begun become one, with all that waits for them, in the most urgent lane")
    func joined() {
        var jobs = queue([.plan])
        jobs.addCommit(.collectGarbage)
        #expect(kinds(jobs.background) == [.commit, .plan], "before the other jobs of the background")
        jobs.addCommit(nil)
        jobs.addCommit(.reportEntries)
        #expect(kinds(jobs.background) == [.commit, .plan])
        #expect(followUps(jobs.background.first) == [.collectGarbage, .reportEntries])
        jobs.addCommit(.rescue)
        #expect(kinds(jobs.background) == [.plan])
        #expect(followUps(jobs.urgent.first) == [.collectGarbage, .reportEntries, .rescue])
        jobs.add(JobKind.startsFile.job)
        jobs.addCommit(.sendOutcomes)
        #expect(kinds(jobs.urgent) == [.startsFile, .awaitedCommit])
        #expect(
            followUps(jobs.urgent.last) == [.collectGarbage, .reportEntries, .rescue, .sendOutcomes])
    }

    @Test("A commit that has begun is not joined by what it may not contain, and ends before the next")
    func notJoined() {
        var jobs = JobQueue()
        jobs.add(JobKind.plan.job)
        jobs.putBack(JobKind.begunCommit(), .background)
        jobs.addCommit(.collectGarbage)
        #expect(kinds(jobs.background) == [.commit, .commit, .plan])
        #expect(jobs.background.map { $0.commit?.written != nil } == [true, false, false])
        jobs.addCommit(.rescue)
        #expect(kinds(jobs.background) == [.plan])
        #expect(jobs.urgent.map { $0.commit?.written != nil } == [true, false])
        #expect(followUps(jobs.urgent.last) == [.collectGarbage, .rescue])
    }

    @Test("A page load joins a commit that has begun, wherever that is, if it contains what is needed")
    func joinBegun() {
        var record = StoreRecord()
        record.generation = 7
        let answer = CommitFollowUp.answer(PageLoadToken(1))
        for position in ["waiting", "urgent", "background"] {
            for isEnough in [true, false] {
                var jobs = JobQueue()
                let commit = JobKind.begunCommit(record, then: [.collectGarbage])
                switch position {
                case "waiting": _ = jobs.wait(commit, for: Self.file, .background)
                case "urgent":
                    jobs.putBack(JobKind.startsFile.job, .urgent)
                    jobs.putBack(commit, .urgent)
                default:
                    jobs.putBack(JobKind.plan.job, .background)
                    jobs.putBack(commit, .background)
                }
                let isJoined = jobs.joinBegunCommit(answer) { $0.generation == 7 && isEnough }
                #expect(isJoined == isEnough, "\(position)")
                let found = position == "waiting" ? jobs.waiting.map(\.job) : jobs.urgent.map(\.job)
                guard isEnough else {
                    #expect(!jobs.contains { JobKind($0) == .awaitedCommit }, "\(position)")
                    continue
                }
                guard case .commitRecord(let joined)? = found.first else {
                    Issue.record("\(position): the commit is not first in its lane")
                    continue
                }
                #expect(joined.then == [.collectGarbage, answer], "\(position)")
                if position == "background" { #expect(kinds(jobs.background) == [.plan]) }
            }
        }
        var jobs = queue([.awaitedCommit])
        let isJoined = jobs.joinBegunCommit(answer) { _ in true }
        #expect(!isJoined, "it has not begun, so that addCommit(_:) joins it")
    }

    // MARK: Dropping

    @Test("The jobs of a dropped download end: what has written something ends by itself, all others stay")
    func dropDownload() {
        var jobs = JobQueue()
        let background = JobKind.allCases.filter { !JobKind.urgent.contains($0) }
        for kind in background {
            jobs.add(kind.job)
            _ = jobs.wait(kind.job, for: Self.file, .background)
        }
        var reading = PartialReading(assetIndex: 3, key: JobKind.digest)
        reading.file = FileHandle(id: 5)
        jobs.add(.readPartial(reading))
        let files = jobs.dropDownload()
        #expect(files.map(\.file) == [FileHandle(id: 5)])
        #expect(kinds(jobs.background) == background.filter { $0 != .plan && $0 != .partialFile })
        #expect(jobs.waiting.map { JobKind($0.job) } == background, "closed when the sync is over")
        for job in jobs.background.map(\.job) + jobs.waiting.map(\.job) {
            switch job {
            case .startDownload(let start): #expect(start.isDropped)
            case .completeFile(let completion): #expect(completion.isDropped)
            case .completeVersion(let completion): #expect(completion.isDropped)
            default: break
            }
        }
    }

    @Test("A download that the data policy pauses reads no partial file, and everything else stays")
    func removeReadings() {
        var jobs = JobQueue()
        let background = JobKind.allCases.filter { !JobKind.urgent.contains($0) }
        for kind in background { jobs.add(kind.job) }
        var reading = PartialReading(assetIndex: 3, key: JobKind.digest)
        reading.file = FileHandle(id: 5)
        jobs.add(.readPartial(reading))
        let files = jobs.removePartialReadings()
        #expect(files.map(\.file) == [FileHandle(id: 5)] && files.map(\.key) == [JobKind.digest])
        #expect(kinds(jobs.background) == background.filter { $0 != .partialFile })
    }
}
