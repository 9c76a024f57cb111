import Core

extension Updater {
    /// Performs one step of a job of this lane.
    mutating func step(_ lane: WorkLane, _ disk: inout some Disk) {
        guard let ready = jobs.take(lane) else { return }
        hasTouchedDisk = true
        switch run(ready.job, after: ready.syncError, &disk) {
        case .done: break
        case .next(let rest): jobs.putBack(rest, lane)
        case .sync(let target, let rest):
            effects.append(.sync(jobs.wait(rest, for: target, lane), target, lane))
        }
    }

    /// Performs one step of a job.
    /// - Parameter syncError: the error of the sync that it waited for.
    private mutating func run(_ job: UpdaterJob, after syncError: DiskError?, _ disk: inout some Disk)
        -> JobStep<UpdaterJob>
    {
        switch job {
        case .openStore(let opening):
            return stepOpening(opening, after: syncError, &disk).map { .openStore($0) }
        case .commitRecord(let commit):
            return stepCommit(commit, after: syncError, &disk).map { .commitRecord($0) }
        case .verify(let check):
            return stepVerification(check, &disk).map { .next(.verify($0)) } ?? .done
        case .writeStartsFile:
            writeStartsFile(&disk)
            return .done
        case .readManifest(let id): return stepManifest(of: id) ? .next(.readManifest(of: id)) : .done
        case .readInterrupted(let download):
            return stepInterrupted(download, &disk).map { .next(.readInterrupted($0)) } ?? .done
        case .startDownload(let start):
            return stepDownloadStart(start, after: syncError, &disk).map { .startDownload($0) }
        case .planDownload: return stepPlan(&disk) ? .next(.planDownload) : .done
        case .writeReceived(let id): return stepWriteReceived(id, &disk) ? .next(.writeReceived(id)) : .done
        case .completeFile(let completion):
            return stepFileCompletion(completion, after: syncError, &disk).map { .completeFile($0) }
        case .readPartial(let reading):
            return stepPartialReading(reading, &disk).map { .next(.readPartial($0)) } ?? .done
        case .completeVersion(let completion):
            return stepCompletion(completion, after: syncError, &disk).map { .completeVersion($0) }
        case .collectGarbage(let collection):
            return stepGarbageCollection(collection, &disk).map { .next(.collectGarbage($0)) } ?? .done
        case .closeFiles:
            closeFiles(&disk)
            return .done
        }
    }
}
