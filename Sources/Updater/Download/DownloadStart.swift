import Core

/// Starts a download on the disk: makes its manifest durable in `partial/manifest`, then names it in the
/// record, so that garbage collection keeps the download's files.
struct DownloadStart: Sendable {
    var manifest: DurableFile?
    var isDropped = false
}

extension Updater {
    mutating func stepDownloadStart(
        _ start: DownloadStart, after syncError: DiskError?, _ disk: inout some Disk
    ) -> JobStep<DownloadStart> {
        guard !start.isDropped, let plan = download else {
            start.manifest?.abandon(&disk)
            return .done
        }
        let manifest = start.manifest ?? DurableFile(StorePaths.partialManifest, plan.manifest)
        do {
            let step = try manifest.step(after: syncError, &disk)
            if case .done = step {
            } else {
                return step.map { DownloadStart(manifest: $0) }
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
        checks.require()
        retries.disk.failed(at: now, jitter: choose("disk", UInt64(retries.disk.attempts)))
        scheduleRetry()
    }

    mutating func closeFiles(_ disk: inout some Disk) {
        let (files, isMore) = partial.takeFilesToClose()
        for file in files { disk.closeQuietly(file) }
        if isMore { jobs.add(.closeFiles) }
    }
}
