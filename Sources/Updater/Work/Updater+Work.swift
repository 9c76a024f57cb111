import Core

extension Updater {
    var hasWork: Bool { !urgent.isEmpty || !background.isEmpty }

    /// Performs one step of the first job.
    mutating func step(_ disk: inout some Disk) {
        if !urgent.isEmpty {
            let job = urgent.removeFirst()
            if let rest = run(job, &disk) { urgent.insert(rest, at: 0) }
        } else if !background.isEmpty {
            let job = background.removeFirst()
            if let rest = run(job, &disk) { background.insert(rest, at: 0) }
        }
    }

    /// Performs one step of a job.
    /// - Returns: the rest of the job.
    private mutating func run(_ job: UpdaterJob, _ disk: inout some Disk) -> UpdaterJob? {
        hasTouchedDisk = true
        switch job {
        case .openStore(let opening): return stepOpening(opening, &disk).map { .openStore($0) }
        case .commitRecord(let commit): return stepCommit(commit, &disk).map { .commitRecord($0) }
        case .verify(let check): return stepVerification(check, &disk).map { .verify($0) }
        case .writeStartsFile:
            writeStartsFile(&disk)
            return nil
        case .startDownload(let begin): return stepDownloadStart(begin, &disk).map { .startDownload($0) }
        case .planDownload: return stepPlan(&disk) ? .planDownload : nil
        case .completeFile(let finish): return stepFileCompletion(finish, &disk).map { .completeFile($0) }
        case .readPartial(let reading): return stepPartialReading(reading, &disk).map { .readPartial($0) }
        case .completeVersion(let completion):
            return stepCompletion(completion, &disk).map { .completeVersion($0) }
        case .collectGarbage(let collection):
            return stepGarbageCollection(collection, &disk).map { .collectGarbage($0) }
        case .closeFiles:
            closeFiles(&disk)
            return nil
        }
    }

    /// Schedules a write of the record as it will be at that time; joins a commit that has not started.
    mutating func commit(then followUp: CommitFollowUp? = nil) {
        guard phase != .readOnlyStore else {
            if let followUp { perform(followUp, isDurable: false) }
            return
        }
        let waiting = urgent.firstIndex { job in
            if case .commitRecord(let commit) = job, commit.stage == .write { true } else { false }
        }
        if let waiting, case .commitRecord(var commit) = urgent[waiting] {
            if let followUp { commit.then.append(followUp) }
            urgent[waiting] = .commitRecord(commit)
        } else {
            urgent.append(.commitRecord(RecordCommit(then: followUp.map { [$0] } ?? [])))
        }
    }

    private mutating func stepCommit(_ commit: RecordCommit, _ disk: inout some Disk) -> RecordCommit? {
        var commit = commit
        do {
            switch commit.stage {
            case .write:
                record.generation = max(record.generation, durable.generation) + 1
                let isNew = try slots.write(record, &disk)
                commit.written = record
                if isNew {
                    commit.stage = .directory
                    return commit
                }
            case .directory:
                try disk.syncDirectory(StorePaths.root)
            }
        } catch {
            if commit.stage == .directory { slots.removeLast(&disk) }
            log(.recordNotWritten, nil, "\(error)")
            for followUp in commit.then { perform(followUp, isDurable: false) }
            return nil
        }
        if let written = commit.written { durable = written }
        leavingVersions.removeAll { version in !durable.versions.contains { $0.key == version.key } }
        for followUp in commit.then { perform(followUp, isDurable: true) }
        return nil
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
        case .downloadBegun(let key):
            if isDurable { planDownload(key) } else { dropDownload(.recordNotWritten) }
        case .collectGarbage: if isDurable { collectGarbage() }
        }
    }
}
