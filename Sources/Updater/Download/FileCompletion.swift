import Core

/// Turns a complete, verified file into a blob: sync and close, rename, sync of the folder, and of
/// `blobs/` if the folder is new. The asset counts as stored after the last one.
///
/// Completions share folders: a sync that another one waited for and that failed may have lost the names of
/// this one too. They are then given anew, and synced anew (``BlobNames``).
struct FileCompletion: Sendable {
    enum Stage: Hashable, Sendable {
        case sync, fileSynced, rename, folderSynced, blobsSynced
        /// Names that a failed sync may have lost are given anew.
        case renameAnew
        /// The asset is stored; the list that names it is being synced.
        case listSynced(FileHandle)
    }

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
    /// Whether the folder has no durable name.
    var isNewFolder = false
    /// Failed syncs of its directories when its names were given.
    var failures = BlobNames.Failures()
    /// The download is dropped: only what was begun is ended.
    var isDropped = false

    /// Directories whose names the next step changes.
    var namesThatChange: [DiskPath] {
        guard stage == .rename || stage == .renameAnew else { return [] }
        return [StorePaths.blobFolder(digest)] + (isNewFolder ? [StorePaths.blobs] : [])
    }
}

extension Updater {
    mutating func stepFileCompletion(
        _ completion: FileCompletion, after syncError: DiskError?, _ disk: inout some Disk
    ) -> JobStep<FileCompletion> {
        var completion = completion
        do throws(DiskError) {
            switch completion.stage {
            case .sync where completion.isDropped:
                closePartial(OpenPartialFile(file: completion.file, key: completion.key), &disk)
            case .sync:
                completion.stage = .fileSynced
                return .sync(.file(completion.file), then: completion)
            case .fileSynced:
                if let syncError {
                    disk.closeQuietly(completion.file)
                    throw syncError
                }
                try disk.close(completion.file)
                completion.stage = .rename
                completion.isNewFolder = !blobNames.isFolderDurable(of: completion.digest)
                return .next(completion)
            case .rename where completion.isDropped: break
            case .rename:
                try moveIntoPlace(&completion, &disk)
                completion.failures = blobNames.failures(of: completion.digest)
                completion.stage = .folderSynced
                return .sync(.directory(StorePaths.blobFolder(completion.digest)), then: completion)
            case .renameAnew:
                nameAnew(completion.digest, &disk)
                if completion.isNewFolder { disk.renameAnew(StorePaths.blobFolder(completion.digest)) }
                completion.failures = blobNames.failures(of: completion.digest)
                completion.stage = .folderSynced
                return .sync(.directory(StorePaths.blobFolder(completion.digest)), then: completion)
            case .folderSynced:
                if let syncError {
                    blobNames.folderSyncFailed(of: completion.digest)
                    throw syncError
                }
                if completion.failures.ofFolder != blobNames.failures(of: completion.digest).ofFolder {
                    completion.stage = .renameAnew
                    return .next(completion)
                }
                if completion.isNewFolder {
                    completion.stage = .blobsSynced
                    return .sync(.directory(StorePaths.blobs), then: completion)
                }
                return fileCompleted(completion, &disk)
            case .blobsSynced:
                if let syncError {
                    blobNames.blobsSyncFailed()
                    throw syncError
                }
                if completion.failures != blobNames.failures(of: completion.digest) {
                    completion.stage = .renameAnew
                    return .next(completion)
                }
                blobNames.folderBecameDurable(of: completion.digest)
                return fileCompleted(completion, &disk)
            case .listSynced(let list):
                // If it failed, or the close does, lines may be lost with the power; the assets are stored.
                disk.closeQuietly(list)
                if let syncError { log(.diskFailed, download?.table.key, "finished: \(syncError)") }
            }
        } catch {
            // After a failed sync or close the content is unknown: delete it and download it again. Where it
            // can't be deleted, it is written anew (``PartialReading``). What is durable and could
            // only not be moved to its blob stays, and is not received again.
            if completion.stage == .fileSynced { removePartQuietly(completion.key, &disk) }
            if completion.stage != .rename, !completion.isDropped {
                download?.assets.discarded(completion.assetIndex)
            }
            nameAnew(completion, &disk)
            if !completion.isDropped { diskFailedForAsset(completion.assetIndex, error) }
        }
        return .done
    }

    private mutating func moveIntoPlace(_ completion: inout FileCompletion, _ disk: inout some Disk)
        throws(DiskError)
    {
        let partial = StorePaths.partialFile(completion.key)
        let folder = StorePaths.blobFolder(completion.digest)
        completion.isNewFolder = !blobNames.isFolderDurable(of: completion.digest)
        if try disk.statusIfPresent(folder) == nil {
            try disk.makeDirectory(folder)
        } else if completion.isNewFolder, blobNames.failures(of: completion.digest).ofBlobs > 0 {
            disk.renameAnew(folder)
        }
        let blob = StorePaths.blob(completion.digest)
        let existing = try disk.statusIfPresent(blob)
        let isGood = existing?.kind == .file && existing?.size == completion.size
        if isGood, hasDurableName(completion.digest), isTrusted(completion.digest) {
            try disk.remove(partial)
        } else {
            try disk.rename(partial, to: blob)
        }
        self.partial.forget(completion.key)
        _ = disk.removeQuietly(StorePaths.partialMetadata(completion.key))
    }

    /// A blob without one is replaced, so that the next sync covers the name.
    private func hasDurableName(_ blob: Digest256) -> Bool {
        blobNames.synced.contains(blob) || durableBlobs.contains(blob)
    }

    /// A name that the durable record relies on is durable, and left alone.
    private func nameAnew(_ blob: Digest256, _ disk: inout some Disk) {
        if !durableBlobs.contains(blob) { disk.renameAnew(StorePaths.blob(blob)) }
    }

    /// After a failed sync of a folder, the name that it was to make durable is given anew
    /// (``Disk/renameAnew(_:)``).
    private func nameAnew(_ completion: FileCompletion, _ disk: inout some Disk) {
        switch completion.stage {
        case .sync, .fileSynced, .rename, .renameAnew, .listSynced: break
        case .folderSynced: nameAnew(completion.digest, &disk)
        case .blobsSynced: disk.renameAnew(StorePaths.blobFolder(completion.digest))
        }
    }

    private mutating func fileCompleted(_ completion: FileCompletion, _ disk: inout some Disk)
        -> JobStep<FileCompletion>
    {
        guard !completion.isDropped, let (hash, duplicates) = duplicates(of: completion) else {
            return .done
        }
        var stored = StoredVersion.StoredAsset(location: .blob(completion.digest), size: completion.size)
        if hash == .none { stored.tag = completion.tag }
        let isRepaired = record.damaged.contains(completion.digest)
        record.damaged.removeAll { $0 == completion.digest }
        blobNames.becameDurable(completion.digest)
        for index in [completion.assetIndex] + duplicates { download?.markAvailable(index, stored) }
        // Else the next process would not believe what is repaired, and fetch it again (U2). With the last
        // file it is recorded when the version is complete.
        if isRepaired, download?.isComplete == false { commit() }
        retries.stored()
        var list: FileHandle?
        if case .sha256 = hash {
        } else {
            list = recordFinished(completion.key, completion.digest, stored, &disk)
        }
        reportProgress()
        fetchMore()
        guard let list else { return .done }
        var completion = completion
        completion.stage = .listSynced(list)
        return .sync(.file(list), then: completion)
    }

    /// Missing assets of equal content, which the same blob serves. Keeps no copy of the download, so that
    /// its arrays are changed in place.
    private func duplicates(of completion: FileCompletion) -> (hash: AssetHash, indices: [Int])? {
        guard let plan = download else { return nil }
        let assets = plan.table.assets
        let hash = assets[completion.assetIndex].hash
        if hash == .none { return (hash, []) }
        let indices = plan.assetsByHash.indices(of: hash, in: assets).filter {
            plan.assets.states[$0].isNeeded && assets[$0].mayHaveSize(completion.size)
        }
        return (hash, indices)
    }
}
