import Core

/// A whole, verified file becomes a blob: sync and close (ST-2), rename (ST-3), sync the folder, and `blobs/`
/// when the folder is new. One step each; the row counts as stored after the last.
struct FileFinish: Sendable {
    enum Stage: Sendable { case sync, rename, syncFolder, syncBlobs }

    var row: Int
    var key: Digest256
    /// SHA-256 of the content as it was written.
    var digest: Digest256
    var file: FileHandle
    /// Bytes.
    var size: Int
    /// The strong tag it came with.
    var tag: String?
    var stage = Stage.sync
    var isNewFolder = false
}

extension Updater {
    mutating func stepFinish(_ finish: FileFinish, _ disk: inout some Disk) -> FileFinish? {
        guard download != nil else { return nil }
        var finish = finish
        do {
            guard let next = try nextFinish(&finish, &disk) else {
                finished(finish, &disk)
                return nil
            }
            finish.stage = next
            return finish
        } catch {
            // The content is unknown after a failed sync or close: delete it and fetch it again (ST-2).
            _ = disk.removeQuietly(StorePaths.partialFile(finish.key))
            diskFailedRow(finish.row, error)
            return nil
        }
    }

    private mutating func nextFinish(_ finish: inout FileFinish, _ disk: inout some Disk) throws(DiskError)
        -> FileFinish.Stage?
    {
        let partial = StorePaths.partialFile(finish.key)
        switch finish.stage {
        case .sync:
            do {
                try disk.sync(finish.file)
            } catch {
                disk.closeQuietly(finish.file)
                throw error
            }
            try disk.close(finish.file)
            return .rename
        case .rename:
            let folder = StorePaths.blobFolder(finish.digest)
            if try disk.statusIfPresent(folder) == nil {
                try disk.makeDirectory(folder)
                finish.isNewFolder = true
            } else if !hasSyncedBlobFolders {
                // Who made it may have been killed before the name was durable.
                finish.isNewFolder = true
            }
            let blob = StorePaths.blob(finish.digest)
            let there = try disk.statusIfPresent(blob)
            let isGood = there?.kind == .file && there?.size == finish.size
            if isGood, !record.damaged.contains(finish.digest) {
                try disk.remove(partial)
            } else {
                try disk.rename(partial, to: blob)
            }
            _ = disk.removeQuietly(StorePaths.partialNote(finish.key))
            return .syncFolder
        case .syncFolder:
            try disk.syncDirectory(StorePaths.blobFolder(finish.digest))
            return finish.isNewFolder ? .syncBlobs : nil
        case .syncBlobs:
            try disk.syncDirectory(StorePaths.blobs)
            hasSyncedBlobFolders = true
            return nil
        }
    }

    private mutating func finished(_ finish: FileFinish, _ disk: inout some Disk) {
        guard let (hash, twins) = twins(of: finish.row) else { return }
        var place = StoredVersion.Place(location: .blob(finish.digest), size: finish.size)
        if hash == .none { place.tag = finish.tag }
        record.damaged.removeAll { $0 == finish.digest }
        syncedBlobs.append(finish.digest)
        have(place, finish.row)
        for number in twins { have(place, number) }
        if case .sha256 = hash {} else { noteFinished(finish.key, finish.digest, place, &disk) }
        tellProgress()
        fetchMore()
    }

    /// Rows of equal content that are missing: the one blob serves them too. Nothing of the download is held
    /// on to, so that its rows are changed where they lie.
    private func twins(of row: Int) -> (hash: RowHash, rows: [Int])? {
        guard let plan = download else { return nil }
        let hash = plan.table.rows[row].hash
        if hash == .none { return (hash, []) }
        let rows = plan.rows.indices.filter {
            plan.table.rows[$0].hash == hash && plan.rows[$0] == .needed
        }
        return (hash, rows)
    }

    mutating func have(_ place: StoredVersion.Place, _ number: Int) {
        download?.rows[number] = .have(place)
        download?.paces[number].reset()
    }
}
