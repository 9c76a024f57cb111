import Core

extension Updater {
    var hasWork: Bool { !urgent.isEmpty || !background.isEmpty }

    /// One slice of the first job.
    mutating func step(_ disk: inout some Disk) {
        if !urgent.isEmpty {
            let job = urgent.removeFirst()
            if let rest = run(job, &disk) { urgent.insert(rest, at: 0) }
        } else if !background.isEmpty {
            let job = background.removeFirst()
            if let rest = run(job, &disk) { background.insert(rest, at: 0) }
        }
    }

    /// - Returns: what is left of the job.
    private mutating func run(_ job: Job, _ disk: inout some Disk) -> Job? {
        hasTouchedDisk = true
        switch job {
        case .open(let opening): return stepOpening(opening, &disk).map { .open($0) }
        case .commit(let commit): return stepCommit(commit, &disk).map { .commit($0) }
        case .verify(let check): return stepVerify(check, &disk).map { .verify($0) }
        case .note:
            writeNote(&disk)
            return nil
        case .begin(let begin): return stepBegin(begin, &disk).map { .begin($0) }
        case .plan: return stepPlan(&disk) ? .plan : nil
        case .finish(let finish): return stepFinish(finish, &disk).map { .finish($0) }
        case .resume(let reading): return stepResume(reading, &disk).map { .resume($0) }
        case .complete(let completion): return stepCompletion(completion, &disk).map { .complete($0) }
        case .sweep(let sweep): return stepSweep(sweep, &disk).map { .sweep($0) }
        case .closeOrphans:
            closeOrphans(&disk)
            return nil
        }
    }

    /// Writes the record as it will be when its turn comes; commits that have not begun are joined.
    mutating func commit(then consequence: Consequence? = nil) {
        guard phase != .withoutStore else {
            if let consequence { follow(consequence, isDurable: false) }
            return
        }
        let waiting = urgent.firstIndex { job in
            if case .commit(let commit) = job, commit.stage == .write { true } else { false }
        }
        if let waiting, case .commit(var commit) = urgent[waiting] {
            if let consequence { commit.then.append(consequence) }
            urgent[waiting] = .commit(commit)
        } else {
            urgent.append(.commit(Commit(then: consequence.map { [$0] } ?? [])))
        }
    }

    private mutating func stepCommit(_ commit: Commit, _ disk: inout some Disk) -> Commit? {
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
            log(.recordNotWritten, nil, "\(error)")
            for consequence in commit.then { follow(consequence, isDurable: false) }
            return nil
        }
        if let written = commit.written { durable = written }
        for consequence in commit.then { follow(consequence, isDurable: true) }
        return nil
    }

    private mutating func follow(_ consequence: Consequence, isDurable: Bool) {
        switch consequence {
        case .opened: chooseAtStart()
        case .answer(let token): isDurable ? answer(token) : startWithoutMark(token)
        case .consider: considerWaiting()
        case .rescue: loadRescue()
        case .switchAnswer(let token, let key):
            effects.append(.switchAnswered(token, isDurable ? .switched(key) : .nothingPending))
            tellCurrent()
        case .becamePending(let key): if isDurable { announcePending(key) } else { pendingNotWritten(key) }
        case .downloadBegun(let key):
            if isDurable { planDownload(key) } else { dropDownload(.recordNotWritten) }
        case .sweep: if isDurable { sweepNow() }
        }
    }
}
