import Backend
import Core
import Updater

/// R7: content of the keep set is never removed or changed while the durable record names it, and what
/// has no place is gone after the next idle minute.
///
/// The set is worked out from the trace: versions of open page loads, what the app told as current and
/// pending, the two versions that confirmed last (once the last is proven, the newest proven one before
/// it), the finished files of the running download; and, for "record first, then delete", every version
/// that the durable record names. Left out: what is embedded, content the scenario took away or the
/// record knows to be damaged, versions that are blacklisted or recalled.
struct RetainedSet: Checker {
    let rule = "R7"
    /// Nothing happened for that long: the idle minute of the rule, twice over.
    static let quiet = TimeSpan.minutes(3)

    private var blobs: [BlobImage] = []
    private var download: VersionTable?
    /// The scenario took both generations of the record away, or damaged both: the last one that named
    /// anything (R8: losing both costs downloads).
    private var lostGeneration: UInt64?
    /// Generations that the scenario has damaged since the record was written last.
    private var damagedSlots: [String] = []
    private var commits = -1
    private var removals = -1

    /// Counts are compared with those of the same store.
    func remember(in sum: inout Hasher) {
        sum.combine(blobs)
        sum.combine(download?.key)
        sum.combine(lostGeneration)
        sum.combine(damagedSlots)
    }

    mutating func observe(_ fact: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        if case .damaged(let path) = fact.kind {
            blobs = store.live.blobs
            damagedSlots.append(path)
            if isRecordLost(store) { lostGeneration = store.durable.record?.generation ?? 0 }
        }
        // What had no durable name is not finished (ST-2, ST-3): the power took it, nobody removed it.
        if case .powerCut = fact.kind { blobs = store.live.blobs }
        return nil
    }

    /// An image shows what damage lies over as it was.
    private func isRecordLost(_ store: StoreView) -> Bool {
        let slots = [(StorePaths.recordA, store.live.slotA), (StorePaths.recordB, store.live.slotB)]
        return slots.allSatisfy { path, slot in slot.record == nil || damagedSlots.contains(path.text) }
    }

    mutating func storeChanged(_ store: StoreView, in observed: ObservedState) -> Violation? {
        defer {
            blobs = store.live.blobs
            download =
                store.durable.recordedDownload == store.live.download?.key ? store.live.download : nil
        }
        if store.durable.commits == commits, store.live.removals == removals { return nil }
        let isRemoved = store.live.removals != removals
        if store.durable.commits != commits { damagedSlots = [] }
        commits = store.durable.commits
        removals = store.live.removals
        let excused =
            store.lost + (store.durable.record?.damaged ?? [])
            + (store.live.record?.damaged ?? [])
        if isRemoved {
            if let violation = changed(store, excused, observed) { return violation }
            if let violation = removedFromDownload(store, excused, observed) { return violation }
        }
        for (key, why) in kept(store, observed) {
            guard let flaw = store.live.flaw(of: key, except: excused) else { continue }
            return Violation(
                "Content of \(observed.name(key)) was removed while \(why)",
                expected: "\(observed.name(key)) is kept", actual: flaw)
        }
        return nil
    }

    private func kept(_ store: StoreView, _ observed: ObservedState) -> [(key: VersionKey, why: String)] {
        var kept: [(key: VersionKey, why: String)] = []
        let embedded = store.durable.record?.embedded ?? observed.status?.embedded
        let record = store.durable.record
        let isLost = lostGeneration.map { record?.generation ?? 0 <= $0 } ?? false
        for entry in record?.versions ?? [] where !isLost {
            kept.append((entry.key, "the durable record names it"))
        }
        for load in observed.loads where !load.isClosed {
            kept.append((load.version, "a page of it is open"))
        }
        // What was good before the loss is no longer known to be.
        for good in lostGeneration == nil ? lastGood(observed) : [] {
            kept.append((good, "it is one of the two last known good"))
        }
        return kept.filter { $0.key != embedded && !observed.isEmbedded($0.key) }
    }

    /// The last known good version and the one before it, by the trace.
    private func lastGood(_ observed: ObservedState) -> [VersionKey] {
        let usable = observed.good.filter { row in
            !(observed.status?.blacklist.contains(row.key) ?? false)
                && !observed.recalled.contains(row.key.id)
                && !observed.recalled.contains(observed.name(row.key))
        }
        guard let last = usable.last else { return [] }
        let before = usable.dropLast()
        let isProven = observed.isProven(last.key)
        let second = isProven ? before.last { observed.isProven($0.key) } : before.last
        return [last.key] + (second.map { [$0.key] } ?? [])
    }

    private func changed(_ store: StoreView, _ excused: [Digest256], _ observed: ObservedState) -> Violation?
    {
        for before in blobs {
            guard let now = store.live.blob(before.name), now.sha256 != before.sha256, before.isSound,
                !excused.contains(before.name)
            else { continue }
            return Violation(
                "Stored content was changed in place", expected: "\(before.sha256.hex) stays as it is",
                actual: "\(now.sha256.hex), \(now.size) bytes")
        }
        return nil
    }

    /// Content of rows without a SHA-256 is done when the list says so; until then it is fetched again
    /// (ST-0).
    private func isListed(_ blob: BlobImage, _ row: Asset, _ store: StoreView) -> Bool {
        if case .sha256 = row.hash { return true }
        return store.live.finished.contains(blob.name)
    }

    private func removedFromDownload(
        _ store: StoreView, _ excused: [Digest256], _ observed: ObservedState
    ) -> Violation? {
        guard let download, store.durable.recordedDownload == download.key,
            store.live.recordedDownload == download.key
        else { return nil }
        for blob in blobs where !excused.contains(blob.name) {
            guard store.live.blob(blob.name) == nil,
                let row = download.assets.first(where: { blob.isContent(of: $0) }),
                isListed(blob, row, store)
            else { continue }
            return Violation(
                "A finished file of the running download was removed",
                expected: "\(row.route) of \(observed.name(download.key)) stays", actual: "it is gone")
        }
        return nil
    }

    // MARK: - What has no place is gone

    mutating func timePassed(in observed: ObservedState, _ store: StoreView) -> Violation? {
        guard observed.isAlive, !observed.isSuspended,
            observed.now - observed.lastActivity >= RetainedSet.quiet,
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
                named.contains(table.key) && table.places.contains { $0.location == .blob(blob.name) }
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
