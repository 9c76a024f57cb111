import Backend
import Core
import Updater

/// R7: content of the retained set is neither removed nor changed. (``LeftoversRemoved``: the rest is.)
///
/// The retained set follows from trace and store: versions of open page loads; the two versions that were
/// confirmed last (if the last one is proven: the newest proven one before it); the finished files of the
/// running download; and every version that the durable record names, because a version must leave the record
/// before its files are deleted.
///
/// Silent about: embedded versions; content that the scenario removed, or whose table it removed, or that the
/// record lists as damaged; confirmed versions that are blacklisted or recalled, or whose confirmation could
/// not be written. After the scenario has damaged the record: versions that only the damaged generation
/// knows, and those of the older generation whose content was gone before (R8: the updater falls back to it).
struct RetainedContent: Checker {
    let rule = "R7"
    private var decided = (retained: 0, download: 0)

    var decisions: [DecisionCount] {
        [
            DecisionCount("R7", decided.retained),
            DecisionCount("R7.download", decided.download),
        ]
    }

    mutating func forgetDecisions() { decided = (0, 0) }

    /// Blobs at the last change of the store.
    private var blobs = BlobList()
    /// Blobs that were durable then, sorted by name: a file of a download is finished when its name is.
    private var finishedBlobs = BlobList()
    /// Manifest of the running download that the durable record names.
    private var download: VersionTable?
    /// Content of versions that were complete when ``download`` began, in Meteor's dialect: it goes with its
    /// version, although an earlier download's list has it.
    private var contentOfOthers: [Digest256] = []
    private var damagedSlots = DamagedSlots()
    /// The download whose list of finished files the scenario has damaged: what it still says is of no use.
    private var unlistedDownload: VersionKey?
    /// The last such download: a power cut may bring the damaged list back.
    private var lastUnlisted: VersionKey?
    /// The download whose manifest the scenario has damaged: no process knows what belongs to it.
    private var unknownDownload: VersionKey?
    /// Versions that only damaged generations of the record knew, or knew as good, or that were downloaded
    /// again after damage to their table, and that were not confirmed since.
    private var forgotten: [VersionKey] = []
    /// Versions that only a record of a newer format names.
    private var unknownToProcess: [VersionKey] = []
    /// Versions whose table the scenario has damaged and that are not complete again since.
    private var damagedTables: [DamagedTable] = []
    /// Versions of an older generation that were not complete when the newer one was damaged.
    private var gone: [VersionKey] = []
    /// Versions of an older generation that the newer one did not name when it was damaged: the process that
    /// wrote it may remove them, because it does not know of the damage.
    private var superseded: [VersionKey] = []
    /// Versions that the newest record named at the last change, and its generation: the process that has
    /// written it goes by it once its sync has come back, also if the scenario removes it before.
    private var recorded: [VersionKey] = []
    private var generation: UInt64?
    /// The good versions of which ``good`` was computed.
    private var confirmed: [ObservedState.GoodVersion] = []
    /// The last known good version and the one before it since the last confirmation.
    private var good: [VersionKey] = []
    private var commits = -1
    private var removals = -1
    /// Number of entries of the list of removed blobs that were read.
    private var blobRemovals = 0
    /// The retained versions at the last change, and the blobs that they use.
    private var retainedBlobs = RetainedBlobs()
    /// Hashes of the assets of ``download``; nil until a blob is removed.
    private var downloadHashes: AssetHashes?
    /// Number of blobs and assets that were compared so far.
    private(set) var comparisons = 0

    private struct DamagedTable: Hashable {
        let key: VersionKey
        /// Whether a download of the version began after the damage: only what it writes is sound. A table
        /// can be damaged while its own download still writes.
        var isDownloadedAgain = false
    }

    /// Leaves out the counts, because they are compared with those of the same store.
    func hashMemory(into hasher: inout Hasher) {
        hasher.combine(blobs)
        hasher.combine(finishedBlobs)
        hasher.combine(download?.key)
        hasher.combine(contentOfOthers)
        hasher.combine(damagedSlots)
        hasher.combine(unlistedDownload)
        hasher.combine(lastUnlisted)
        hasher.combine(unknownDownload)
        hasher.combine(forgotten)
        hasher.combine(unknownToProcess)
        hasher.combine(damagedTables)
        hasher.combine(gone)
        hasher.combine(superseded)
        hasher.combine(good)
    }

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        switch event.kind {
        // Whether the other build's process has settled the store update is not known.
        case .launched:
            if observed.isBuildBack { forgotten += lastGood(observed, store) }
        case .damaged(let path):
            blobs = store.live.blobs
            damaged(path, observed, store)
        // A blob without a durable name is not finished; the power cut removed it, not the updater.
        case .powerCut:
            blobs = store.live.blobs
            unlistedDownload = unlistedDownload ?? lastUnlisted
        case .log(let entry) where entry.cause == .startConfirmed:
            updateGood(observed, store)
            forgetUnknown()
            forgotten.removeAll { $0.id == entry.version }
        case .log(let entry) where entry.cause == .downloadStarted:
            unlistedDownload = nil
            unknownDownload = nil
            for index in damagedTables.indices where damagedTables[index].key.id == entry.version {
                damagedTables[index].isDownloadedAgain = true
            }
        // A record that could not be read costs the downloads (R8), also if it can be read later.
        case .log(let entry) where entry.cause == .recordLost: forgotten += lastGood(observed, store)
        // More is damaged than the record lists (R8); of a version whose table can't be read nothing is
        // known.
        case .log(let entry)
        where entry.cause == .contentDamaged
            && (entry.detail.hasSuffix("as a whole") || entry.detail.hasPrefix("table: ")):
            forgotten += lastGood(observed, store).filter { $0.id == entry.version }
        // What a record of a newer format names is kept until a start is confirmed (N2).
        case .log(let entry) where entry.cause == .recordNewerFormat:
            unknownToProcess = lastGood(observed, store)
        // Only this process knows of the confirmation, until the record is written.
        case .log(let entry) where entry.cause == .recordNotWritten:
            let recorded = [store.durable.record?.lastKnownGood, store.durable.record?.previousGood]
            forgotten += lastGood(observed, store).filter {
                !recorded.contains($0) && !forgotten.contains($0)
            }
        // It has a table again. It is no good version until it is confirmed (R10).
        case .log(let entry) where entry.cause == .becamePending:
            let complete = damagedTables.filter { $0.isDownloadedAgain && $0.key.id == entry.version }
            superseded.removeAll { $0.id == entry.version }
            forgotten += complete.map(\.key)
            damagedTables.removeAll(where: complete.contains)
        default: break
        }
        return nil
    }

    private mutating func damaged(_ path: String, _ observed: ObservedState, _ store: StoreView) {
        let file = StoredFile(DiskPath(.data, path))
        if case .table(let digest?) = file {
            // One that the scenario removed is not in the store any more; what it was of is in the record.
            let keys = Set(store.live.tables.map(\.key) + recorded + good).filter { $0.digest == digest }
            damagedTables += keys.map { DamagedTable(key: $0) }
        }
        if file == .partialFinished {
            unlistedDownload = download?.key
            lastUnlisted = unlistedDownload
        }
        if file == .partialManifest { unknownDownload = download?.key }
        guard file.isRecord else { return }
        damagedSlots.damaged(path, in: store.durable)
        let readable = damagedSlots.readableRecord(of: store.durable)
        let known = readable?.versions.map(\.key) ?? []
        forgotten += lastGood(observed, store).filter { readable?.isGood($0) != true }
        gone += known.filter { store.live.flaw(of: $0, except: store.lost) != nil }
        if observed.isAlive { superseded += known.filter { !recorded.contains($0) } }
    }

    /// A start is confirmed: what the record of a newer format names need not be kept any more (N2).
    private mutating func forgetUnknown() {
        forgotten += unknownToProcess
        unknownToProcess = []
    }

    mutating func storeChanged(_ store: StoreView, in observed: ObservedState) -> Violation? {
        // That of a version which is good already is not logged.
        if !unknownToProcess.isEmpty,
            observed.starts.contains(where: { $0.process == observed.process && observed.isConfirmed($0) })
        {
            forgetUnknown()
        }
        let previous = (commits: commits, removals: removals)
        let removed = removedBlobs(store)
        defer {
            blobs = store.live.blobs
            finishedBlobs = store.durable.blobs
            let recorded = store.durable.recordedDownload
            if download?.key != recorded || download?.key != store.live.download?.key {
                download = recorded == store.live.download?.key ? store.live.download : nil
                downloadHashes = nil
                contentOfOthers = download?.dialect == .meteor ? store.live.tables.flatMap(\.blobs) : []
            }
        }
        if store.live.generation != generation {
            generation = store.live.generation
            recorded = store.live.record?.versions.map(\.key) ?? []
        }
        commits = store.durable.commits
        removals = store.live.removals
        if commits == previous.commits, removals == previous.removals { return nil }
        damagedSlots.removeWritten(in: store.durable)
        let exempt =
            store.lost + (store.durable.record?.damaged ?? [])
            + (store.live.record?.damaged ?? [])
        if removals != previous.removals {
            if let violation = changed(removed, store, exempt, observed) { return violation }
            if let violation = removedFromDownload(removed, store, exempt, observed) { return violation }
        }
        let retained = retainedVersions(store, observed)
        let isSameSet = retainedBlobs.update(retained.map(\.key), store.live, &comparisons)
        // Nothing that the versions use has changed.
        if isSameSet, commits == previous.commits, let removed,
            !removed.contains(where: retainedBlobs.blobs.contains)
        {
            return nil
        }
        for version in retained where !store.lostTables.contains(version.key.digest) {
            decided.retained += 1
            comparisons += store.live.table(version.key)?.contents.count ?? 0
            guard let flaw = store.live.flaw(of: version.key, except: exempt) else { continue }
            return Violation(
                "Content of \(version: observed.name(version.key)) was removed while \(version.reason)",
                expected: "\(version: observed.name(version.key)) is kept", actual: ViolationText(flaw))
        }
        return nil
    }

    /// Names of the blobs that were removed or replaced since the last change; nil if something else was too.
    private mutating func removedBlobs(_ store: StoreView) -> ArraySlice<Digest256>? {
        let names = store.live.blobRemovals.names
        let new = names.dropFirst(blobRemovals)
        blobRemovals = names.count
        return removals >= 0 && new.count == store.live.removals - removals ? new : nil
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
        where !gone.contains(entry.key) && !superseded.contains(entry.key) {
            retained.append(RetainedVersion(key: entry.key, reason: "the durable record names it"))
        }
        for load in observed.loads where !load.isClosed {
            retained.append(RetainedVersion(key: load.version, reason: "a page of it is open"))
        }
        for good in lastGood(observed, store)
        where !forgotten.contains(good) && !damagedTables.contains(where: { $0.key == good }) {
            retained.append(RetainedVersion(key: good, reason: "it is one of the two last known good"))
        }
        return retained.filter { $0.key != embedded && !observed.isEmbedded($0.key) }
    }

    /// The last known good version and the one before it, without those that are recalled or blacklisted
    /// since: what was good before these two is not kept, so it does not take their places.
    private mutating func lastGood(_ observed: ObservedState, _ store: StoreView) -> [VersionKey] {
        updateGood(observed, store)
        // A process that has not reported its state goes by the record.
        let blacklist =
            observed.status?.blacklist
            ?? store.durable.record?.blacklistInForce ?? []
        // When the entry ends, it is no good version again.
        good.removeAll(where: blacklist.contains)
        return good.filter { !observed.isRecalled($0) }
    }

    /// Follows a confirmation, or the loss of some. A version that is recalled keeps its place until the
    /// device knows of the recall: the durable record says so, or this process does.
    private mutating func updateGood(_ observed: ObservedState, _ store: StoreView) {
        if observed.goodVersions == confirmed { return }
        confirmed = observed.goodVersions
        let usable = confirmed.map(\.key).filter { key in
            let isKnown =
                store.durable.record?.recalled.contains(key.id) ?? false
                || observed.logged([.recalled], version: key.id, since: observed.processBegan) != nil
            let isBlacklisted = observed.status?.blacklist.contains(key) ?? false
            return !isBlacklisted && !(observed.isRecalled(key) && isKnown)
        }
        // What lost its place before the device heard of a recall does not get the recalled one's.
        let before = usable.dropLast().filter(good.contains)
        good = usable.suffix(1)
        guard let last = good.first,
            let second = observed.isProven(last) ? before.last(where: observed.isProven) : before.last
        else { return }
        good.append(second)
    }

    /// The blobs before the change with these names; nil: all.
    private func previousBlobs(_ names: ArraySlice<Digest256>?) -> [BlobImage] {
        names.map { $0.compactMap { blobs.blob(named: $0) } } ?? Array(blobs)
    }

    private mutating func changed(
        _ removed: ArraySlice<Digest256>?, _ store: StoreView, _ exempt: [Digest256],
        _ observed: ObservedState
    ) -> Violation? {
        for before in previousBlobs(removed) {
            comparisons += 1
            guard let now = store.live.blob(before.name), now.sha256 != before.sha256, before.isSound,
                !exempt.contains(before.name)
            else { continue }
            decided.retained += 1
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
        if let unlistedDownload, unlistedDownload == download?.key { return false }
        return store.live.finished.contains(blob.name) && !contentOfOthers.contains(blob.name)
    }

    private mutating func removedFromDownload(
        _ removed: ArraySlice<Digest256>?, _ store: StoreView, _ exempt: [Digest256],
        _ observed: ObservedState
    ) -> Violation? {
        // A download that ends without space gives back what it took (U11), also if the record can't say so.
        // A process that read an older record beside one of a newer format begins that record's download anew
        // (N2).
        guard let download, download.key != unknownDownload, store.durable.recordedDownload == download.key,
            store.live.recordedDownload == download.key,
            observed.logged([.noSpace, .recordNotWritten, .recordNewerFormat], since: observed.processBegan)
                == nil
        else { return nil }
        let hashes = downloadHashes ?? AssetHashes(download)
        if downloadHashes == nil { comparisons += download.assets.count }
        downloadHashes = hashes
        for blob in previousBlobs(removed) where !exempt.contains(blob.name) {
            comparisons += 1
            decided.download += 1
            guard store.live.blob(blob.name) == nil, finishedBlobs.blob(named: blob.name) != nil,
                hashes.contains(blob),
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
}
