import Core

/// Turns a complete, verified file into a blob: sync and close, rename, sync of the folder, and of
/// `blobs/` if the folder is new. Each is one step; the asset counts as stored after the last one.
struct FileCompletion: Sendable {
    enum Stage: Sendable { case sync, rename, syncFolder, syncBlobs }

    var assetIndex: Int
    var key: Digest256
    /// SHA-256 of the content as written.
    var digest: Digest256
    var file: FileHandle
    /// Size in bytes.
    var size: Int
    /// Strong tag of the response.
    var tag: String?
    var stage = Stage.sync
    var isNewFolder = false
}

extension Updater {
    mutating func stepFileCompletion(_ completion: FileCompletion, _ disk: inout some Disk) -> FileCompletion?
    {
        guard download != nil else { return nil }
        var completion = completion
        do {
            guard let next = try nextFileStage(&completion, &disk) else {
                fileCompleted(completion, &disk)
                return nil
            }
            completion.stage = next
            return completion
        } catch {
            // After a failed sync or close the content is unknown: delete it and download it again.
            _ = disk.removeQuietly(StorePaths.partialFile(completion.key))
            if completion.stage == .syncFolder || completion.stage == .syncBlobs {
                removeLost([completion.digest], &disk)
            }
            diskFailedForAsset(completion.assetIndex, error)
            return nil
        }
    }

    private mutating func nextFileStage(_ completion: inout FileCompletion, _ disk: inout some Disk)
        throws(DiskError)
        -> FileCompletion.Stage?
    {
        let partial = StorePaths.partialFile(completion.key)
        switch completion.stage {
        case .sync:
            do {
                try disk.sync(completion.file)
            } catch {
                disk.closeQuietly(completion.file)
                throw error
            }
            try disk.close(completion.file)
            return .rename
        case .rename:
            let folder = StorePaths.blobFolder(completion.digest)
            if try disk.statusIfPresent(folder) == nil { try disk.makeDirectory(folder) }
            // The process that created it may have been killed before the name was durable.
            completion.isNewFolder = !blobFolders.isDurable(completion.digest)
            let blob = StorePaths.blob(completion.digest)
            let existing = try disk.statusIfPresent(blob)
            let isGood = existing?.kind == .file && existing?.size == completion.size
            if isGood, !record.damaged.contains(completion.digest),
                !blobFolders.isDistrusted(completion.digest)
            {
                try disk.remove(partial)
            } else {
                try disk.rename(partial, to: blob)
            }
            _ = disk.removeQuietly(StorePaths.partialMetadata(completion.key))
            return .syncFolder
        case .syncFolder:
            try syncFolder(of: completion.digest, &disk)
            return completion.isNewFolder ? .syncBlobs : nil
        case .syncBlobs:
            do throws(DiskError) {
                try disk.syncDirectory(StorePaths.blobs)
            } catch {
                nameAnew(completion.digest, &disk)
                throw error
            }
            blobFolders.becameDurable(completion.digest)
            return nil
        }
    }

    /// Makes the names in a blob's folder durable. After a failure some may be lost although a second sync
    /// would succeed, so that the folder is not relied on again in this process.
    mutating func syncFolder(of digest: Digest256, _ disk: inout some Disk) throws(DiskError) {
        do {
            try disk.syncDirectory(StorePaths.blobFolder(digest))
        } catch {
            blobFolders.distrust(digest)
            throw error
        }
    }

    /// The sync of `blobs/` failed: the blob's folder gets its name anew, which the next sync covers, also one
    /// of a later process. Called only while no durable record refers to content in the folder.
    mutating func nameAnew(_ digest: Digest256, _ disk: inout some Disk) {
        blobFolders.distrust(digest)
        disk.renameAnew(StorePaths.blobFolder(digest))
    }

    /// Removes blobs whose names may be lost, so that neither this process nor a later one relies on them.
    mutating func removeLost(_ digests: [Digest256], _ disk: inout some Disk) {
        let named = durableBlobs
        for digest in digests where !named.contains(digest) && !syncedBlobs.contains(digest) {
            _ = disk.removeQuietly(StorePaths.blob(digest))
        }
    }

    private mutating func fileCompleted(_ completion: FileCompletion, _ disk: inout some Disk) {
        guard let (hash, duplicates) = duplicates(of: completion.assetIndex) else { return }
        var stored = StoredVersion.StoredAsset(location: .blob(completion.digest), size: completion.size)
        if hash == .none { stored.tag = completion.tag }
        record.damaged.removeAll { $0 == completion.digest }
        syncedBlobs.append(completion.digest)
        markAvailable(stored, completion.assetIndex)
        for index in duplicates { markAvailable(stored, index) }
        if case .sha256 = hash {} else { recordFinished(completion.key, completion.digest, stored, &disk) }
        reportProgress()
        fetchMore()
    }

    /// Missing assets of equal content, which the same blob serves. Keeps no copy of the download, so that
    /// its arrays are changed in place.
    private func duplicates(of assetIndex: Int) -> (hash: AssetHash, indices: [Int])? {
        guard let plan = download else { return nil }
        let hash = plan.table.assets[assetIndex].hash
        if hash == .none { return (hash, []) }
        let indices = plan.assetStates.indices.filter {
            plan.table.assets[$0].hash == hash && plan.assetStates[$0] == .needed
        }
        return (hash, indices)
    }

    mutating func markAvailable(_ stored: StoredVersion.StoredAsset, _ index: Int) {
        download?.assetStates[index] = .available(stored)
        download?.backoffs[index].reset()
    }
}
