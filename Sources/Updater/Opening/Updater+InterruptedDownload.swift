import Core

/// The unfinished download of an earlier process: which content belongs to it, so that garbage collection
/// keeps it and nothing is downloaded twice (U2). The origin's next response decides whether it
/// continues.
extension Updater {
    /// A missing or damaged manifest only costs what was downloaded for it.
    mutating func readInterruptedDownload(_ reading: inout FileReading, _ disk: inout some Disk)
        -> StoreOpening.Stage
    {
        do {
            guard try reading.step(&disk) else { return .interrupted(reading) }
            let table = try ManifestReader(dialect: settings.dialect, limits: settings.limits).read(
                reading.bytes)
            guard table.key == record.download else { return .startsFile }
            interrupted = table
        } catch {
            return .startsFile
        }
        return .finishedAssets(FileReading(StorePaths.partialFinished, limit: FinishedAssets.maxBytes))
    }

    /// Absent or unreadable: no asset counts as finished.
    mutating func readFinishedAssets(_ reading: inout FileReading, _ disk: inout some Disk)
        -> StoreOpening.Stage
    {
        do {
            guard try reading.step(&disk) else { return .finishedAssets(reading) }
            finishedAssets = FinishedAssets(reading.bytes)
        } catch {
            return .startsFile
        }
        return .startsFile
    }
}
