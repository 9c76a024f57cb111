import Core

/// Starts a download on the disk: writes its manifest to `partial/manifest`, syncs it, then names it in the
/// record, so that garbage collection keeps the download's files.
struct DownloadStart: Sendable {
    enum Stage: Sendable { case write, directory }

    var stage = Stage.write
}

extension Updater {
    mutating func stepDownloadStart(_ start: DownloadStart, _ disk: inout some Disk) -> DownloadStart? {
        guard let plan = download else { return nil }
        var start = start
        do {
            switch start.stage {
            case .write:
                try DurableFile.write(StorePaths.partialManifest, plan.manifest, &disk)
                start.stage = .directory
                return start
            case .directory:
                try disk.syncDirectory(StorePaths.partial)
            }
        } catch {
            diskFailed(error)
            // Nothing is downloaded for a download that no record names; the next response starts it again.
            if download != nil { dropDownload(.diskFailed) }
            requireCheckAfterDiskError()
            return nil
        }
        record.download = plan.table.key
        commit(then: .downloadBegun(plan.table.key))
        return nil
    }

    /// The disk refused: if it is full, gives back what was taken and reports it (U11); otherwise keeps what
    /// is here.
    private mutating func diskFailed(_ error: DiskError) {
        let isFull = error.code == .noSpace || error.code == .quota
        log(isFull ? .noSpace : .diskFailed, download?.table.key, "\(error)")
        guard isFull else { return }
        effects.append(.notice(.error(.noSpace, "\(error)")))
        dropDownload(.noSpace)
    }

    /// The disk refused one file, which is tried again later.
    mutating func diskFailedForAsset(_ index: Int, _ error: DiskError) {
        download?.assetStates[index] = .needed
        diskFailed(error)
        assetAttemptFailed(index)
        scheduleRetry()
    }

    /// All files are available, but the completion can't be written.
    mutating func diskFailedAtCompletion(_ error: DiskError) {
        download?.isCompleting = false
        diskFailed(error)
        let jitter = choose("end", UInt64(download?.completionBackoff.attempts ?? 0))
        download?.completionBackoff.failed(at: now, jitter: jitter)
        scheduleRetry()
    }

    /// Something failed that only a response with a manifest can restart.
    mutating func requireCheckAfterDiskError() {
        isCheckOutstanding = true
        diskBackoff.failed(at: now, jitter: choose("disk", UInt64(diskBackoff.attempts)))
        scheduleRetry()
    }

    mutating func closeFiles(_ disk: inout some Disk) {
        for file in filesToClose.prefix(8) { disk.closeQuietly(file) }
        filesToClose.removeFirst(min(8, filesToClose.count))
        if !filesToClose.isEmpty { background.append(.closeFiles) }
    }
}

/// Writes a small file and syncs it in one step; the next step syncs its directory.
///
/// An existing file is replaced by a rename, so that a name which the record refers to always exists (the
/// table of a version whose damaged content was downloaded again, R7). A crash leaves at most the new file
/// under its temporary name, which garbage collection removes because nothing refers to it.
enum DurableFile {
    static func write(_ path: DiskPath, _ bytes: [UInt8], _ disk: inout some Disk) throws(DiskError) {
        let exists = try disk.statusIfPresent(path) != nil
        let target = exists ? path.parent / (path.name + ".new") : path
        if exists, try disk.statusIfPresent(target) != nil { try disk.remove(target) }
        let file = try disk.open(target, .create)
        do {
            try disk.writeAll(file, bytes, at: 0)
            try disk.sync(file)
        } catch {
            // After a failed sync the content is unknown: the file is removed and never synced again.
            disk.closeQuietly(file)
            _ = disk.removeQuietly(target)
            throw error
        }
        try disk.close(file)
        if exists { try disk.rename(target, to: path) }
    }
}
