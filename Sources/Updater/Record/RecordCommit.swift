import Core

/// A write of the record, with the sync of its folder if its name is new, and what waits for it.
struct RecordCommit: Sendable {
    enum Stage: Sendable {
        case begin
        case write(SlotWriting)
        case slotSynced(SlotWriting)
        case folderSynced(SlotWriting)
    }

    var stage = Stage.begin
    var then: [CommitFollowUp]
    /// The record as it is written.
    var written: StoreRecord?

    /// Whether a page, the user or the platform waits for it (S9).
    var isAwaited: Bool { then.contains(where: \.isAwaited) }
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
    /// The pending version can be read again.
    case readableAgain(VersionKey)
    case downloadBegun(VersionKey)
    /// Files that the record no longer names may be removed.
    case collectGarbage
    /// Log entries that were held until now are reported.
    case reportEntries
    /// The origin has answered a check: report to it what the record has.
    case sendOutcomes

    fileprivate var isAwaited: Bool {
        switch self {
        case .opened, .answer, .answerPageLoads, .rescue, .switchAnswer: true
        case .becamePending, .readableAgain, .downloadBegun, .collectGarbage, .reportEntries, .sendOutcomes:
            false
        }
    }
}

extension Updater {
    /// Schedules a write of the record as it will be at that time; joins a commit that has not begun.
    mutating func commit(then followUp: CommitFollowUp? = nil) {
        guard store.phase != .readOnlyStore else {
            if let followUp { perform(followUp, isDurable: false) }
            return
        }
        jobs.addCommit(followUp)
    }

    /// Schedules a write of the record if more than its log has changed: log entries are written with the
    /// next commit and don't cause one (T1).
    mutating func commit(ifChangedSince before: StoreRecord) {
        var changed = record
        changed.log = before.log
        if changed != before { commit() }
    }

    mutating func stepCommit(_ commit: RecordCommit, after syncError: DiskError?, _ disk: inout some Disk)
        -> JobStep<RecordCommit>
    {
        var commit = commit
        do {
            switch commit.stage {
            case .begin:
                record.generation = max(record.generation, durable.generation) + 1
                commit.written = record
                let isBeside = store.isRecordUnsynced || slots.areUnusable
                commit.stage = .write(try slots.begin(record, isBeside: isBeside, &disk))
                return .next(commit)
            case .write(var writing):
                guard try writing.step(&disk) else {
                    commit.stage = .write(writing)
                    return .next(commit)
                }
                commit.stage = .slotSynced(writing)
                return .sync(.file(writing.file), then: commit)
            case .slotSynced(let writing):
                if syncError != nil { store.recordNotSynced() }
                try slots.end(writing, after: syncError, &disk)
                if writing.isNew {
                    commit.stage = .folderSynced(writing)
                    return .sync(.directory(StorePaths.root), then: commit)
                }
            case .folderSynced(let writing):
                if let syncError {
                    store.recordNotSynced()
                    slots.remove(writing, &disk)
                    throw syncError
                }
                if writing.isBeside { store.recordSynced() }
            }
            if slots.hasUnread {
                commit.stage = .begin
                return .next(commit)
            }
        } catch {
            noteUnsyncedRecord()
            // Tried once more after a minute: what the process goes on with is in memory alone until then.
            if store.isRecordUnsynced, !commit.then.contains(.collectGarbage) { scheduleGarbageCollection() }
            store.isRecordRefused = true
            log(.recordNotWritten, nil, "\(error)")
            for followUp in commit.then { perform(followUp, isDurable: false) }
            return .done
        }
        if let written = commit.written {
            durable = written
            settledUpdate = nil
        }
        noteUnsyncedRecord()
        if store.isRecordUnsynced { scheduleGarbageCollection() }
        let hasLeft = versions.recordWritten(durable.versions)
        if store.isRecordRefused {
            store.isRecordRefused = false
            // The clean-up may have come while the record on the disk still named these versions, or a
            // download that is over (R7).
            if hasLeft || record.download == nil { scheduleGarbageCollection() }
        }
        for followUp in commit.then { perform(followUp, isDurable: true) }
        return .done
    }

    /// Tells the next process whether the record that it reads is durable, without a sync: a power cut that
    /// takes the note back also leaves only what is durable.
    mutating func noteUnsyncedRecord() {
        guard starts.file.isRecordUnsynced != store.isRecordUnsynced else { return }
        let isUnsynced = store.isRecordUnsynced
        changeStartsFile { $0.isRecordUnsynced = isUnsynced }
        if !isUnsynced { collectGarbage() }
    }

    private mutating func perform(_ followUp: CommitFollowUp, isDurable: Bool) {
        switch followUp {
        case .opened: chooseAtStart()
        case .answer(let token): isDurable ? answer(token) : startWithoutRecord(token)
        case .answerPageLoads: answerWaitingPageLoads()
        case .rescue: loadRescue()
        case .switchAnswer(let token, let key):
            effects.append(.switchAnswered(token, isDurable ? .switched(key) : .nothingPending))
            announceCurrent()
        case .becamePending(let key): if isDurable { announcePending(key) } else { pendingNotWritten(key) }
        case .readableAgain(let key):
            if isDurable, switchTarget() == key { effects.append(.notice(.newVersionReady(key))) }
        case .downloadBegun(let key):
            if isDurable { return planDownload(key) }
            dropDownload(.recordNotWritten)
            requireCheckAfterDiskError()
        case .collectGarbage: if isDurable { collectGarbage() }
        case .reportEntries: reportHeldEntries()
        case .sendOutcomes: sendOutcomes()
        }
    }
}
