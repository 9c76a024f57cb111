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
            nameAnew(completion, &disk)
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
            completion.isNewFolder = !blobFolders.isDurable(completion.digest)
            if try disk.statusIfPresent(folder) == nil { try disk.makeDirectory(folder) }
            let blob = StorePaths.blob(completion.digest)
            let existing = try disk.statusIfPresent(blob)
            let isGood = existing?.kind == .file && existing?.size == completion.size
            if isGood, !record.damaged.contains(completion.digest) {
                try disk.remove(partial)
            } else {
                try disk.rename(partial, to: blob)
            }
            _ = disk.removeQuietly(StorePaths.partialMetadata(completion.key))
            return .syncFolder
        case .syncFolder:
            try disk.syncDirectory(StorePaths.blobFolder(completion.digest))
            return completion.isNewFolder ? .syncBlobs : nil
        case .syncBlobs:
            try disk.syncDirectory(StorePaths.blobs)
            blobFolders.becameDurable(completion.digest)
            return nil
        }
    }

    /// After a failed sync of a folder, the name that it was to make durable is given anew
    /// (``Disk/renameAnew(_:)``). A name that the durable record relies on is durable, and left alone.
    private func nameAnew(_ completion: FileCompletion, _ disk: inout some Disk) {
        switch completion.stage {
        case .sync, .rename: break
        case .syncFolder:
            if !durableBlobs.contains(completion.digest) {
                disk.renameAnew(StorePaths.blob(completion.digest))
            }
        case .syncBlobs: disk.renameAnew(StorePaths.blobFolder(completion.digest))
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
