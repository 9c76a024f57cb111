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
/// written.
struct RetainedContent: Checker {
    let rule = "R7"
    /// Idle time after which nothing may be left over: the rule's idle minute, and two more.
    static let idlePeriod = TimeSpan.minutes(3)

    /// Blobs at the last change of the store.
    private var blobs: [BlobImage] = []
    /// Blobs that were durable then, sorted by name: a file of a download is finished when its name is.
    private var finishedBlobs: [BlobImage] = []
    /// Manifest of the running download that the durable record names.
    private var download: VersionTable?
    /// The last generation before the scenario removed or damaged both slots of the record (R8: losing both
    /// costs downloads).
    private var lostGeneration: UInt64?
    /// Paths that the scenario has damaged since the record was last written.
    private var damagedSlots: [String] = []
    private var commits = -1
    private var removals = -1

    /// Leaves out the counts, because they are compared with those of the same store.
    func hashMemory(into hasher: inout Hasher) {
        hasher.combine(blobs)
        hasher.combine(finishedBlobs)
        hasher.combine(download?.key)
        hasher.combine(lostGeneration)
        hasher.combine(damagedSlots)
    }

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        if case .damaged(let path) = event.kind {
            blobs = store.live.blobs
            damagedSlots.append(path)
            if isRecordLost(store) { lostGeneration = store.durable.record?.generation ?? 0 }
        }
        // A blob without a durable name is not finished; the power cut removed it, not the updater.
        if case .powerCut = event.kind { blobs = store.live.blobs }
        return nil
    }

    /// Whether both slots are invalid or damaged. An image shows a damaged slot's content without the damage.
    private func isRecordLost(_ store: StoreView) -> Bool {
        let slots = [(StorePaths.recordA, store.live.slotA), (StorePaths.recordB, store.live.slotB)]
        return slots.allSatisfy { path, slot in slot.record == nil || damagedSlots.contains(path.text) }
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
        if store.durable.commits != commits { damagedSlots = [] }
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

    private func retainedVersions(_ store: StoreView, _ observed: ObservedState) -> [RetainedVersion] {
        var retained: [RetainedVersion] = []
        let embedded = store.durable.record?.embedded ?? observed.status?.embedded
        let record = store.durable.record
        let isLost = lostGeneration.map { record?.generation ?? 0 <= $0 } ?? false
        for entry in record?.versions ?? [] where !isLost {
            retained.append(RetainedVersion(key: entry.key, reason: "the durable record names it"))
        }
        for load in observed.loads where !load.isClosed {
            retained.append(RetainedVersion(key: load.version, reason: "a page of it is open"))
        }
        // After the loss of the record, the updater no longer knows which versions were good before.
        for good in lostGeneration == nil ? lastGood(observed) : [] {
            retained.append(RetainedVersion(key: good, reason: "it is one of the two last known good"))
        }
        return retained.filter { $0.key != embedded && !observed.isEmbedded($0.key) }
    }

    /// The last known good version and the one before it, according to the trace.
    private func lastGood(_ observed: ObservedState) -> [VersionKey] {
        let usable = observed.goodVersions.filter { version in
            !(observed.status?.blacklist.contains(version.key) ?? false)
                && !observed.recalled.contains(version.key.id)
                && !observed.recalled.contains(observed.name(version.key))
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
            guard store.live.blob(blob.name) == nil, finishedBlobs.index(named: blob.name) != nil,
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
        for blob in store.live.blobs {
            let isUsed = store.live.tables.contains { table in
                named.contains(table.key) && table.contents.contains { $0.location == .blob(blob.name) }
            }
            let isFetched =
                store.live.finished.contains(blob.name)
                || (store.live.download?.assets.contains { blob.isContent(of: $0) } ?? false)
            if !isUsed, !(record.download != nil && isFetched) {
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
