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
        urgent = [.open(Opening())]
    }

    /// - Returns: nil when the store is open, or can't be.
    mutating func stepOpening(_ opening: Opening, _ disk: inout some Disk) -> Opening? {
        var opening = opening
        do {
            guard let next = try nextStage(&opening, &disk) else {
                settle()
                return nil
            }
            opening.stage = next
            return opening
        } catch {
            return opened(without: error, at: opening)
        }
    }

    /// A store that can't be opened costs downloads for this process, never the app: go on with what the
    /// package has.
    private mutating func opened(without error: DiskError, at opening: Opening) -> Opening? {
        log(error.code == .locked ? .storeInUse : .storeUnavailable, nil, "\(error)")
        if error.code == .denied, !inForeground {
            isOpeningPutOff = true
            return nil
        }
        mayDelete = false
        phase = .withoutStore
        switch opening.stage {
        case .folders, .syncVolume, .syncStore, .syncRecordA, .syncRecordB, .readRecordA, .readRecordB:
            record = Record()
            guard let source = launch?.embedded else { return nothingToOpen() }
            return Opening(stage: .embeddedManifest(reading(source)))
        case .embeddedManifest, .embeddedSizes:
            return nothingToOpen()
        case .tables, .interrupted, .finishedRows, .note:
            settle()
            return nil
        }
    }

    /// R4: while the device is locked "not now" is no answer about a version. Nobody looks, so no page is
    /// shown meanwhile, least of all an older one; the front, a push or another wish tries again.
    mutating func openAgain() {
        guard isOpeningPutOff else { return }
        isOpeningPutOff = false
        urgent.append(.open(Opening()))
    }

    private mutating func nothingToOpen() -> Opening? {
        settle()
        return nil
    }

    private mutating func nextStage(_ opening: inout Opening, _ disk: inout some Disk) throws(DiskError)
        -> Opening.Stage?
    {
        switch opening.stage {
        case .folders:
            opening.hasMadeFolders = try makeFolders(&disk)
            if opening.hasMadeFolders { return .syncVolume }
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
            take(first, try slot(StorePaths.recordB, &disk))
            guard let source = launch?.embedded else { return .tables(next: 0, nil) }
            return .embeddedManifest(reading(source))
        case .embeddedManifest(var reading):
            guard try reading.step(&disk) else { return .embeddedManifest(reading) }
            return embeddedRead(reading.bytes)
        case .embeddedSizes(let version, let next):
            return try embeddedSizes(version, from: next, &disk)
        case .tables(let next, let reading):
            return tables(next, reading, &disk)
        case .interrupted(var reading):
            return interrupted(&reading, &disk)
        case .finishedRows(var reading):
            return finishedRows(&reading, &disk)
        case .note:
            startsNote = StartsNote.read(&disk)
            return nil
        }
    }

    private func reading(_ source: EmbeddedSource) -> FileReading {
        FileReading(source.manifest, largest: settings.limits.manifestBytes)
    }

    private mutating func makeFolders(_ disk: inout some Disk) throws(DiskError) -> Bool {
        var hasMade = false
        for path in [StorePaths.root, StorePaths.blobs, StorePaths.tables, StorePaths.partial]
        where try disk.statusIfPresent(path) == nil {
            try disk.makeDirectory(path)
            hasMade = true
        }
        if !hasLock { _ = try disk.lock(StorePaths.lock) }
        hasLock = true
        return hasMade
    }

    /// A process that was killed may have made the folders and not synced their names; from the first record
    /// on they are known to be durable.
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

    /// The newer valid one counts; a newer one of an unknown format means a fresh record (N2).
    private mutating func take(_ first: Opening.RecordSlot, _ second: Opening.RecordSlot) {
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
        -> Opening.RecordSlot
    {
        var reading = FileReading(path, largest: RecordCoding.largest)
        do {
            while try !reading.step(&disk) {}
        } catch {
            if error.code == .notFound { return Opening.RecordSlot(content: .absent) }
            // The device was locked just now: nothing is known of the record.
            if error.code == .denied { throw error }
            // An I/O error is not "absent": what the other slot does not name may still be named here.
            if error.code != .tooBig { mayDelete = false }
            return Opening.RecordSlot(content: .invalid)
        }
        if let record = RecordCoding.decode(reading.bytes) {
            return Opening.RecordSlot(content: .valid(generation: record.generation), record: record)
        }
        guard let newer = RecordCoding.newerGeneration(reading.bytes) else {
            return Opening.RecordSlot(content: .invalid)
        }
        return Opening.RecordSlot(content: .newer(generation: newer), newer: newer)
    }

    // MARK: The embedded version

    private mutating func embeddedRead(_ bytes: [UInt8]) -> Opening.Stage {
        guard let source = launch?.embedded else { return .tables(next: 0, nil) }
        do {
            let table = try ManifestReader(dialect: source.dialect, limits: settings.limits).read(bytes)
            let places = table.rows.map { row in
                StoredVersion.Place(location: .package(row.packagePath), size: row.size ?? 0)
            }
            let version = StoredVersion(
                table: table, places: places, verification: .package, packageRoot: source.root)
            return .embeddedSizes(version, next: 0)
        } catch {
            log(error.cause, nil, "embedded manifest: \(error.detail)")
            return .tables(next: 0, nil)
        }
    }

    /// Lengths that the manifest does not state, sixteen to a step.
    private mutating func embeddedSizes(_ version: StoredVersion, from start: Int, _ disk: inout some Disk)
        throws(DiskError) -> Opening.Stage
    {
        var version = version
        var asked = 0
        for number in start..<version.places.count where version.table.rows[number].size == nil {
            if asked == 16 { return .embeddedSizes(version, next: number) }
            asked += 1
            guard let path = version.path(version.places[number]) else { continue }
            if let status = try disk.statusIfPresent(path), status.kind == .file {
                version.places[number].size = status.size
            } else {
                version.places[number].location = .absent
            }
        }
        versions.removeAll { $0.key == version.key }
        versions.insert(version, at: 0)
        return .tables(next: 0, nil)
    }

    // MARK: Tables of downloaded versions

    private mutating func tables(_ number: Int, _ former: FileReading?, _ disk: inout some Disk)
        -> Opening.Stage
    {
        guard number < record.versions.count else {
            guard record.download != nil else { return .note }
            return .interrupted(
                FileReading(StorePaths.partialManifest, largest: settings.limits.manifestBytes))
        }
        let key = record.versions[number].key
        guard !versions.contains(where: { $0.key == key }) else { return .tables(next: number + 1, nil) }
        var reading = former ?? FileReading(StorePaths.table(key), largest: settings.limits.manifestBytes * 2)
        do {
            guard try reading.step(&disk) else { return .tables(next: number, reading) }
        } catch {
            log(.contentDamaged, key, "table: \(error)")
            return .tables(next: number + 1, nil)
        }
        let version = TableCoding.decode(
            reading.bytes, packageRoot: launch?.embedded?.root, limits: settings.limits)
        if let version, version.key == key {
            versions.append(version)
        } else {
            log(.contentDamaged, key, "table does not read")
        }
        return .tables(next: number + 1, nil)
    }
}
