import Core

/// The unfinished download of an earlier process: which content belongs to it, so that garbage collection
/// keeps it and nothing is downloaded twice (U2). The origin's next response decides whether it continues. No
/// page waits for it, so it is read after the launch, before anything that depends on it.
struct InterruptedDownload: Sendable {
    enum Stage: Sendable {
        case manifest(FileReading)
        case table
        /// The assets that it has finished.
        case finishedAssets(FileReading)
        case finishedLines([UInt8])
    }

    let key: VersionKey
    var stage: Stage
}

extension Updater {
    /// The record has been read, and names an unfinished download.
    mutating func readInterruptedDownload(_ key: VersionKey) {
        let manifest = FileReading(
            StorePaths.partialManifest, limit: settings.limits.manifestBytes, isUrgent: false)
        jobs.add(.readInterrupted(InterruptedDownload(key: key, stage: .manifest(manifest))))
    }

    /// A missing or damaged manifest only costs what was downloaded for it; without a list, no asset counts
    /// as finished. What can't be read now may name any content: it is read again when the download
    /// continues.
    mutating func stepInterrupted(_ download: InterruptedDownload, _ disk: inout some Disk)
        -> InterruptedDownload?
    {
        var download = download
        do {
            switch download.stage {
            case .manifest(var reading):
                guard try reading.step(&disk) else {
                    download.stage = .manifest(reading)
                    return download
                }
                stepwise.interrupted = ManifestReading(
                    reading.bytes, dialect: settings.dialect, limits: settings.limits)
                return try stepTable(of: download)
            case .table: return try stepTable(of: download)
            case .finishedAssets(var reading):
                guard try reading.step(&disk) else {
                    download.stage = .finishedAssets(reading)
                    return download
                }
                stepwise.finished = FinishedAssets()
                return stepLines(of: download, reading.bytes)
            case .finishedLines(let bytes): return stepLines(of: download, bytes)
            }
        } catch {
            stepwise.interrupted = nil
            if let error = error as? DiskError, error.errorClass != .absent, !error.isTooLong {
                store.forbidDeletion()
                _ = partial.takeInterrupted()
                log(.readFailed, download.key, "unfinished download: \(error)")
            }
            return nil
        }
    }

    private mutating func stepTable(of download: InterruptedDownload) throws(ManifestRefusal)
        -> InterruptedDownload?
    {
        var download = download
        download.stage = .table
        guard let table = try stepwise.interrupted?.step(FileReading.backgroundChunkSize) else {
            return download
        }
        stepwise.interrupted = nil
        guard table.key == download.key else { return nil }
        partial.found(table)
        download.stage = .finishedAssets(
            FileReading(StorePaths.partialFinished, limit: FinishedAssets.maxBytes, isUrgent: false))
        return download
    }

    private mutating func stepLines(of download: InterruptedDownload, _ bytes: [UInt8])
        -> InterruptedDownload?
    {
        var download = download
        download.stage = .finishedLines(bytes)
        let isRead = stepwise.finished?.readLines(of: bytes, atMost: FileReading.backgroundChunkSize)
        if isRead == false { return download }
        partial.finished = stepwise.finished.take() ?? FinishedAssets()
        return nil
    }
}
