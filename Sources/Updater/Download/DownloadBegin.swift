import Core

/// ST-0: the manifest of the download to `partial/manifest`, sync, then the record names it.
struct DownloadBegin: Sendable {
    enum Stage: Sendable { case write, directory }

    var stage = Stage.write
}

extension Updater {
    mutating func stepBegin(_ begin: DownloadBegin, _ disk: inout some Disk) -> DownloadBegin? {
        guard let plan = download else { return nil }
        var begin = begin
        do {
            switch begin.stage {
            case .write:
                try DurableFile.write(StorePaths.partialManifest, plan.manifest, &disk)
                begin.stage = .directory
                return begin
            case .directory:
                try disk.syncDirectory(StorePaths.partial)
            }
        } catch {
            diskFailed(error)
            // Nothing can be fetched for a download that is not named (ST-0): the next answer begins it anew.
            if download != nil { dropDownload(.diskFailed) }
            owesCheck()
            return nil
        }
        record.download = plan.table.key
        commit(then: .downloadBegun(plan.table.key))
        return nil
    }

    /// The disk refuses: out of space gives back what was taken and says so (U11); else what is here stays.
    private mutating func diskFailed(_ error: DiskError) {
        let isFull = error.code == .noSpace || error.code == .quota
        log(isFull ? .noSpace : .diskFailed, download?.table.key, "\(error)")
        guard isFull else { return }
        effects.append(.notice(.error(.noSpace, "\(error)")))
        dropDownload(.noSpace)
    }

    /// The same for one file, which is tried again later.
    mutating func diskFailedRow(_ number: Int, _ error: DiskError) {
        download?.rows[number] = .needed
        diskFailed(error)
        rowTryFailed(number)
        scheduleRetry()
    }

    /// All files are here and the end of the download can't be written.
    mutating func diskFailedAtEnd(_ error: DiskError) {
        download?.isCompleting = false
        diskFailed(error)
        let jitter = choose("end", UInt64(download?.pace.tries ?? 0))
        download?.pace.failed(at: now, jitter: jitter)
        scheduleRetry()
    }

    /// Something that only a manifest's answer can set going again has failed.
    mutating func owesCheck() {
        isCheckOwed = true
        diskPace.failed(at: now, jitter: choose("disk", UInt64(diskPace.tries)))
        scheduleRetry()
    }

    mutating func closeOrphans(_ disk: inout some Disk) {
        for file in orphans.prefix(8) { disk.closeQuietly(file) }
        orphans.removeFirst(min(8, orphans.count))
        if !orphans.isEmpty { background.append(.closeOrphans) }
    }
}

/// A small file written anew and synced in one step; the name's directory is synced by the next one.
///
/// What stands there is replaced by a rename, so that a name which the record counts on (the table of a
/// version whose damaged content was fetched again, R7) is never away. A crash leaves at most the new file
/// under its name in the making, which clean-up takes for what nothing names.
enum DurableFile {
    static func write(_ path: DiskPath, _ bytes: [UInt8], _ disk: inout some Disk) throws(DiskError) {
        let isThere = try disk.statusIfPresent(path) != nil
        let made = isThere ? path.parent / (path.name + ".new") : path
        if isThere, try disk.statusIfPresent(made) != nil { try disk.remove(made) }
        let file = try disk.open(made, .create)
        do {
            try disk.writeAll(file, bytes, at: 0)
            try disk.sync(file)
        } catch {
            // After a failed sync the content is unknown: the file goes, it is never synced again.
            disk.closeQuietly(file)
            _ = disk.removeQuietly(made)
            throw error
        }
        try disk.close(file)
        if isThere { try disk.rename(made, to: path) }
    }
}
