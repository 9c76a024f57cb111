import Core

/// All blobs of a version are durable: writes `tables/<digest>`, syncs it, syncs `tables/`; then the record
/// may name the version.
struct VersionCompletion: Sendable {
    enum Stage: Sendable {
        case begin
        /// Folders that are to be synced, the last one first.
        case names([DiskPath])
        /// A sync failed: these names, which it was to make durable, are given anew.
        case namesAnew([DiskPath], DiskError)
        case write
        case directory
    }

    var stage = Stage.begin
    /// Two calls each.
    static let namesPerStep = 7
}

extension Updater {
    mutating func stepCompletion(_ completion: VersionCompletion, _ disk: inout some Disk)
        -> VersionCompletion?
    {
        guard let plan = download, let version = completedVersion(plan) else { return nil }
        var completion = completion
        do throws(DiskError) {
            switch completion.stage {
            case .begin:
                completion.stage = .names(unsyncedFolders(version))
                return completion
            case .names(var folders):
                guard let folder = folders.popLast() else {
                    for blob in unsyncedBlobs(version) { blobFolders.becameDurable(blob) }
                    completion.stage = .write
                    return completion
                }
                do throws(DiskError) {
                    try disk.syncDirectory(folder)
                    completion.stage = .names(folders)
                } catch {
                    completion.stage = .namesAnew(unsyncedNames(in: folder, version), error)
                }
                return completion
            case .namesAnew(var paths, let error):
                for path in paths.prefix(VersionCompletion.namesPerStep) { disk.renameAnew(path) }
                paths.removeFirst(min(VersionCompletion.namesPerStep, paths.count))
                if paths.isEmpty { throw error }
                completion.stage = .namesAnew(paths, error)
                return completion
            case .write:
                let bytes = TableCoding.encode(version, manifest: plan.manifest)
                try DurableFile.write(StorePaths.table(version.key), bytes, &disk)
                completion.stage = .directory
                return completion
            case .directory:
                try disk.syncDirectory(StorePaths.tables)
            }
        } catch {
            diskFailedAtCompletion(error)
            return nil
        }
        versions.removeAll { $0.key == version.key }
        versions.append(version)
        verifiedVersions.append(version.key)
        recordChecked(version.key)
        download = nil
        downloading = nil
        finishedAssets = FinishedAssets()
        record.download = nil
        becomePending(version.key)
        // The rest of `partial/` is no longer retained (R7).
        scheduleGarbageCollection()
        return nil
    }

    /// Blobs whose names must be made durable before a table refers to them, sorted. Content that a killed
    /// process finished may be in the page cache only; it is known to be durable if this process synced it or
    /// the durable record names it.
    private func unsyncedBlobs(_ version: StoredVersion) -> [Digest256] {
        let known = (durableBlobs + syncedBlobs).sorted()
        return version.blobs.sorted().filter { !contains(known, $0) }
    }

    /// Their folders, and `blobs/` if one of these has no durable name.
    private func unsyncedFolders(_ version: StoredVersion) -> [DiskPath] {
        let blobs = BlobFolders.oneOfEach(unsyncedBlobs(version))
        let folders = blobs.map { StorePaths.blobFolder($0) }
        return (blobs.contains { !blobFolders.isDurable($0) } ? [StorePaths.blobs] : []) + folders
    }

    /// Those of the blobs and folders that are in this folder.
    private func unsyncedNames(in folder: DiskPath, _ version: StoredVersion) -> [DiskPath] {
        let blobs = unsyncedBlobs(version)
        guard folder == StorePaths.blobs else {
            return blobs.map { StorePaths.blob($0) }.filter { $0.parent == folder }
        }
        let folders = BlobFolders.oneOfEach(blobs).filter { !blobFolders.isDurable($0) }
        return folders.map { StorePaths.blobFolder($0) }
    }

    /// Content that the durable record names.
    var durableBlobs: [Digest256] {
        versions.filter { stored in durable.versions.contains { $0.key == stored.key } }.flatMap(\.blobs)
    }

    /// What is known when a download begins.
    mutating func noteDurableFolders() {
        for blob in durableBlobs { blobFolders.becameDurable(blob) }
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
