import Backend
import Core
import Updater

/// R7.idle-minute: content that nothing names any more is gone when the device has been idle.
///
/// Named are: the versions of the record and those that had a role in it since the last confirmed start;
/// those of open page loads; the finished files, the parts and the manifest of the running download.
///
/// Silent about: embedded versions; content of a version that was left, where the origin has told the running
/// download that some is unchanged; a store that can't be written or read, or that the scenario has damaged;
/// where there is a page cache, pages of the same process that an app can't see to have gone.
struct LeftoversRemoved: RuleChecker {
    let rule = "R7"
    var decided = 0
    var decisions: [DecisionCount] { [DecisionCount("R7.idle-minute", decided)] }

    /// Idle time after which nothing may be left over: the rule's idle minute, and two more.
    static let idlePeriod = TimeSpan.minutes(3)
    /// Calls of the disk that a clean-up may need, each as late as a fault makes it.
    static let mostDelayedCalls: Int64 = 256

    /// Whether the process's last record could not be written: what it left may be what the record names.
    private var isRecordUnwritten = false
    /// Versions that had a role since the last confirmed start: they keep their places until the next one.
    private var placed: [VersionKey] = []
    private var commits = -1

    func hashMemory(into hasher: inout Hasher) { hasher.combine(placed) }

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        switch event.kind {
        case .launched: isRecordUnwritten = false
        case .log(let entry) where entry.cause == .recordNotWritten: isRecordUnwritten = true
        case .log(let entry) where entry.cause == .startConfirmed:
            let shown = observed.loads.filter { !$0.isClosed }.map(\.version)
            placed = (store.durable.record?.roles.map(\.key) ?? []) + shown
        default: break
        }
        return nil
    }

    mutating func storeChanged(_ store: StoreView, in observed: ObservedState) -> Violation? {
        if store.durable.commits == commits { return nil }
        commits = store.durable.commits
        isRecordUnwritten = false
        for role in store.durable.record?.roles ?? [] where !placed.contains(role.key) {
            placed.append(role.key)
        }
        return nil
    }

    mutating func timePassed(in observed: ObservedState, _ store: StoreView) -> Violation? {
        guard observed.isAlive, !observed.isSuspended,
            observed.now - observed.lastActivity >= LeftoversRemoved.idlePeriod + observed.timerDelay
                + observed.diskDelay * LeftoversRemoved.mostDelayedCalls,
            !observed.hasOpenTransfers, let record = store.durable.record, !store.isDamaged,
            record == store.live.record,
            // What could not be read may name anything.
            observed.logged([.storeUnavailable, .diskFailed, .readFailed], since: observed.processBegan)
                == nil,
            !isRecordUnwritten
        else { return nil }
        decided += 1
        let mayLive = observed.loads.filter {
            !$0.isClosed || observed.profile.cachedPages > 0 && $0.process == observed.process
        }
        let named = record.roles.map(\.key) + placed + mayLive.map(\.version)
        if let stray = store.live.tableNames.first(where: { name in !named.contains { $0.digest == name } }) {
            return leftover("tables/\(stray.hex.prefix(12))")
        }
        let used = Set(store.live.tables.filter { named.contains($0.key) }.flatMap(\.blobs))
        let finished = Set(store.live.finished)
        let wanted = store.live.download.map { AssetHashes($0) } ?? AssetHashes()
        let unchanged = observed.transfersOfProcess {
            $0.status == 304 && $0.request.version == record.download
        }
        for blob in store.live.blobs where !used.contains(blob.name) {
            let isOfDownload = finished.contains(blob.name) || wanted.contains(blob) || !unchanged.isEmpty
            if !(record.download != nil && isOfDownload) {
                return leftover("blobs/…/\(blob.name.hex.prefix(12))")
            }
        }
        return leftoverOfDownload(store.live, record)
    }

    /// Parts that the unfinished download does not need, and all where there is none.
    private func leftoverOfDownload(_ image: StoreImage, _ record: RecordImage) -> Violation? {
        // A manifest that can't be read names nothing.
        guard let needed = neededParts(image, record.download) else { return nil }
        if let part = image.partials.first(where: { !needed.contains($0.key) }) {
            return leftover("partial/\(part.key.hex.prefix(12))")
        }
        if let note = image.notes.first(where: { !needed.contains($0) }) {
            return leftover("partial/\(note.hex.prefix(12)).note")
        }
        guard record.download == nil else { return nil }
        if image.download != nil { return leftover("partial/manifest") }
        return image.finished.isEmpty ? nil : leftover("partial/finished")
    }

    /// Names of the partial files of the unfinished download; nil: they are not known.
    private func neededParts(_ image: StoreImage, _ recorded: VersionKey?) -> [Digest256]? {
        guard let recorded else { return [] }
        return image.download?.key == recorded ? image.partKeys : nil
    }

    private func leftover(_ path: String) -> Violation {
        Violation(
            "Something that nothing names any more was left behind after an idle minute",
            expected: "it is gone", actual: "\(path) is there")
    }
}
