import Backend
import Core
import Updater

/// R7: content of the retained set is neither removed nor changed, and content outside it is removed.
///
/// The retained set follows from trace and store: versions of open page loads; the two versions that were
/// confirmed last (if the last one is proven: the newest proven one before it); the finished files of the
/// running download; and every version that the durable record names, because a version must leave the record
/// before its files are deleted. Content outside the set must be gone when the device has been idle.
///
/// Silent about: embedded versions; content that the scenario removed or that the record lists as damaged;
/// confirmed versions that are blacklisted or recalled; content that is left over while the store can't be
/// written. After the scenario has damaged the record: versions that only the damaged generation knows, and
/// those of the older generation whose content was gone before (R8: the updater falls back to it).
struct RetainedContent: Checker {
    let rule = "R7"
    /// Idle time after which nothing may be left over: the rule's idle minute, and two more.
    static let idlePeriod = TimeSpan.minutes(3)

    /// Blobs at the last change of the store.
    private var blobs = BlobList()
    /// Blobs that were durable then, sorted by name: a file of a download is finished when its name is.
    private var finishedBlobs = BlobList()
    /// Manifest of the running download that the durable record names.
    private var download: VersionTable?
    private var damagedSlots = DamagedSlots()
    /// Versions that only damaged generations of the record knew, and that were not confirmed since.
    private var forgotten: [VersionKey] = []
    /// Versions of an older generation that were not complete when the newer one was damaged.
    private var gone: [VersionKey] = []
    private var commits = -1
    private var removals = -1

    /// Leaves out the counts, because they are compared with those of the same store.
    func hashMemory(into hasher: inout Hasher) {
        hasher.combine(blobs)
        hasher.combine(finishedBlobs)
        hasher.combine(download?.key)
        hasher.combine(damagedSlots)
        hasher.combine(forgotten)
        hasher.combine(gone)
    }

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        switch event.kind {
        case .damaged(let path):
            blobs = store.live.blobs
            damaged(path, observed, store)
        // A blob without a durable name is not finished; the power cut removed it, not the updater.
        case .powerCut: blobs = store.live.blobs
        case .log(let entry) where entry.cause == .startConfirmed:
            forgotten.removeAll { $0.id == entry.version }
        default: break
        }
        return nil
    }

    private mutating func damaged(_ path: String, _ observed: ObservedState, _ store: StoreView) {
        guard StoredFile(DiskPath(.data, path)).isRecord else { return }
        damagedSlots.damaged(path, in: store.durable)
        let known = damagedSlots.readableRecord(of: store.durable)?.versions.map(\.key) ?? []
        forgotten += lastGood(observed).filter { !known.contains($0) }
        gone += known.filter { store.live.flaw(of: $0, except: store.lost) != nil }
    }

    mutating func storeChanged(_ store: StoreView, in observed: ObservedState) -> Violation? {
        defer {
            blobs = store.live.blobs
            finishedBlobs = store.durable.blobs
            download =
                store.durable.recordedDownload == store.live.download?.key ? store.live.download : nil
        }
        if store.durable.commits == commits, store.live.removals == removals { return nil }
        let isRemoved = store.live.removals != removals
        damagedSlots.removeWritten(in: store.durable)
        commits = store.durable.commits
        removals = store.live.removals
        let exempt =
            store.lost + (store.durable.record?.damaged ?? [])
            + (store.live.record?.damaged ?? [])
        if isRemoved {
            if let violation = changed(store, exempt, observed) { return violation }
            if let violation = removedFromDownload(store, exempt, observed) { return violation }
        }
        for retained in retainedVersions(store, observed) {
            guard let flaw = store.live.flaw(of: retained.key, except: exempt) else { continue }
            return Violation(
                "Content of \(version: observed.name(retained.key)) was removed while \(retained.reason)",
                expected: "\(version: observed.name(retained.key)) is kept", actual: ViolationText(flaw))
        }
        return nil
    }

    private struct RetainedVersion {
        var key: VersionKey
        var reason: String
    }

    private mutating func retainedVersions(_ store: StoreView, _ observed: ObservedState) -> [RetainedVersion]
    {
        var retained: [RetainedVersion] = []
        let embedded = store.durable.record?.embedded ?? observed.status?.embedded
        gone.removeAll { store.live.flaw(of: $0, except: store.lost) == nil }
        for entry in damagedSlots.readableRecord(of: store.durable)?.versions ?? []
        where !gone.contains(entry.key) {
            retained.append(RetainedVersion(key: entry.key, reason: "the durable record names it"))
        }
        for load in observed.loads where !load.isClosed {
            retained.append(RetainedVersion(key: load.version, reason: "a page of it is open"))
        }
        for good in lastGood(observed) where !forgotten.contains(good) {
            retained.append(RetainedVersion(key: good, reason: "it is one of the two last known good"))
        }
        return retained.filter { $0.key != embedded && !observed.isEmbedded($0.key) }
    }

    /// The last known good version and the one before it, according to the trace.
    private func lastGood(_ observed: ObservedState) -> [VersionKey] {
        let usable = observed.goodVersions.filter { version in
            !(observed.status?.blacklist.contains(version.key) ?? false)
                && !observed.isRecalled(version.key)
        }
        guard let last = usable.last else { return [] }
        let before = usable.dropLast()
        let isProven = observed.isProven(last.key)
        let second = isProven ? before.last { observed.isProven($0.key) } : before.last
        return [last.key] + (second.map { [$0.key] } ?? [])
    }

    private func changed(_ store: StoreView, _ exempt: [Digest256], _ observed: ObservedState) -> Violation? {
        for before in blobs {
            guard let now = store.live.blob(before.name), now.sha256 != before.sha256, before.isSound,
                !exempt.contains(before.name)
            else { continue }
            return Violation(
                "Stored content was changed in place", expected: "\(before.sha256.hex) stays as it is",
                actual: "\(now.sha256.hex), \(now.size) bytes")
        }
        return nil
    }

    /// Whether a blob counts as finished. Content of an asset without a SHA-256 is finished once the list
    /// contains it; until then it is fetched again.
    private func isFinished(_ blob: BlobImage, _ asset: Asset, _ store: StoreView) -> Bool {
        if case .sha256 = asset.hash { return true }
        return store.live.finished.contains(blob.name)
    }

    private func removedFromDownload(
        _ store: StoreView, _ exempt: [Digest256], _ observed: ObservedState
    ) -> Violation? {
        guard let download, store.durable.recordedDownload == download.key,
            store.live.recordedDownload == download.key
        else { return nil }
        for blob in blobs where !exempt.contains(blob.name) {
            guard store.live.blob(blob.name) == nil, finishedBlobs.blob(named: blob.name) != nil,
                let index = download.assets.firstIndex(where: { blob.isContent(of: $0) }),
                isFinished(blob, download.assets[index], store)
            else { continue }
            return Violation(
                "A finished file of the running download was removed",
                expected: "\(download.assets[index].route) of \(version: observed.name(download.key)) stays",
                actual: "it is gone")
        }
        return nil
    }

    // MARK: - Content outside the set is removed

    mutating func timePassed(in observed: ObservedState, _ store: StoreView) -> Violation? {
        guard observed.isAlive, !observed.isSuspended,
            observed.now - observed.lastActivity >= RetainedContent.idlePeriod,
            observed.openTransfers.isEmpty, let record = store.durable.record, !store.isDamaged,
            record == store.live.record,
            observed.logged([.storeUnavailable, .diskFailed], since: observed.processBegan) == nil
        else { return nil }
        let named = record.versions.map(\.key)
        if let stray = store.live.tableNames.first(where: { name in !named.contains { $0.digest == name } }) {
            return leftover("tables/\(stray.hex.prefix(12))")
        }
        var used: Set<Digest256> = []
        for table in store.live.tables where named.contains(table.key) {
            for content in table.contents {
                if case .blob(let digest) = content.location { used.insert(digest) }
            }
        }
        for blob in store.live.blobs where !used.contains(blob.name) {
            let isFetched =
                store.live.finished.contains(blob.name)
                || (store.live.download?.assets.contains { blob.isContent(of: $0) } ?? false)
            if !(record.download != nil && isFetched) {
                return leftover("blobs/…/\(blob.name.hex.prefix(12))")
            }
        }
        if record.download == nil, let partial = store.live.partials.first {
            return leftover("partial/\(partial.key.hex.prefix(12))")
        }
        return nil
    }

    private func leftover(_ path: String) -> Violation {
        Violation(
            "Something that nothing names any more was left behind after an idle minute",
            expected: "it is gone", actual: "\(path) is there")
    }
}
