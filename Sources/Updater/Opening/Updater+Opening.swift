import Core

extension Updater {
    mutating func begin(_ launch: Launch) {
        self.launch = launch
        launchedAt = now
        settings = launch.settings
        inForeground = launch.inForeground
        network = launch.network
        backgroundSince = launch.inForeground ? nil : now
        key = KeyedHash.Key(bytes: launch.entropy.prefix(16)) ?? KeyedHash.Key(low: 0, high: 0)
        phase = .opening
        urgent = [.openStore(StoreOpening())]
    }

    /// Performs one stage.
    /// - Returns: nil if the store is open or can't be opened.
    mutating func stepOpening(_ opening: StoreOpening, _ disk: inout some Disk) -> StoreOpening? {
        var opening = opening
        do {
            guard let next = try nextStage(&opening, &disk) else {
                decideLaunch()
                return nil
            }
            opening.stage = next
            return opening
        } catch {
            return openingFailed(after: error, at: opening)
        }
    }

    /// A store that can't be opened costs the downloads of this process, never the app: continues with the
    /// version in the package.
    private mutating func openingFailed(after error: DiskError, at opening: StoreOpening) -> StoreOpening? {
        log(error.code == .locked ? .storeInUse : .storeUnavailable, nil, "\(error)")
        if error.code == .denied, !inForeground {
            isOpeningPostponed = true
            return nil
        }
        mayDelete = false
        phase = .withoutStore
        switch opening.stage {
        case .folders, .syncVolume, .syncStore, .syncRecordA, .syncRecordB, .readRecordA, .readRecordB:
            record = StoreRecord()
            guard let source = launch?.embedded else { return nothingToOpen() }
            return StoreOpening(stage: .embeddedManifest(reading(source)))
        case .embeddedManifest, .embeddedSizes:
            return nothingToOpen()
        case .tables, .interrupted, .finishedAssets, .startsFile:
            decideLaunch()
            return nil
        }
    }

    /// R4: while the device is locked, "not now" says nothing about a version. No page is shown meanwhile,
    /// least of all an older version, because no user is watching; opening is tried again when the app comes
    /// to the front, a push arrives or a check is requested.
    mutating func retryOpening() {
        guard isOpeningPostponed else { return }
        isOpeningPostponed = false
        urgent.append(.openStore(StoreOpening()))
    }

    private mutating func nothingToOpen() -> StoreOpening? {
        decideLaunch()
        return nil
    }

    private mutating func nextStage(_ opening: inout StoreOpening, _ disk: inout some Disk) throws(DiskError)
        -> StoreOpening.Stage?
    {
        switch opening.stage {
        case .folders:
            opening.hasCreatedFolders = try createFolders(&disk)
            if opening.hasCreatedFolders { return .syncVolume }
            return try hasNoRecord(&disk) ? .syncVolume : .syncStore
        case .syncVolume:
            try disk.syncDirectory(DiskPath(.data, ""))
            return .syncStore
        case .syncStore:
            try disk.syncDirectory(StorePaths.root)
            return .syncRecordA
        case .syncRecordA:
            try syncIfPresent(StorePaths.recordA, &disk)
            return .syncRecordB
        case .syncRecordB:
            try syncIfPresent(StorePaths.recordB, &disk)
            return .readRecordA
        case .readRecordA: return .readRecordB(try slot(StorePaths.recordA, &disk))
        case .readRecordB(let first):
            chooseRecord(first, try slot(StorePaths.recordB, &disk))
            guard let source = launch?.embedded else { return .tables(next: 0, nil) }
            return .embeddedManifest(reading(source))
        case .embeddedManifest(var reading):
            guard try reading.step(&disk) else { return .embeddedManifest(reading) }
            return readEmbeddedManifest(reading.bytes)
        case .embeddedSizes(let version, let next):
            return try readEmbeddedSizes(version, from: next, &disk)
        case .tables(let next, let reading):
            return readTable(next, reading, &disk)
        case .interrupted(var reading):
            return readInterruptedDownload(&reading, &disk)
        case .finishedAssets(var reading):
            return readFinishedAssets(&reading, &disk)
        case .startsFile:
            startsFile = StartsFile.read(&disk)
            return nil
        }
    }

    private func reading(_ source: EmbeddedSource) -> FileReading {
        FileReading(source.manifest, limit: settings.limits.manifestBytes)
    }

    private mutating func createFolders(_ disk: inout some Disk) throws(DiskError) -> Bool {
        var hasCreated = false
        for path in [StorePaths.root, StorePaths.blobs, StorePaths.tables, StorePaths.partial]
        where try disk.statusIfPresent(path) == nil {
            try disk.makeDirectory(path)
            hasCreated = true
        }
        if !hasLock { _ = try disk.lock(StorePaths.lock) }
        hasLock = true
        return hasCreated
    }

    /// A killed process may have created the folders without syncing their names; once there is a record,
    /// they are known to be durable.
    private func hasNoRecord(_ disk: inout some Disk) throws(DiskError) -> Bool {
        let first = try disk.statusIfPresent(StorePaths.recordA)
        let second = try disk.statusIfPresent(StorePaths.recordB)
        return first == nil && second == nil
    }

    private func syncIfPresent(_ path: DiskPath, _ disk: inout some Disk) throws(DiskError) {
        guard try disk.statusIfPresent(path) != nil else { return }
        let file = try disk.open(path, .update)
        do {
            try disk.sync(file)
        } catch {
            disk.closeQuietly(file)
            throw error
        }
        try disk.close(file)
    }

    // MARK: The record

    /// The newer valid record counts; a newer one of an unknown format means a fresh record (N2).
    private mutating func chooseRecord(_ first: StoreOpening.RecordSlot, _ second: StoreOpening.RecordSlot) {
        slots = RecordSlots(a: first.content, b: second.content)
        let found = [first.record, second.record].compactMap { $0 }.max { $0.generation < $1.generation }
        let newer = [first.newer, second.newer].compactMap { $0 }.max()
        if newer != nil {
            isNewerFormatKept = true
            mayDelete = false
        }
        if let newer, newer > found?.generation ?? 0 {
            record.generation = newer
            log(.recordNewerFormat, nil, "generation=\(newer)")
            return
        }
        let isDamaged = first.content == .invalid || second.content == .invalid
        if let found {
            record = found
            durable = found
            if isDamaged { log(.recordFellBack, nil, "generation=\(found.generation)") }
        } else if isDamaged {
            log(.recordLost)
        }
    }

    private mutating func slot(_ path: DiskPath, _ disk: inout some Disk) throws(DiskError)
        -> StoreOpening.RecordSlot
    {
        var reading = FileReading(path, limit: RecordCoding.maxBytes)
        do {
            while try !reading.step(&disk) {}
        } catch {
            if error.code == .notFound { return StoreOpening.RecordSlot(content: .absent) }
            // The device has just been locked: nothing is known about the record.
            if error.code == .denied { throw error }
            // An I/O error does not mean "absent": this slot may still name what the other one does not.
            if error.code != .tooBig { mayDelete = false }
            return StoreOpening.RecordSlot(content: .invalid)
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

    private mutating func readEmbeddedManifest(_ bytes: [UInt8]) -> StoreOpening.Stage {
        guard let source = launch?.embedded else { return .tables(next: 0, nil) }
        do {
            let table = try ManifestReader(dialect: source.dialect, limits: settings.limits).read(bytes)
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
        versions.removeAll { $0.key == version.key }
        versions.insert(version, at: 0)
        return .tables(next: 0, nil)
    }

    // MARK: Tables of downloaded versions

    private mutating func readTable(_ index: Int, _ previous: FileReading?, _ disk: inout some Disk)
        -> StoreOpening.Stage
    {
        guard index < record.versions.count else {
            guard record.download != nil else { return .startsFile }
            return .interrupted(
                FileReading(StorePaths.partialManifest, limit: settings.limits.manifestBytes))
        }
        let key = record.versions[index].key
        guard !versions.contains(where: { $0.key == key }) else { return .tables(next: index + 1, nil) }
        var reading = previous ?? FileReading(StorePaths.table(key), limit: settings.limits.tableBytes)
        do {
            guard try reading.step(&disk) else { return .tables(next: index, reading) }
        } catch {
            log(.contentDamaged, key, "table: \(error)")
            return .tables(next: index + 1, nil)
        }
        let version = TableCoding.decode(
            reading.bytes, packageRoot: launch?.embedded?.root, limits: settings.limits)
        if let version, version.key == key {
            versions.append(version)
        } else {
            log(.contentDamaged, key, "table does not read")
        }
        return .tables(next: index + 1, nil)
    }
}
