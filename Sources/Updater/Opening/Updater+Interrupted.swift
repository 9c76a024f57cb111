import Core

/// The download that an earlier process left unfinished: which content is its, so that clean-up keeps it and
/// nothing of it is fetched twice (ST-R2, U2). Whether it goes on decides the origin's next answer.
extension Updater {
    /// A manifest that is gone or damaged costs what was fetched for it, nothing else.
    mutating func interrupted(_ reading: inout FileReading, _ disk: inout some Disk) -> Opening.Stage {
        do {
            guard try reading.step(&disk) else { return .interrupted(reading) }
            let table = try ManifestReader(dialect: settings.dialect, limits: settings.limits).read(
                reading.bytes)
            guard table.key == record.download else { return .note }
            interrupted = table
        } catch {
            return .note
        }
        return .finishedRows(FileReading(StorePaths.partialFinished, largest: FinishedRows.largest))
    }

    /// Absent or unreadable: none is finished.
    mutating func finishedRows(_ reading: inout FileReading, _ disk: inout some Disk) -> Opening.Stage {
        do {
            guard try reading.step(&disk) else { return .finishedRows(reading) }
            finishedRows = FinishedRows(reading.bytes)
        } catch {
            return .note
        }
        return .note
    }
}
