import Core

/// The course of a download: begin (ST-0), plan, fetch, and what stops it (U2 to U5, U11).
extension Updater {
    mutating func startDownload(_ table: VersionTable, _ manifest: [UInt8]) {
        dropDownload(.superseded)
        download = Download(table: table, manifest: manifest)
        downloading = table.key
        log(.downloadStarted, table.key, "rows=\(table.rows.count)")
        effects.append(.status(statusWhileLoading(table.key)))
        lastStatus = nil
        background.append(.begin(DownloadBegin()))
        // How much of it is here already is known once its rows have been looked at.
        showProgress(nil)
    }

    private func statusWhileLoading(_ key: VersionKey) -> Status {
        var status = lastStatus ?? Status()
        status.downloading = key
        return status
    }

    /// ST-0 is done: the record names the download, so its files are safe from clean-up.
    mutating func planDownload(_ key: VersionKey) {
        guard download?.table.key == key else { return }
        diskPace.reset()
        // Files of the download that it takes the place of have no place any more.
        if let former = interrupted, former.key != key { scheduleSweep() }
        download?.goesOn = interrupted?.key == key
        interrupted = nil
        background.append(.plan)
    }

    /// Looks for each row's content in what is stored; sixteen disk calls to a step.
    /// - Returns: true when rows are left.
    mutating func stepPlan(_ disk: inout some Disk) -> Bool {
        guard var plan = download else { return false }
        var calls = 0
        var number = plan.rows.firstIndex(of: .unknown) ?? plan.rows.count
        while number < plan.rows.count {
            guard calls < 15 else { break }
            if plan.rows[number] == .unknown {
                plan.rows[number] = look(for: number, plan.table, &calls, &disk)
                if plan.goesOn, plan.rows[number] == .needed {
                    calls += 1
                    plan.reached[number] = sizeOfPart(number, plan.table, &disk)
                }
            }
            number += 1
        }
        plan.isPlanned = number == plan.rows.count
        download = plan
        guard plan.isPlanned else { return true }
        tellProgress()
        if isSpaceShort(plan, &disk) {
            dropDownload(.noSpace)
            return false
        }
        fetchMore()
        return false
    }

    /// U11: missing bytes × 1.1 and a reserve; what an origin does not state counts by its hint, or as
    /// nothing.
    private mutating func isSpaceShort(_ plan: Download, _ disk: inout some Disk) -> Bool {
        let rows = zip(plan.table.rows, plan.rows).filter { $0.1 == .needed }.map(\.0)
        let missing = NeededSpace.sum(rows.map { $0.size ?? $0.sizeHint ?? 0 })
        do {
            let free = try disk.freeSpace(.data)
            let wanted = NeededSpace.bytes(missing: missing, reserve: settings.limits.reserveBytes)
            guard !rows.isEmpty, free < wanted else { return false }
            log(.noSpace, plan.table.key, "free=\(free) wanted=\(wanted)")
            effects.append(.notice(.error(.noSpace, "free=\(free) wanted=\(wanted)")))
            return true
        } catch {
            return false
        }
    }

    private func look(
        for number: Int, _ table: VersionTable, _ calls: inout Int, _ disk: inout some Disk
    ) -> Download.RowState {
        let row = table.rows[number]
        if case .sha256 = row.hash {
        } else if let place = finishedRows.place(table.partialKey(number)),
            case .blob(let digest) = place.location, isStored(digest, place.size, &calls, &disk)
        {
            return .have(place)
        }
        if row.hash == .none { return .needed }
        for version in versions.indices {
            guard let number = versions[version].table.firstRow(with: row.hash) else { continue }
            let place = versions[version].places[number]
            switch place.location {
            case .package: return .have(place)
            case .blob(let digest):
                if isStored(digest, place.size, &calls, &disk) { return .have(place) }
            case .absent: continue
            }
        }
        if case .sha256(let digest) = row.hash, let size = row.size, isStored(digest, size, &calls, &disk) {
            return .have(StoredVersion.Place(location: .blob(digest), size: size))
        }
        return .needed
    }

    /// What the process before has left of a row: its share of the whole is told from the beginning (U7).
    /// Of a row without a hash nothing, before the note beside the part has been read.
    private func sizeOfPart(_ number: Int, _ table: VersionTable, _ disk: inout some Disk) -> Int {
        let row = table.rows[number]
        if row.hash == .none { return 0 }
        do {
            let status = try disk.statusIfPresent(StorePaths.partialFile(table.partialKey(number)))
            guard let status, PartialReading.isPart(status, of: row) else { return 0 }
            return status.size
        } catch {
            return 0
        }
    }

    /// Never used without a look at the length (storage.md, bugs to plant).
    private func isStored(_ digest: Digest256, _ size: Int, _ calls: inout Int, _ disk: inout some Disk)
        -> Bool
    {
        guard !record.damaged.contains(digest) else { return false }
        calls += 1
        do {
            let status = try disk.statusIfPresent(StorePaths.blob(digest))
            return status?.kind == .file && status?.size == size
        } catch {
            return false
        }
    }

    // MARK: Fetching

    /// The origin offers the version that is being fetched, perhaps under other URLs.
    mutating func continueDownload(_ table: VersionTable, _ manifest: [UInt8]) {
        download?.adopt(table, manifest)
        download?.needsManifest = false
        fetchMore()
    }

    /// Fills the free places of the six (U5), or goes on to the end when nothing is missing. What failed and
    /// what the data policy holds back stays where it is.
    mutating func fetchMore() {
        guard let plan = download, plan.isPlanned else { return }
        guard !plan.needsManifest else { return scheduleRetry() }
        if plan.isWhole { return allFilesAreHere() }
        guard !isOriginWaiting, !isHeldByPolicy() else { return scheduleRetry() }
        var free = settings.parallelTransfers - plan.transfers.count
        var waiting: [Int] = []
        for job in background { if case .resume(let reading) = job { waiting.append(reading.row) } }
        free -= waiting.count
        var coming: [RowHash] = []
        for number in plan.rows.indices where plan.rows[number].isUnderWay {
            coming.append(plan.table.rows[number].hash)
        }
        for number in waiting { coming.append(plan.table.rows[number].hash) }
        for number in plan.rows.indices where free > 0 && plan.rows[number] == .needed {
            let hash = plan.table.rows[number].hash
            // Rows of equal content are fetched once.
            guard plan.paces[number].isDue(at: now), !waiting.contains(number),
                hash == .none || !coming.contains(hash)
            else { continue }
            let reading = PartialReading(row: number, key: plan.table.partialKey(number))
            background.insert(.resume(reading), at: firstFinish)
            coming.append(hash)
            free -= 1
        }
        scheduleRetry()
    }

    /// The next request leaves before finished files are synced: the line does not wait for the disk.
    private var firstFinish: Int {
        background.firstIndex { job in if case .finish = job { true } else { false } } ?? background.count
    }

    private mutating func allFilesAreHere() {
        guard var plan = download, !plan.isCompleting else { return }
        guard plan.pace.isDue(at: now) else { return scheduleRetry() }
        if plan.hasUnhashedRows, !plan.isConfirmed {
            // Where a check is under way its end brings us back here.
            guard check == nil else { return }
            guard !isOriginWaiting, checkPace.isDue(at: now) else { return scheduleRetry() }
            return ask(.own, .confirmation)
        }
        plan.isCompleting = true
        download = plan
        background.append(.complete(VersionCompletion()))
    }

    /// U1: the manifest asked for once more after the last file.
    mutating func confirmOffer(_ table: VersionTable, _ run: CheckRun) {
        guard download != nil else { return decide(table, run) }
        guard download?.table.key == table.key else {
            log(.manifestChanged, download?.table.key, "now=\(table.key.id)")
            return decide(table, run)
        }
        download?.isConfirmed = true
        fetchMore()
    }

    // MARK: Stopping

    /// A download that is no longer wanted. Finished blobs stay for the next one as far as it names them;
    /// partial files go with the next clean-up.
    mutating func dropDownload(_ cause: LogCause) {
        guard let plan = download else { return }
        for transfer in plan.transfers {
            effects.append(.cancelFetch(transfer.id))
            effects.append(.cancelTimer(.idle(transfer.id)))
            if let file = transfer.file { orphans.append(file) }
        }
        for job in background {
            if case .resume(let reading) = job, let file = reading.file { orphans.append(file) }
            if case .finish(let finish) = job, finish.stage == .sync { orphans.append(finish.file) }
        }
        background.removeAll { job in
            switch job {
            case .begin, .plan, .finish, .resume, .complete: true
            case .open, .commit, .verify, .note, .sweep, .closeOrphans: false
            }
        }
        download = nil
        downloading = nil
        interrupted = nil
        log(cause, plan.table.key, "download ended")
        record.remember(left: plan.table.key)
        record.download = nil
        if !orphans.isEmpty { background.append(.closeOrphans) }
        commit(then: .sweep)
    }

    /// A try has failed: what is here stays, the rest waits (U5).
    mutating func downloadFailed(_ cause: LogCause, _ detail: String, asksManifest: Bool) {
        guard let key = download?.table.key else { return }
        log(cause, key, detail)
        if asksManifest { download?.needsManifest = true }
        fetchMore()
    }

    // MARK: Progress

    var progress: Progress? {
        guard let plan = download else { return nil }
        var total = 0
        var done = 0
        var isKnown = true
        for number in plan.rows.indices {
            guard let size = plan.table.rows[number].size else {
                isKnown = false
                continue
            }
            total += size
            switch plan.rows[number] {
            case .have, .finishing: done += size
            case .needed where plan.attempts[number] == 0: done += plan.reached[number]
            case .unknown, .needed, .active: break
            }
        }
        for transfer in plan.transfers where plan.table.rows[transfer.row].size != nil {
            done += transfer.offset
        }
        return Progress(
            version: plan.table.key, filesDone: plan.filesDone, files: plan.rows.count, bytesDone: done,
            bytes: isKnown ? total : nil)
    }

    /// Told when it grew by a hundredth or a file, so that neither page nor log drown; never smaller (U7).
    mutating func tellProgress() {
        guard var progress else { return }
        if let last = lastProgress, last.version == progress.version {
            progress.bytesDone = max(progress.bytesDone, last.bytesDone)
            progress.filesDone = max(progress.filesDone, last.filesDone)
            let step = max(1, (progress.bytes ?? 0) / 100)
            guard progress.filesDone > last.filesDone || progress.bytesDone >= last.bytesDone + step else {
                return
            }
        }
        lastProgress = progress
        effects.append(.notice(.progress(progress)))
        showProgress(progress)
    }

    /// The loading screen's share of the whole never falls, also when another version takes the download's
    /// place (U7).
    private mutating func showProgress(_ progress: Progress?) {
        guard record.current == nil, choice == nil else { return }
        if let progress, shownProgress.map({ !progress.isBehind($0) }) ?? true { shownProgress = progress }
        effects.append(.screen(.loading(shownProgress)))
    }
}
