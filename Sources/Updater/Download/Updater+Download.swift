import Core

/// Course of a download: start, plan, transfers, and what stops it (U2 to U5, U11).
extension Updater {
    /// Starts the download of a version, in place of another one.
    mutating func startDownload(_ table: VersionTable, _ manifest: [UInt8]) {
        // Whether or not the manifest of the one before can still be read.
        let mayHaveParts = unfinishedKey != nil || durable.download != nil
        dropDownload(.superseded)
        if let previous = record.download, previous != table.key { record.recordLeft(previous) }
        download = Download(table: table, manifest: manifest)
        download?.mayHaveParts = mayHaveParts
        log(.downloadStarted, table.key, "rows=\(table.assets.count)")
        effects.append(.status(status.whileLoading(table.key)))
        if record.download == table.key, partial.interrupted == nil { readInterruptedDownload(table.key) }
        jobs.add(.startDownload(DownloadStart()))
        // How much of it is already here is known only after its assets have been inspected.
        showProgress(nil)
    }

    /// The download has begun on the disk: the record names the download, so garbage collection keeps its
    /// files.
    mutating func planDownload(_ key: VersionKey) {
        guard download?.table.key == key else { return }
        retries.disk.reset()
        noteDurableFolders()
        // The download that it replaces is no longer retained.
        if let previous = partial.takeInterrupted(), previous.key != key { scheduleGarbageCollection() }
        jobs.add(.planDownload)
    }

    /// Looks for each asset's content in the store, with at most sixteen disk calls per step.
    /// - Returns: true if assets are left.
    mutating func stepPlan(_ disk: inout some Disk) -> Bool {
        guard let table = download?.table else { return false }
        // What is out of use and not removed yet is not requested again either (U2).
        let stored = versions.all + versions.unused
        if download?.knownAssets?.areOf(stored) != true {
            download?.knownAssets = KnownAssets(stored)
        }
        var calls = 0
        // An asset may be in each version, in none, and partly here; the last call reads the free space.
        let callsOfAnAsset = stored.count + 2
        do throws(DiskError) {
            while let index = download?.assets.firstUnknown, index < table.assets.count {
                guard calls == 0 || calls + callsOfAnAsset < 16 else { break }
                let state = try findStored(for: index, table, stored, &calls, &disk)
                download?.assets.set(state, at: index)
                if state.isNeeded, download?.mayHaveParts == true {
                    calls += 1
                    let size = partialSize(index, table, &disk)
                    download?.assets.found(index, upTo: size)
                }
            }
        } catch {
            // What is stored is not known: nothing is fetched that may be here (U2).
            log(.diskFailed, table.key, "\(error)")
            download?.isPlanPutOff = true
            retries.disk.failed(at: now, jitter: choose("plan", UInt64(retries.disk.attempts)))
            scheduleRetry()
            return false
        }
        guard download?.assets.firstUnknown == table.assets.count else { return true }
        download?.isPlanned = true
        download?.knownAssets = nil
        reportProgress()
        guard let plan = download, let lack = lackOfSpace(plan, &disk) else {
            fetchMore()
            return false
        }
        if !plan.hasMadeRoom {
            download?.hasMadeRoom = true
            download?.isPlanned = false
            collectGarbage()
            jobs.add(.planDownload)
            return false
        }
        log(.noSpace, table.key, lack)
        dropDownload(.noSpace)
        return false
    }

    /// U11: whether missing bytes × 1.1 and a reserve exceed the free space.
    /// - Returns: both, for the log; nil if they do not.
    private func lackOfSpace(_ plan: Download, _ disk: inout some Disk) -> String? {
        do {
            let free = try disk.freeSpace(.data)
            let wanted = RequiredSpace.bytes(
                missing: plan.missingBytes, reserve: settings.limits.reserveBytes)
            return plan.isComplete || free >= wanted ? nil : "free=\(free) wanted=\(wanted)"
        } catch {
            return nil
        }
    }

    private mutating func findStored(
        for index: Int, _ table: VersionTable, _ known: [StoredVersion], _ calls: inout Int,
        _ disk: inout some Disk
    ) throws(DiskError) -> Download.AssetState {
        let asset = table.assets[index]
        if case .sha256 = asset.hash {
        } else if let stored = partial.finishedAsset(table.partialKey(index)),
            case .blob(let digest) = stored.location, try isStored(digest, stored.size, &calls, &disk)
        {
            return .available(stored)
        }
        if let stored = storedBlob(for: asset), case .blob(let digest) = stored.location,
            try isStored(digest, stored.size, &calls, &disk)
        {
            return .available(stored)
        }
        if asset.hash == .none { return .needed }
        for version in known.indices {
            guard let index = download?.knownAssets?.firstAsset(with: asset.hash, of: version, known) else {
                continue
            }
            let stored = known[version].storedAssets[index]
            guard asset.mayHaveSize(stored.size) else { continue }
            switch stored.location {
            case .package:
                // The package of a version that is out of use may be another one.
                if version < versions.all.count { return .available(stored) }
            case .blob(let digest):
                if try isStored(digest, stored.size, &calls, &disk) { return .available(stored) }
            case .absent: continue
            }
        }
        if case .sha256(let digest) = asset.hash, let size = asset.size,
            try isStored(digest, size, &calls, &disk)
        {
            return .available(StoredVersion.StoredAsset(location: .blob(digest), size: size))
        }
        return .needed
    }

    /// Bytes of an asset that the previous process received, which count as progress from the beginning (U7).
    /// Zero for an asset without a hash, because the file beside the partial file has not been read yet.
    private func partialSize(_ index: Int, _ table: VersionTable, _ disk: inout some Disk) -> Int {
        let asset = table.assets[index]
        if asset.hash == .none { return 0 }
        do {
            let status = try disk.statusIfPresent(StorePaths.partialFile(table.partialKey(index)))
            guard let status, PartialReading.isUsable(status, of: asset) else { return 0 }
            return status.size
        } catch {
            return 0
        }
    }

    /// Whether the blob exists with this length. No blob is used without this check.
    private func isStored(_ digest: Digest256, _ size: Int, _ calls: inout Int, _ disk: inout some Disk)
        throws(DiskError) -> Bool
    {
        guard isTrusted(digest) else { return false }
        calls += 1
        let status = try disk.statusIfPresent(StorePaths.blob(digest))
        return status?.kind == .file && status?.size == size
    }

    // MARK: Transfers

    /// The origin offers the version that is being downloaded, perhaps with other URLs.
    mutating func continueDownload(_ table: VersionTable, _ manifest: [UInt8]) {
        download?.adopt(table, manifest)
        download?.needsManifest = false
        fetchMore()
    }

    /// Starts transfers up to the limit of six (U5), or completes the download if nothing is missing. Assets
    /// that failed or that the data policy pauses are left as they are. No transfer starts while too many
    /// received files wait for their syncs, because each of them is open.
    mutating func fetchMore() {
        guard let plan = download, plan.isPlanned else { return }
        guard !plan.needsManifest else { return scheduleRetry() }
        if plan.isComplete { return allFilesAvailable() }
        if plan.lacksOnlyFailedOptional { return confirmWithoutOptional() }
        guard !isOriginDelayActive, !pausesForDataPolicy() else { return scheduleRetry() }
        var freeTransfers = max(settings.parallelTransfers, 0) - plan.transfers.count
        let waiting = jobs.assetsToRead
        freeTransfers -= waiting.count
        freeTransfers = min(freeTransfers, Download.mostFinishing - plan.assets.finishingCount)
        var hashesInProgress = (plan.assets.inProgress + waiting).map { plan.table.assets[$0].hash }
        func fetch(_ index: Int) {
            let hash = plan.table.assets[index].hash
            // Assets of equal content are downloaded once.
            guard plan.assets.backoffs[index].isDue(at: now), !waiting.contains(index),
                hash == .none || !hashesInProgress.contains(hash)
            else { return }
            jobs.add(PartialReading(assetIndex: index, key: plan.table.partialKey(index)))
            hashesInProgress.append(hash)
            freeTransfers -= 1
        }
        for index in plan.assets.firstFresh..<plan.assets.count {
            if freeTransfers <= 0 { break }
            if plan.assets.isNeeded(index, hasFailed: false) { fetch(index) }
        }
        // Those that failed come last, so that they don't keep the others waiting.
        for index in plan.assets.failing where plan.assets.isNeeded(index, hasFailed: true) {
            if freeTransfers <= 0 { break }
            fetch(index)
        }
        scheduleRetry()
    }

    /// Only optional files are missing that keep failing: if the origin answers and still offers the version,
    /// it does without them (U12).
    private mutating func confirmWithoutOptional() {
        guard checks.run == nil else { return }
        guard !isOriginDelayActive, retries.check.isDue(at: now) else { return scheduleRetry() }
        sendCheck(.own, .confirmation)
    }

    private mutating func skipFailedOptional() {
        guard let plan = download, plan.lacksOnlyFailedOptional, download?.retryOptional() == false else {
            return
        }
        for index in plan.failedOptional {
            let route = plan.table.assets[index].route
            log(.optionalMissing, plan.table.key, "route=\(route) attempts=\(plan.assets.attempts[index])")
            download?.markAvailable(index, StoredVersion.StoredAsset(location: .absent, size: 0))
        }
        reportProgress()
    }

    private mutating func allFilesAvailable() {
        guard var plan = download, !plan.isCompleting else { return }
        guard plan.completionBackoff.isDue(at: now) else { return scheduleRetry() }
        if plan.hasUnhashedAssets, !plan.isConfirmed {
            // If a check is in progress, its end calls this again.
            guard checks.run == nil else { return }
            guard !isOriginDelayActive, retries.check.isDue(at: now) else { return scheduleRetry() }
            return sendCheck(.own, .confirmation)
        }
        plan.isCompleting = true
        download = plan
        jobs.add(.completeVersion(VersionCompletion()))
    }

    /// U1: handles the manifest that is requested once more after the last file.
    /// - Returns: false if it is another version's. An edge that is behind may answer so each time.
    mutating func confirmOffer(_ table: VersionTable, _ run: CheckRun, _ terms: SigningTerms?) -> Bool {
        guard let key = download?.table.key else {
            decide(table, run, terms)
            return true
        }
        guard key == table.key else {
            log(.manifestChanged, key, "now=\(table.key.id)")
            decide(table, run, terms)
            return false
        }
        download?.isConfirmed = true
        skipFailedOptional()
        fetchMore()
        return true
    }

    // MARK: Stopping

    /// Ends a download that is no longer wanted. Finished blobs are kept if the next one names them; partial
    /// files are removed by the next garbage collection.
    mutating func dropDownload(_ cause: LogCause) {
        guard let plan = download else { return }
        let files = cancel(plan.transfers) + jobs.dropDownload()
        download = nil
        _ = partial.takeInterrupted()
        log(cause, plan.table.key, "download ended")
        // Nothing has been left in a new line (U8).
        if cause != .lineChanged { record.recordLeft(plan.table.key) }
        record.download = nil
        switch cause {
        case .diskFailed, .recordNotWritten:
            checks.refusedByDisk = plan.table.key
            // U7: nothing may be on its way any more.
            showMissingContent(screenWithoutContent)
        case .noSpace:
            checks.refusedByDisk = plan.table.key
            // U7: nothing can be shown until there is room.
            showMissingContent(.noSpace)
        default: break
        }
        if partial.closeLater(files) { jobs.add(.closeFiles) }
        commit(then: .collectGarbage)
    }

    /// The version whose download is in progress, or was left unfinished by an earlier process.
    var unfinishedKey: VersionKey? { download?.table.key ?? record.download }

    /// The origin's response decided for another version: ends the download in progress, or the one that an
    /// earlier process left unfinished, so that nothing of it is kept any more (R7).
    mutating func dropUnfinished(_ cause: LogCause) {
        if download != nil { return dropDownload(cause) }
        guard let key = record.download else { return }
        _ = partial.takeInterrupted()
        log(cause, key, "download of an earlier process ended")
        record.recordLeft(key)
        record.download = nil
        commit(then: .collectGarbage)
    }

    /// Cancels the requests of these transfers.
    /// - Returns: their open files.
    mutating func cancel(_ transfers: [FileTransfer]) -> [OpenPartialFile] {
        for transfer in transfers { cancelRequest(transfer.id) }
        return transfers.compactMap(\.openFile)
    }

    /// An attempt failed: keeps what is here, the rest waits (U5).
    mutating func downloadFailed(_ cause: LogCause, _ detail: String, needsManifest: Bool) {
        guard let key = download?.table.key else { return }
        log(cause, key, detail)
        if needsManifest, download?.needsManifest == false {
            download?.needsManifest = true
            checkAttemptFailed(key, "the manifest announces the same files")
        }
        fetchMore()
    }

    // MARK: Progress

    /// Reports progress if it has grown enough.
    mutating func reportProgress() {
        guard let current = download?.progress, let grown = progress.report(current) else { return }
        effects.append(.notice(.progress(grown)))
        showProgress(grown)
    }

    /// Shows progress on the loading screen, if there is no page.
    private mutating func showProgress(_ current: DownloadProgress?) {
        guard hasNothingToShow else { return }
        progress.show(current)
        showMissingContent(.loading(progress.shown))
    }
}
