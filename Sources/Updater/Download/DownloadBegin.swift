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
            diskFailedDownload(error)
            return nil
        }
        commit(then: .downloadBegun(plan.table.key))
        return nil
    }

    /// The disk refuses: give back what was taken, keep what runs, try again later (U11).
    mutating func diskFailedDownload(_ error: DiskError) {
        let isFull = error.code == .noSpace || error.code == .quota
        log(isFull ? .noSpace : .diskFailed, download?.table.key, "\(error)")
        if isFull { return dropDownload(.noSpace) }
        waitAndRetry(nil)
    }

    mutating func closeOrphans(_ disk: inout some Disk) {
        for file in orphans.prefix(8) { disk.closeQuietly(file) }
        orphans.removeFirst(min(8, orphans.count))
        if !orphans.isEmpty { background.append(.closeOrphans) }
    }
}

/// A small file written anew and synced in one step; the name's directory is synced by the next one.
enum DurableFile {
    static func write(_ path: DiskPath, _ bytes: [UInt8], _ disk: inout some Disk) throws(DiskError) {
        if try disk.statusIfPresent(path) != nil { try disk.remove(path) }
        let file = try disk.open(path, .create)
        do {
            try disk.writeAll(file, bytes, at: 0)
            try disk.sync(file)
        } catch {
            // After a failed sync the content is unknown: the file goes, it is never synced again.
            disk.closeQuietly(file)
            _ = disk.removeQuietly(path)
            throw error
        }
        try disk.close(file)
    }
}
