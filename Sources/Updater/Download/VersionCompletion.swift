import Core

/// All blobs of a version are durable: makes `tables/<digest>` durable; then the record may name the version.
struct VersionCompletion: Sendable {
    enum Stage: Sendable {
        case begin
        /// Folders that are to be synced, the last one first.
        case names([DiskPath])
        /// The sync of a folder is over; the names that it was to make durable.
        case namesSynced([DiskPath], rest: [DiskPath])
        /// A sync failed: these names are given anew.
        case namesAnew([DiskPath], DiskError)
        case encode
        case table(DurableFile)
    }

    var stage = Stage.begin
    /// The download is dropped: only what was begun is ended.
    var isDropped = false
    /// Two calls each.
    static let namesPerStep = 7
}

extension Updater {
    mutating func stepCompletion(
        _ completion: VersionCompletion, after syncError: DiskError?, _ disk: inout some Disk
    ) -> JobStep<VersionCompletion> {
        guard !completion.isDropped, let plan = download, let version = completedVersion(plan) else {
            return stepDroppedCompletion(completion, after: syncError, &disk)
        }
        var completion = completion
        do throws(DiskError) {
            switch completion.stage {
            case .begin:
                completion.stage = .names(unsyncedFolders(version))
                return .next(completion)
            case .names(var folders):
                guard let folder = folders.popLast() else {
                    for blob in unsyncedBlobs(version) { blobNames.folderBecameDurable(of: blob) }
                    stepwise.completion = TableWriting(version, manifest: plan.manifest)
                    completion.stage = stageOfEncoding(version.key)
                    return .next(completion)
                }
                completion.stage = .namesSynced(unsyncedNames(in: folder, version), rest: folders)
                return .sync(.directory(folder), then: completion)
            case .namesSynced(let names, let rest):
                completion.stage = syncError.map { .namesAnew(names, $0) } ?? .names(rest)
                return .next(completion)
            case .namesAnew(let names, let error):
                guard let rest = renameAnew(names, &disk) else { throw error }
                completion.stage = .namesAnew(rest, error)
                return .next(completion)
            case .encode:
                completion.stage = stageOfEncoding(version.key)
                return .next(completion)
            case .table(let file):
                let step = try file.step(after: syncError, &disk)
                if case .done = step {
                } else {
                    return step.map { VersionCompletion(stage: .table($0)) }
                }
            }
        } catch {
            diskFailedAtCompletion(error)
            return .done
        }
        let isKnownWhole = isKnownWhole(version)
        versions.addDownloaded(version, isVerified: isKnownWhole)
        if isKnownWhole { recordChecked(version.key) }
        download = nil
        partial.downloadCompleted()
        record.download = nil
        // A version that is current already is not pending besides.
        if plan.isTakenUp, record.current == version.key {
            commit()
        } else {
            becomePending(version.key)
        }
        // The rest of `partial/` is no longer retained (R7).
        scheduleGarbageCollection()
        return .done
    }

    /// Encodes a part of the table.
    private mutating func stageOfEncoding(_ key: VersionKey) -> VersionCompletion.Stage {
        guard let bytes = stepwise.completion?.step(FileReading.backgroundChunkSize) else { return .encode }
        stepwise.completion = nil
        return .table(DurableFile(StorePaths.table(key), bytes))
    }

    /// Ends what was begun for a download that is dropped: names that a failed sync may have lost are given
    /// anew all the same, because other versions may use the content.
    private func stepDroppedCompletion(
        _ completion: VersionCompletion, after syncError: DiskError?, _ disk: inout some Disk
    ) -> JobStep<VersionCompletion> {
        var completion = completion
        switch completion.stage {
        case .begin, .names, .encode: return .done
        case .namesSynced(let names, _):
            guard let syncError else { return .done }
            completion.stage = .namesAnew(names, syncError)
            return .next(completion)
        case .namesAnew(let names, let error):
            guard let rest = renameAnew(names, &disk) else { return .done }
            completion.stage = .namesAnew(rest, error)
            return .next(completion)
        case .table(let file):
            file.abandon(&disk)
            return .done
        }
    }

    /// Gives a step's share of the names anew.
    /// - Returns: the names that are left; nil if none is.
    private func renameAnew(_ names: [DiskPath], _ disk: inout some Disk) -> [DiskPath]? {
        for name in names.prefix(VersionCompletion.namesPerStep) { disk.renameAnew(name) }
        let rest = Array(names.dropFirst(VersionCompletion.namesPerStep))
        return rest.isEmpty ? nil : rest
    }

    /// Blobs whose names must be made durable before a table refers to them, sorted. Content that a killed
    /// process finished may be in the page cache only; it is known to be durable if this process synced it or
    /// the durable record names it.
    private func unsyncedBlobs(_ version: StoredVersion) -> [Digest256] {
        let known = (durableBlobs + blobNames.synced).sorted()
        return version.blobs.sorted().filter { !known.containsBisected($0) }
    }

    /// Whether this process stored or verified all content of the version. What an earlier process stored is
    /// verified before it is served, because the device may have restarted since (R10).
    private func isKnownWhole(_ version: StoredVersion) -> Bool {
        let verified = versions.all.filter { versions.isVerified($0.key) }.flatMap(\.blobs)
        let known = (blobNames.synced + verified).sorted()
        return version.blobs.allSatisfy { known.containsBisected($0) }
    }

    /// Their folders, and `blobs/` if one of these has no durable name.
    private func unsyncedFolders(_ version: StoredVersion) -> [DiskPath] {
        let blobs = BlobNames.oneOfEach(unsyncedBlobs(version))
        let folders = blobs.map { StorePaths.blobFolder($0) }
        return (blobs.contains { !blobNames.isFolderDurable(of: $0) } ? [StorePaths.blobs] : []) + folders
    }

    /// Those of the blobs and folders that are in this folder.
    private func unsyncedNames(in folder: DiskPath, _ version: StoredVersion) -> [DiskPath] {
        let blobs = unsyncedBlobs(version)
        guard folder == StorePaths.blobs else {
            return blobs.map { StorePaths.blob($0) }.filter { $0.parent == folder }
        }
        let folders = BlobNames.oneOfEach(blobs).filter { !blobNames.isFolderDurable(of: $0) }
        return folders.map { StorePaths.blobFolder($0) }
    }

    /// Content that the durable record names.
    var durableBlobs: [Digest256] {
        versions.all.filter { stored in durable.versions.contains { $0.key == stored.key } }.flatMap(\.blobs)
    }

    /// What is known when a download begins.
    mutating func noteDurableFolders() {
        for blob in durableBlobs { blobNames.folderBecameDurable(of: blob) }
    }

    private func completedVersion(_ plan: Download) -> StoredVersion? {
        var storedAssets: [StoredVersion.StoredAsset] = []
        for state in plan.assetStates {
            guard case .available(let stored) = state else { return nil }
            storedAssets.append(stored)
        }
        return StoredVersion(
            table: plan.table, storedAssets: storedAssets,
            verification: VerificationSummary(plan.table).verified,
            packageRoot: launch?.embedded?.root)
    }
}
