import Core

/// All blobs of a version are durable: write `tables/<digest>`, sync it, sync `tables/` (ST-4); then the
/// record may name it (ST-5).
struct VersionCompletion: Sendable {
    enum Stage: Sendable { case begin, names([DiskPath]), write, directory }

    var stage = Stage.begin
}

extension Updater {
    mutating func stepCompletion(_ completion: VersionCompletion, _ disk: inout some Disk)
        -> VersionCompletion?
    {
        guard let plan = download, let version = completed(plan) else { return nil }
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
            diskFailedAtEnd(error)
            return nil
        }
        versions.removeAll { $0.key == version.key }
        versions.append(version)
        verifiedHere.append(version.key)
        noteChecked(version.key)
        download = nil
        downloading = nil
        finishedRows = FinishedRows()
        record.download = nil
        becomePending(version.key)
        // What is left in `partial/` has no place any more (R7).
        scheduleSweep()
        return nil
    }

    /// Content that a killed process finished may be in the page cache only: what neither this process nor
    /// the durable record vouches for gets its names synced before a table says that it is there.
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

    private func completed(_ plan: Download) -> StoredVersion? {
        var places: [StoredVersion.Place] = []
        for state in plan.rows {
            guard case .have(let place) = state else { return nil }
            places.append(place)
        }
        return StoredVersion(
            table: plan.table, places: places, verification: VerificationSummary(plan.table).verified,
            packageRoot: launch?.embedded?.root)
    }
}
