import Core

extension Updater {
    mutating func begin(_ launch: Launch) {
        self.launch = launch
        launchedAt = now
        settings = launch.settings
        environment = ProcessEnvironment(
            inForeground: launch.inForeground, launch.network, at: now)
        key = KeyedHash.Key(bytes: launch.entropy.prefix(16)) ?? KeyedHash.Key(low: 0, high: 0)
        store.beginOpening()
        jobs.add(.openStore(StoreOpening()))
    }

    /// Performs one stage. It ends when the store is open, can't be opened, or is tried again later.
    mutating func stepOpening(
        _ opening: StoreOpening, after syncError: DiskError?, _ disk: inout some Disk
    ) -> JobStep<StoreOpening> {
        var opening = opening
        store.isInOpening = true
        defer { store.isInOpening = false }
        do {
            let step = try nextStage(&opening, after: syncError, &disk)
            if case .done = step {
                store.retry.succeeded()
                if let key = record.download, store.phase == .opening { readInterruptedDownload(key) }
                decideLaunch()
            }
            return step.map { stage in
                opening.stage = stage
                return opening
            }
        } catch {
            return openingFailed(after: error, at: opening).map { .next($0) } ?? .done
        }
    }

    /// A store that can't be opened or written costs the downloads of this process, never the app: it
    /// continues with the versions that can be read.
    private mutating func openingFailed(after error: DiskError, at failed: StoreOpening) -> StoreOpening? {
        var opening = failed
        if error.code == .locked, error.call == .lock {
            log(.storeInUse, nil, "\(error)")
            store.becomeReadOnly(after: error)
            guard let source = launch?.embedded else {
                decideLaunch()
                return nil
            }
            opening.stage = .embeddedManifest(manifestFile(source))
            return opening
        }
        opening.stage = firstStage(of: failed.stage)
        if mayTryAgain(after: error), waitToOpen(opening, error) { return nil }
        log(.storeUnavailable, nil, "\(error)")
        switch opening.stage {
        case .folders, .syncVolume, .volumeSynced, .syncStore, .storeSynced, .syncRecord, .recordSynced:
            continueReadOnly(&opening, after: error)
            opening.stage = .readRecordA(nil)
        case .readRecordA, .readRecordB:
            // Its bytes can't be read, also not when tried again: this slot counts as damaged, the other one
            // decides. Any other error says nothing about the slot, which must not be overwritten.
            if error.code != .inputOutput { continueReadOnly(&opening, after: error) }
            opening.skipsUnreadableSlots = true
        case .embeddedManifest, .embeddedTable, .embeddedSizes:
            guard launch?.native.text == record.native || store.phase == .readOnlyStore else {
                // The store update can't be settled without the package's version (N1).
                return putOffOpening()
            }
            store.leavePackageUnread()
            opening.stage = .tables(next: 0, nil)
        case .tables(let next, _), .table(let next):
            opening.unreadTables.append(
                StoreOpening.UnreadTable(key: record.versions[next].key, error: error))
            opening.stage = .tables(next: next + 1, nil)
        case .startsFile: opening.skipsUnreadableStarts = true
        }
        return opening
    }

    /// A stage that was interrupted begins anew: the file that it was reading is closed.
    private func firstStage(of stage: StoreOpening.Stage) -> StoreOpening.Stage {
        switch stage {
        case .embeddedManifest, .embeddedTable, .embeddedSizes:
            launch?.embedded.map { .embeddedManifest(manifestFile($0)) } ?? .tables(next: 0, nil)
        case .tables(let next, _), .table(let next): .tables(next: next, nil)
        case .recordSynced(let slot, _): .syncRecord(slot)
        case .readRecordA: .readRecordA(nil)
        case .readRecordB(let first, _): .readRecordB(first, nil)
        case .folders, .syncVolume, .volumeSynced, .syncStore, .storeSynced, .syncRecord, .startsFile: stage
        }
    }

    /// A sync that failed is never repeated: a second one would succeed although bytes are lost.
    private func mayTryAgain(after error: DiskError) -> Bool {
        error.errorClass == .transient && !error.isOfSync
    }

    /// - Returns: false if it must go on now (``DiskRetry``).
    private mutating func waitToOpen(_ opening: StoreOpening, _ error: DiskError) -> Bool {
        let isFirst = !store.hasLoggedOpening
        let delay = store.retry.delay(
            .openStore(opening), at: now, inForeground: environment.inForeground, jitter: choose("open"))
        guard let delay else { return false }
        // R4: in background no page is shown meanwhile, least of all an older version.
        if isFirst { log(.storeUnavailable, nil, "\(error), tried again") }
        store.hasLoggedOpening = true
        effects.append(.setTimer(.disk, after: delay))
        return true
    }

    /// The store can be read and not written: what is there is started as R2 allows it, nothing is accepted.
    private mutating func continueReadOnly(_ opening: inout StoreOpening, after error: DiskError) {
        store.becomeReadOnly(after: error)
        if error.isOfSync { store.recordNotSynced() }
        opening.skipsUnreadableSlots = true
    }

    /// Nothing can be shown without the store: it is opened anew until that succeeds, in this process.
    private mutating func putOffOpening() -> StoreOpening? {
        let hasNoRoom = store.hasNoRoom
        store.beginAnew()
        record = StoreRecord()
        durable = StoreRecord()
        recordOpening()
        settledUpdate = nil
        versions.readAnew()
        selection.choice = nil
        show(hasNoRoom ? .noSpace : environment.network == .offline ? .offline : .loading(nil))
        let delay = store.retry.putOff(.openStore(StoreOpening()), at: now, jitter: choose("open"))
        effects.append(.setTimer(.disk, after: delay))
        return nil
    }

    /// Called when nothing can be shown because the store could not be used.
    /// - Returns: false if the store is not the reason.
    mutating func retriesOpening() -> Bool {
        guard store.phase == .readOnlyStore || store.isPackageUnread else { return false }
        _ = putOffOpening()
        return true
    }

    /// Tries now what waits for the disk: the app came to the front, the network changed, a check was
    /// requested, or the time is over.
    mutating func retryDisk() {
        guard let job = store.retry.take() else { return }
        effects.append(.cancelTimer(.disk))
        jobs.add(job)
    }

    private mutating func nextStage(
        _ opening: inout StoreOpening, after syncError: DiskError?, _ disk: inout some Disk
    ) throws(DiskError) -> JobStep<StoreOpening.Stage> {
        switch opening.stage {
        case .folders:
            let hasCreatedFolders = try createFolders(&disk)
            opening.hasRecord = try !hasNoRecord(&disk)
            return .next(hasCreatedFolders || !opening.hasRecord ? .syncVolume : .syncStore)
        case .syncVolume: return .sync(.directory(DiskPath(.data, "")), then: .volumeSynced)
        case .volumeSynced:
            // Here only without a record: nothing refers to content of an earlier process.
            if let syncError { try fail(syncError, namingAnew: [StorePaths.root], &disk) }
            return .next(.syncStore)
        case .syncStore: return .sync(.directory(StorePaths.root), then: .storeSynced)
        case .storeSynced:
            let names = opening.hasRecord ? [] : [StorePaths.blobs, StorePaths.tables, StorePaths.partial]
            if let syncError { try fail(syncError, namingAnew: names, &disk) }
            return .next(.syncRecord(StorePaths.recordA))
        case .syncRecord(let slot):
            guard try disk.statusIfPresent(slot) != nil else { return .next(stage(after: slot)) }
            let file = try disk.open(slot, .update)
            return .sync(.file(file), then: .recordSynced(slot, file))
        case .recordSynced(let slot, let file):
            if let syncError {
                disk.closeQuietly(file)
                throw syncError
            }
            try disk.close(file)
            return .next(stage(after: slot))
        case .readRecordA(let previous):
            var reading = previous ?? FileReading(StorePaths.recordA, limit: RecordCoding.maxBytes)
            guard let first = try stepSlot(&reading, opening.skipsUnreadableSlots, &disk) else {
                return .next(.readRecordA(reading))
            }
            return .next(.readRecordB(first, nil))
        case .readRecordB(let first, let previous):
            var reading = previous ?? FileReading(StorePaths.recordB, limit: RecordCoding.maxBytes)
            guard let second = try stepSlot(&reading, opening.skipsUnreadableSlots, &disk) else {
                return .next(.readRecordB(first, reading))
            }
            chooseRecord(first, second)
            guard let source = launch?.embedded else { return .next(.tables(next: 0, nil)) }
            return .next(.embeddedManifest(manifestFile(source)))
        case .embeddedManifest(var file):
            guard try file.step(&disk) else { return .next(.embeddedManifest(file)) }
            guard let source = launch?.embedded else { return .next(.tables(next: 0, nil)) }
            stepwise.embedded = ManifestReading(
                file.bytes, dialect: source.dialect, limits: settings.limits)
            return .next(stepEmbeddedTable(source))
        case .embeddedTable(let source): return .next(stepEmbeddedTable(source))
        case .embeddedSizes(let version, let next):
            return .next(try readEmbeddedSizes(version, from: next, &disk))
        case .tables(let next, let reading):
            return .next(try readTable(next, reading, &disk))
        case .table(let next): return .next(stepTable(next))
        case .startsFile:
            // A store that can't be written is not waited for a second time.
            let isSkipped = opening.skipsUnreadableStarts || store.phase == .readOnlyStore
            starts.fileRead(isSkipped ? StartsFile.read(&disk) : try StartsFile.load(&disk))
            // Before this process counts anything.
            starts.settleBuild(record.buildMark)
            if starts.file.isRecordUnsynced { store.recordNotSynced() }
            settleUnreadTables(opening.unreadTables)
            return .done
        }
    }

    private func stage(after slot: DiskPath) -> StoreOpening.Stage {
        slot == StorePaths.recordA ? .syncRecord(StorePaths.recordB) : .readRecordA(nil)
    }

    /// The sync of a directory failed: the names that it was to make durable are given anew.
    private func fail(_ error: DiskError, namingAnew names: [DiskPath], _ disk: inout some Disk)
        throws(DiskError)
    {
        for name in names { disk.renameAnew(name) }
        throw error
    }

    private func manifestFile(_ source: EmbeddedSource) -> FileReading {
        FileReading(source.manifest, limit: settings.limits.manifestBytes)
    }

    private mutating func createFolders(_ disk: inout some Disk) throws(DiskError) -> Bool {
        var hasCreated = false
        for path in [StorePaths.root, StorePaths.blobs, StorePaths.tables, StorePaths.partial]
        where try disk.statusIfPresent(path) == nil {
            try disk.makeDirectory(path)
            hasCreated = true
        }
        if !store.hasLock { _ = try disk.lock(StorePaths.lock) }
        store.hasLock = true
        return hasCreated
    }

    /// A killed process may have created the folders without syncing their names; once there is a record,
    /// they are known to be durable.
    private func hasNoRecord(_ disk: inout some Disk) throws(DiskError) -> Bool {
        let first = try disk.statusIfPresent(StorePaths.recordA)
        let second = try disk.statusIfPresent(StorePaths.recordB)
        return first == nil && second == nil
    }

    // MARK: The record

    /// The newer valid record counts; a newer one of an unknown format means a fresh record (N2).
    private mutating func chooseRecord(_ first: StoreOpening.RecordSlot, _ second: StoreOpening.RecordSlot) {
        slots = RecordSlots(a: first.content, b: second.content)
        let found = [first.record, second.record].compactMap { $0 }.max { $0.generation < $1.generation }
        let newer = [first.newer, second.newer].compactMap { $0 }.max()
        if let newer, newer > found?.generation ?? 0 {
            record.generation = newer
            keepNewerFormat()
            log(.recordNewerFormat, nil, "generation=\(newer)")
            return
        }
        let isDamaged = first.content.isUnusable || second.content.isUnusable
        if let found {
            record = found
            durable = found
            recordOpening()
            if isDamaged { log(.recordFellBack, nil, "generation=\(found.generation)") }
        } else if isDamaged {
            log(.recordLost)
        }
        if newer != nil || record.keepsNewerFormat { keepNewerFormat() }
        // A slot that a later process can read again must not count as newer than what is decided now.
        if slots.hasUnread { record.generation += RecordSlots.skippedGenerations }
    }

    /// What the openings of this process have reported is in the record that replaces the one before (T1).
    private mutating func recordOpening() { for entry in store.entriesOfOpenings { record.append(entry) } }

    private mutating func keepNewerFormat() {
        store.keepNewerFormat()
        record.keepsNewerFormat = true
    }

    /// - Parameter skipsUnreadable: a slot that can't be read now counts as damaged.
    /// - Returns: nil while something is left to read.
    private mutating func stepSlot(
        _ reading: inout FileReading, _ skipsUnreadable: Bool, _ disk: inout some Disk
    ) throws(DiskError) -> StoreOpening.RecordSlot? {
        do {
            guard try reading.step(&disk) else { return nil }
        } catch {
            if error.errorClass == .absent { return StoreOpening.RecordSlot(content: .absent) }
            if error.isTooLong { return StoreOpening.RecordSlot(content: .invalid) }
            guard skipsUnreadable else { throw error }
            // An error does not mean "absent": this slot may still name what the other one does not.
            store.forbidDeletion()
            return StoreOpening.RecordSlot(content: .unread)
        }
        if let record = RecordCoding.decode(reading.bytes) {
            return StoreOpening.RecordSlot(content: .valid(generation: record.generation), record: record)
        }
        guard let newer = RecordCoding.newerGeneration(reading.bytes) else {
            return StoreOpening.RecordSlot(content: .invalid)
        }
        return StoreOpening.RecordSlot(content: .newer(generation: newer), newer: newer)
    }

    // MARK: The embedded version

    private mutating func stepEmbeddedTable(_ source: EmbeddedSource) -> StoreOpening.Stage {
        do {
            guard let table = try stepwise.embedded?.step(FileReading.urgentChunkSize) else {
                return .embeddedTable(source)
            }
            stepwise.embedded = nil
            let storedAssets = table.assets.map { asset in
                StoredVersion.StoredAsset(location: .package(asset.packagePath), size: asset.size ?? 0)
            }
            let version = StoredVersion(
                table: table, storedAssets: storedAssets, verification: .package, packageRoot: source.root)
            return .embeddedSizes(version, next: 0)
        } catch {
            log(error.cause, nil, "embedded manifest: \(error.detail)")
            return .tables(next: 0, nil)
        }
    }

    /// Determines lengths that the manifest does not state, sixteen per step.
    private mutating func readEmbeddedSizes(
        _ version: StoredVersion, from start: Int, _ disk: inout some Disk
    )
        throws(DiskError) -> StoreOpening.Stage
    {
        var version = version
        var callCount = 0
        for index in start..<version.storedAssets.count where version.table.assets[index].size == nil {
            if callCount == 16 { return .embeddedSizes(version, next: index) }
            callCount += 1
            guard let path = version.path(version.storedAssets[index]) else { continue }
            if let status = try disk.statusIfPresent(path), status.kind == .file {
                version.storedAssets[index].size = status.size
            } else {
                version.storedAssets[index].location = .absent
            }
        }
        versions.addEmbedded(version)
        return .tables(next: 0, nil)
    }

    // MARK: Tables of downloaded versions

    private mutating func readTable(_ index: Int, _ previous: FileReading?, _ disk: inout some Disk)
        throws(DiskError) -> StoreOpening.Stage
    {
        guard index < record.versions.count else { return .startsFile }
        let key = record.versions[index].key
        guard versions.version(key) == nil else { return .tables(next: index + 1, nil) }
        var reading = previous ?? FileReading(StorePaths.table(key), limit: settings.limits.tableBytes)
        do {
            guard try reading.step(&disk) else { return .tables(next: index, reading) }
        } catch {
            guard error.errorClass == .absent || error.isTooLong else { throw error }
            log(.contentDamaged, key, "table: \(error)")
            return .tables(next: index + 1, nil)
        }
        stepwise.table = TableReading(
            reading.bytes, packageRoot: launch?.embedded?.root, limits: settings.limits)
        return stepTable(index)
    }

    private mutating func stepTable(_ index: Int) -> StoreOpening.Stage {
        let key = record.versions[index].key
        do {
            guard let version = try stepwise.table?.step(FileReading.urgentChunkSize) else {
                return .table(next: index)
            }
            guard version.key == key else { throw TableDamage() }
            versions.addRead(version)
        } catch {
            log(.contentDamaged, key, "table does not read")
        }
        stepwise.table = nil
        return .tables(next: index + 1, nil)
    }
}
