import Core

/// All blobs of a version are durable: writes `tables/<digest>`, syncs it, syncs `tables/`; then the record
/// may name the version.
struct VersionCompletion: Sendable {
    enum Stage: Sendable {
        case begin
        /// Folders that are to be synced, each with a blob in it, and then `blobs/`, if one of their names
        /// may not be durable.
        case names([Digest256], syncsBlobs: Bool)
        /// The sync of `blobs/` failed: the folders of these blobs get their names anew.
        case namesAnew([Digest256], DiskError)
        case write
        case directory
    }

    var stage = Stage.begin
    static let callsPerStep = 14
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
                let unsynced = unsyncedBlobs(version)
                if fetchesAnew(unsynced.filter { blobFolders.isDistrusted($0) }) { return nil }
                let folders = BlobFolders.oneOfEach(unsynced)
                completion.stage = .names(
                    folders, syncsBlobs: folders.contains { !blobFolders.isDurable($0) })
                return completion
            case .names(var folders, let syncsBlobs):
                if let blob = folders.popLast() {
                    do throws(DiskError) {
                        try syncFolder(of: blob, &disk)
                    } catch {
                        let lost = unsyncedBlobs(version).filter { BlobFolders.isSameFolder($0, blob) }
                        removeLost(Array(lost.prefix(VersionCompletion.callsPerStep)), &disk)
                        throw error
                    }
                    completion.stage = .names(folders, syncsBlobs: syncsBlobs)
                    return completion
                }
                completion.stage = syncsBlobs ? syncNames(of: unsyncedBlobs(version), &disk) : .write
                return completion
            case .namesAnew(var folders, let error):
                for _ in 0..<VersionCompletion.callsPerStep / 2 {
                    if let blob = folders.popLast() { nameAnew(blob, &disk) }
                }
                if folders.isEmpty { throw error }
                completion.stage = .namesAnew(folders, error)
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

    /// Makes the names of the blobs' folders durable.
    private mutating func syncNames(of blobs: [Digest256], _ disk: inout some Disk)
        -> VersionCompletion.Stage
    {
        do {
            try disk.syncDirectory(StorePaths.blobs)
        } catch {
            return .namesAnew(
                BlobFolders.oneOfEach(blobs).filter { !blobFolders.isDurable($0) }, error)
        }
        for blob in blobs { blobFolders.becameDurable(blob) }
        return .write
    }

    /// Content that the durable record names.
    var durableBlobs: [Digest256] {
        versions.filter { stored in durable.versions.contains { $0.key == stored.key } }.flatMap(\.blobs)
    }

    /// Content of which a sync failed counts as lost: it is downloaded again, and replaced.
    /// - Returns: whether there is any.
    private mutating func fetchesAnew(_ lost: [Digest256]) -> Bool {
        guard !lost.isEmpty, let states = download?.assetStates else { return false }
        for (index, state) in states.enumerated() {
            guard case .available(let stored) = state, case .blob(let digest) = stored.location,
                lost.contains(digest)
            else { continue }
            download?.assetStates[index] = .needed
        }
        download?.isCompleting = false
        fetchMore()
        return true
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
