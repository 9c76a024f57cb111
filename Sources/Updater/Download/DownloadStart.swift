import Core

/// Starts a download on the disk: makes its manifest durable in `partial/manifest`, with the name of the list
/// of finished assets, then names it in the record, so that garbage collection keeps the download's files.
struct DownloadStart: Sendable {
    /// The embedded version's index (Meteor), until it has been read.
    var embeddedIndex: FileReading?
    var hasReadEmbeddedIndex = false
    var manifest: DurableFile?
    var isDropped = false
}

extension Updater {
    mutating func stepDownloadStart(
        _ start: DownloadStart, after syncError: DiskError?, _ disk: inout some Disk
    ) -> JobStep<DownloadStart> {
        var start = start
        guard !start.isDropped, let plan = download else {
            start.embeddedIndex?.close(&disk)
            start.manifest?.abandon(&disk)
            return .done
        }
        do {
            if !start.hasReadEmbeddedIndex {
                try readEmbeddedIndex(&start, &disk)
                return .next(start)
            }
            if start.manifest == nil { try createFinishedList(plan.table, &disk) }
            let manifest = start.manifest ?? DurableFile(StorePaths.partialManifest, plan.manifest)
            let step = try manifest.step(after: syncError, &disk)
            if case .done = step {
            } else {
                return step.map { DownloadStart(hasReadEmbeddedIndex: true, manifest: $0) }
            }
        } catch {
            diskFailed(error)
            // Nothing is downloaded for a download that no record names; the next response starts it again.
            if download != nil { dropDownload(.diskFailed) }
            requireCheckAfterDiskError()
            return .done
        }
        record.download = plan.table.key
        commit(then: .downloadBegun(plan.table.key))
        return .done
    }

    /// Reads a part of the embedded version's index, which names the app's id (U10.meteor-index).
    private mutating func readEmbeddedIndex(_ start: inout DownloadStart, _ disk: inout some Disk)
        throws(DiskError)
    {
        guard let path = embeddedIndexPath else {
            start.hasReadEmbeddedIndex = true
            return
        }
        var reading =
            start.embeddedIndex ?? FileReading(path, limit: MeteorIndex.maxBytes, isUrgent: false)
        do throws(DiskError) {
            let isRead = try reading.step(&disk)
            start.embeddedIndex = isRead ? nil : reading
            start.hasReadEmbeddedIndex = isRead
            if isRead { download?.embeddedIndex = MeteorIndex(reading.bytes) }
        } catch {
            start.embeddedIndex = nil
            guard error.errorClass == .absent || error.isTooLong else { throw error }
            start.hasReadEmbeddedIndex = true
        }
    }

    /// Path of the embedded version's index; nil if the download's dialect carries nothing in it.
    private var embeddedIndexPath: DiskPath? {
        guard download?.table.dialect == .meteor,
            let package = versions.inPackage,
            package.table.dialect == .meteor,
            let index = package.table.assets.firstIndex(where: { $0.route == package.table.index })
        else { return nil }
        return package.path(package.storedAssets[index])
    }

    /// Creates the list of finished assets before its folder is synced, so that later lines only need a sync
    /// of the file.
    private mutating func createFinishedList(_ table: VersionTable, _ disk: inout some Disk) throws(DiskError)
    {
        guard table.assets.contains(where: { $0.needsFinishedList }),
            try disk.statusIfPresent(StorePaths.partialFinished) == nil
        else { return }
        try disk.close(try disk.open(StorePaths.partialFinished, .create))
        // A download that this process has dropped may have had lines in a list that is gone.
        partial.finished.fileBegins()
    }

    /// The disk refused: if it is full, gives back what was taken and reports it (U11); otherwise keeps what
    /// is here.
    private mutating func diskFailed(_ error: DiskError) {
        let isFull = error.code == .noSpace || error.code == .quota
        log(isFull ? .noSpace : .diskFailed, download?.table.key, "\(error)")
        guard isFull else { return }
        dropDownload(.noSpace)
    }

    /// The disk refused one file, which is tried again later.
    mutating func diskFailedForAsset(_ index: Int, _ error: DiskError) {
        download?.assets.set(.needed, at: index)
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
        checks.require()
        checkAttemptFailed()
        scheduleRetry()
    }
}
