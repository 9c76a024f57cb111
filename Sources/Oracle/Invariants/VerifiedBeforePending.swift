import Backend
import Core
import Updater

/// U1: a version becomes pending only when every required file is stored, synced, and has the length and the
/// hash that its asset announces.
///
/// When the app reports a new pending version, the durable image must contain it completely. If assets have
/// no hash:
/// - the origin must have named the same version once more after the last of their files; an answer without
///   content names none;
/// - the content of each must be what one answer brought completely, or that of another stored version;
/// - Meteor's index must not be that of a version with another id.
///
/// Content that was damaged before the download began has the right length: what is on the medium is used
/// only after a look at that (ST-3).
///
/// Silent about: embedded versions; other content that the scenario removed, or whose table it removed; files
/// without a hash that no transfer of this trace has fetched; an index that a fault has altered.
struct VerifiedBeforePending: Checker {
    let rule = "U1"
    private var decided = (complete: 0, withoutHash: 0, index: 0)
    /// Whether nothing of the store was damaged or lost since the download began.
    private var isSoundSinceStart = false
    /// The last table whose files without a hash were confirmed. What it lists is still that when one of them
    /// was damaged and is here again (R10).
    private var confirmed: TableImage?

    var decisions: [DecisionCount] {
        [
            DecisionCount("U1.complete", decided.complete),
            DecisionCount("U1.no-hash", decided.withoutHash),
            DecisionCount("U1.index-version", decided.index),
        ]
    }

    mutating func forgetDecisions() { decided = (0, 0, 0) }

    func hashMemory(into hasher: inout Hasher) {
        hasher.combine(isSoundSinceStart)
        hasher.combine(confirmed?.table.key)
        hasher.combine(confirmed?.contents)
    }

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        switch event.kind {
        case .damaged, .powerCut, .installed, .faultApplied: isSoundSinceStart = false
        case .log(let entry) where entry.cause == .downloadStarted: isSoundSinceStart = true
        default: break
        }
        guard case .status(let status) = event.kind, let pending = status.pending,
            pending != observed.previousStatus?.pending || observed.previousStatus == nil
        else { return nil }
        if observed.isEmbedded(pending), pending == status.embedded { return nil }
        // Its damaged content is being fetched again, and until then it is not started (R10).
        if status.downloading == pending { return nil }
        // Removed between its writing and the record that names it: the app did not look again.
        if store.lostTables.contains(pending.digest) { return nil }
        decided.complete += 1
        let name = observed.name(pending)
        if let flaw = store.durable.flaw(of: pending, except: store.lost) {
            return Violation(
                "\(version: name) is pending and not whole on the medium",
                expected: "every required file of \(version: name) stored, synced and verified",
                actual: ViolationText(flaw))
        }
        if isSoundSinceStart, !observed.isEmbedded(pending), let route = resizedRoute(of: pending, store) {
            return Violation(
                "\(version: name) is pending with content of another length",
                expected: "\(route) is fetched again, because its length was wrong before the download",
                actual: "it was not")
        }
        return evaluateUnhashed(pending, observed, store)
    }

    private func resizedRoute(of key: VersionKey, _ store: StoreView) -> String? {
        if store.resized.isEmpty { return nil }
        guard let table = store.live.table(key) else { return nil }
        return zip(table.table.assets, table.contents).first { _, content in
            guard case .blob(let name) = content.location else { return false }
            return store.resized.contains(name)
        }?.0.route
    }

    private mutating func evaluateUnhashed(_ key: VersionKey, _ observed: ObservedState, _ store: StoreView)
        -> Violation?
    {
        guard let table = store.durable.table(key), table != confirmed else { return nil }
        if let violation = evaluateContent(table, observed, store) { return violation }
        let assets = table.table.assets
        var fetched: [String: Int] = [:]
        for (index, transfer) in observed.transfers.enumerated()
        where transfer.state == .ended && transfer.request.version == key {
            if let route = transfer.route { fetched[route] = index }
        }
        let answers = observed.transfers.filter(\.isGoodManifestAnswer)
        for (index, content) in zip(assets.indices, table.contents)
        where assets[index].hash == .none && !assets[index].isOptional {
            guard case .blob = content.location else { continue }
            let asset = assets[index]
            guard let last = fetched[asset.route].map({ observed.transfers[$0] }) else { continue }
            decided.withoutHash += 1
            // This process must have checked again or, if it ended before, a later one. Later offers don't
            // matter: a version that is pending again after an unclear start (R3) needs no new check.
            let again = answers.filter { $0.process >= last.process && $0.sentAt >= last.sentAt }
            // What an altered answer offers is not known.
            if again.contains(where: { $0.status == 200 && ($0.offered ?? key.id) == key.id }) { continue }
            let name = observed.name(key)
            return Violation(
                "\(version: name) has files without a hash, and the origin was not asked again after them",
                expected: "the manifest once more after \(asset.route), naming \(version: key.id)",
                actual: again.last.flatMap(\.offered).map { "it named \(version: $0)" } ?? "no such answer")
        }
        confirmed = table
        return nil
    }

    private mutating func evaluateContent(_ table: TableImage, _ observed: ObservedState, _ store: StoreView)
        -> Violation?
    {
        let assets = table.table.assets
        for (index, content) in zip(assets.indices, table.contents) where assets[index].hash == .none {
            guard case .blob(let name) = content.location else { continue }
            let route = assets[index].route
            let transfers = observed.transfers.filter {
                $0.request.version == table.key && $0.route == route && $0.status != 304
            }
            let whole = transfers.filter { $0.wholeSize == content.size }
            if whole.isEmpty, isUnchanged(route, of: table.key, size: content.size, observed) { continue }
            let isKnown = store.live.tables.contains { other in
                other.key != table.key && other.contents.contains { $0.location == .blob(name) }
            }
            let hasArrived = transfers.contains { $0.bytes > 0 }
            if hasArrived { decided.withoutHash += 1 }
            if hasArrived, whole.isEmpty, !isKnown {
                return Violation(
                    "\(version: observed.name(table.key)) is pending with a file that did not arrive whole",
                    expected: "\(route) as an answer brought it",
                    actual: "\(content.size) bytes, which no answer that ended had")
            }
            guard table.table.dialect == .meteor, route == table.table.index else { continue }
            decided.index += 1
            guard let other = otherVersion(whole, table.key, observed)
            else { continue }
            return Violation(
                "\(version: observed.name(table.key)) is pending with the index of another version",
                expected: "the index that names \(version: table.key.id)",
                actual: "that of \(version: other)")
        }
        return nil
    }

    /// Whether the origin said that the file is that of another version, of which it came whole. That version
    /// may have been removed since.
    private func isUnchanged(_ route: String, of key: VersionKey, size: Int, _ observed: ObservedState)
        -> Bool
    {
        let transfers = observed.transfers.filter { $0.route == route && $0.state == .ended }
        return transfers.contains { $0.request.version == key && $0.status == 304 }
            && transfers.contains { $0.wholeSize == size }
    }

    /// A version with another id whose index the last answer brought.
    private func otherVersion(
        _ whole: [TransferTrace], _ key: VersionKey, _ observed: ObservedState
    ) -> String? {
        guard let mask = whole.last?.contentOf else { return nil }
        let entries = mask.indices.compactMap { index in
            observed.names.entries.indices.contains(index) ? observed.names.entries[index] : nil
        }
        return entries.contains { $0.id == key.id } ? nil : entries.first?.name
    }
}
