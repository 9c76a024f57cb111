import Core

/// An accepted publication of the origin line (U8): its position in the order, its version, and the ids that
/// it recalls.
struct AcceptedPublication: Hashable, Sendable {
    var order: PublicationOrder
    var key: VersionKey?
    var recalled: [String]
}

/// Decides when the order of a publication counts: forward only (U8), even after a damaged manifest (U3).
///
/// A manifest that was damaged in transit can still be valid and states a serial or date like any other. If
/// that alone counted from then on, the correct manifest, with the same or a lower number, would be refused
/// for ever. So an accepted publication is *settled* only when a second response states the same number and
/// the same version; until then the record also keeps the previous settled one (`record.settled`). The number
/// counts at once, so that a stale edge can't bring back an older version, with three exceptions:
///
/// - The number does not count while the publication's files contradict it, that is, while a file is missing
///   or differs from what the manifest announces. The next response is then compared with the settled
///   publication. The same applies if a process ended before it had downloaded what it had accepted.
/// - The same version under a lower number, still above the settled one, corrects the number.
/// - Another version under the same number is accepted if a second check a minute later offers it too.
///
/// Nothing contradicts a settled publication. Not covered: a damaged number in an otherwise correct manifest,
/// with a newer publication before the second response; only a signed or digested manifest could reveal it.
extension Updater {
    /// How an offered publication compares with the accepted one.
    enum PublicationComparison: Hashable, Sendable {
        case unordered
        case newer
        case same
        /// Older than the accepted publication: ignored, including its orders.
        case older
        /// The accepted version under a lower number.
        case correctsOrder
        /// Another version under the accepted number, which is not settled.
        case contradicts
    }

    /// Compares an offered publication with the accepted one, or with the settled one if that is in doubt.
    func comparison(of table: VersionTable) -> PublicationComparison {
        let order = table.metadata.order
        guard order != .none else { return .unordered }
        let settled = record.settled
        if let settled, isAcceptanceInDoubt {
            if order == settled.order { return table.key == settled.key ? .same : .older }
            return order.isBelow(settled.order) ? .older : .newer
        }
        if order == record.newestAccepted {
            if record.accepted == nil || record.accepted == table.key { return .same }
            return settled == nil ? .older : .contradicts
        }
        guard order.isBelow(record.newestAccepted) else { return .newer }
        guard let settled, record.accepted == table.key, !order.isBelow(settled.order),
            order != settled.order
        else { return .older }
        return .correctsOrder
    }

    /// Whether the files of the accepted publication contradict it: in this process, or in an earlier one
    /// that ended while or before it downloaded them. Those of a version that the record names have come,
    /// also where its table can't be read now.
    var isAcceptanceInDoubt: Bool {
        guard record.settled != nil, let key = record.accepted, version(key) == nil, record.entry(key) == nil
        else { return false }
        if let download { return download.table.key == key && download.needsManifest }
        return record.download == key || wasInterruptedBeforeDownload(key)
    }

    /// Whether an earlier process stored the number and ended before the record named the download, so that
    /// nothing of this version is here and no decision against it was made.
    private func wasInterruptedBeforeDownload(_ key: VersionKey) -> Bool {
        !checks.hasAccepted && !record.leftVersions.contains(key) && !record.isRecalled(key)
            && !record.blacklist.contains { $0.key == key }
    }

    /// A complete version leaves the device: its files have not contradicted the publication that names it,
    /// so that their absence is no reason to doubt it. The record names complete versions alone, also one
    /// whose table can't be read any more.
    mutating func settleIfComplete(_ key: VersionKey) {
        if record.accepted == key, version(key) != nil || record.entry(key) != nil { record.settled = nil }
    }

    /// Accepts the publication: its number and its orders.
    mutating func acceptPublication(_ table: VersionTable) {
        checks.hasAccepted = true
        let metadata = table.metadata
        if metadata.order == .none { leavePreviousOffer(for: table.key) }
        if metadata.order != .none {
            keepSettled()
            record.newestAccepted = metadata.order
        }
        if metadata.order != .none || record.newestAccepted == .none { record.accepted = table.key }
        record.recalled = metadata.recalled
        applyUnblock(metadata.unblock)
        applyRecall()
        record.forced = metadata.command == .force ? table.key : nil
        switch metadata.command {
        case .update: break
        case .force:
            log(.forced, table.key)
            if runningKey != table.key { effects.append(.notice(.forced(table.key))) }
        case .rollBack: log(.rolledBackByOrder, table.key)
        case .embedded:
            log(.embeddedByOrder, record.embedded)
            // Nothing of it is ever here, which gives a later process no reason to doubt it.
            record.recordLeft(table.key)
        }
    }

    /// U8 without an order: a version whose damaged content was to be repaired has been left when the origin
    /// offers another one.
    private mutating func leavePreviousOffer(for key: VersionKey) {
        guard let previous = record.accepted, previous != key, previous != runningKey,
            previous != record.pending
        else { return }
        record.recordLeft(previous)
    }

    /// Keeps the previous publication as the one to fall back to, if it was settled or its version is
    /// complete on this device.
    private mutating func keepSettled() {
        let isWhole = record.accepted.map { version($0) != nil } ?? true
        guard record.settled == nil || (isWhole && !isAcceptanceInDoubt) else { return }
        record.settled = AcceptedPublication(
            order: record.newestAccepted, key: record.accepted, recalled: record.recalled)
    }

    /// Settles the accepted publication if a second response states the same; or, if the accepted one is in
    /// doubt, returns to the settled one.
    mutating func settleAcceptance(_ table: VersionTable) {
        if let settled = record.settled, settled.key == table.key, settled.order == table.metadata.order {
            record.newestAccepted = settled.order
            record.accepted = settled.key
            record.recalled = settled.recalled
        }
        guard record.accepted == table.key, table.metadata.order == record.newestAccepted else { return }
        record.settled = nil
    }

    /// An order frees what was blamed before it was first seen: while it is repeated, a version that fails
    /// after it stays blacklisted (R5).
    private mutating func applyUnblock(_ ids: [String]) {
        defer { record.unblocked = ids }
        for id in ids where !record.unblocked.contains(id) {
            for index in record.blacklist.indices
            where record.appliesHere(record.blacklist[index]) && record.blacklist[index].key.id == id
                && !record.blacklist[index].hasEnded
            {
                record.blacklist[index].hasEnded = true
                log(.unblocked, record.blacklist[index].key)
            }
        }
    }

    mutating func applyRecall() {
        if let pending = record.pending, record.isRecalled(pending) {
            log(.recalled, pending, "was pending")
            dropPending(pending)
        }
        if let key = unfinishedKey, record.isRecalled(key) {
            dropUnfinished(.recalled)
        }
        if let current = record.current, record.isRecalled(current) {
            log(.recalled, current, "runs")
            effects.append(.notice(.recalled(current)))
        }
    }
}

extension PublicationOrder {
    /// Whether this is below the other; orders of different kinds are not comparable, which counts as not
    /// below.
    func isBelow(_ other: PublicationOrder) -> Bool {
        switch (self, other) {
        case (.serial(let left), .serial(let right)): left < right
        case (.date(let left), .date(let right)): left < right
        case (.none, _), (.serial, _), (.date, _): false
        }
    }
}
