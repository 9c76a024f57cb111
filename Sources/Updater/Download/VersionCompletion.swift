import Core

/// All blobs of a version are durable: writes `tables/<digest>`, syncs it, syncs `tables/`; then the record
/// may name the version.
struct VersionCompletion: Sendable {
    enum Stage: Sendable { case begin, names([DiskPath]), write, directory }

    var stage = Stage.begin
}

extension Updater {
    mutating func stepCompletion(_ completion: VersionCompletion, _ disk: inout some Disk)
        -> VersionCompletion?
    {
        guard let plan = download, let version = completedVersion(plan) else { return nil }
        var completion = completion
        do {
            switch completion.stage {
            case .begin:
                completion.stage = .names(unsyncedFolders(version))
                return completion
            case .names(var folders):
                guard let folder = folders.popLast() else {
                    completion.stage = .write
                    return completion
                }
                try disk.syncDirectory(folder)
                completion.stage = .names(folders)
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

    /// Folders to sync before a table refers to their blobs. Content that a killed process finished may be in
    /// the page cache only; it is known to be durable if this process synced it or the durable record names
    /// it.
    private func unsyncedFolders(_ version: StoredVersion) -> [DiskPath] {
        let kept = versions.filter { stored in durable.versions.contains { $0.key == stored.key } }
        let known = (kept.flatMap(\.blobs) + syncedBlobs).sorted()
        var next = 0
        var folders: [DiskPath] = []
        for blob in version.blobs.sorted() {
            while next < known.count, known[next] < blob { next += 1 }
            if next < known.count, known[next] == blob { continue }
            let folder = StorePaths.blobFolder(blob)
            if folders.last != folder { folders.append(folder) }
        }
        return folders.isEmpty || hasSyncedBlobFolders ? folders : [StorePaths.blobs] + folders
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
