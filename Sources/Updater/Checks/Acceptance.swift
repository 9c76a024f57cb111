import Core

/// A publication that this line has come to (U8): its place in the order, the version it names, and what it
/// recalls.
struct Acceptance: Hashable, Sendable {
    var order: PublicationOrder
    var key: VersionKey?
    var recalled: [String]
}

/// Forward only (U8) against damage (U3): when does a publication's number count?
///
/// A manifest that was damaged on its way and still reads states a number like any other. If the number alone
/// counted from then on, the true manifest under it, or under a lower one, would be refused for ever. So an
/// accepted publication is *settled* only when a second answer states the same number and the same version;
/// until then the record also keeps the settled one before it (`record.settled`). The number counts at once,
/// so that a stale edge brings nothing back, but
///
/// - it does not count while its own files contradict it: a file came that is not what the manifest
///   announces, or is not there; the next answer is then held against the settled publication. The same
///   where a process ended before it had fetched what it had accepted;
/// - the same version under a lower number, still above the settled one, corrects the number;
/// - another version under the same number is taken when a second check a minute later offers it too.
///
/// What is settled is contradicted by nothing. Left open: a damaged number on an otherwise whole manifest,
/// with a newer publication before the second answer; only a signed or digested manifest could tell.
extension Updater {
    /// How an offered publication stands to the accepted one.
    enum Standing: Hashable, Sendable {
        case unordered
        case newer
        case same
        /// Ignored, orders in it included.
        case older
        /// The accepted version under a lower number.
        case correctsNumber
        /// Another version under the accepted number, which is not settled.
        case contradicts
    }

    func standing(of table: VersionTable) -> Standing {
        let order = table.facts.order
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
        return .correctsNumber
    }

    /// The files of the accepted publication contradict it, in this process or in one that ended while it
    /// fetched them, or before it could.
    var isAcceptanceInDoubt: Bool {
        guard record.settled != nil, let key = record.accepted, version(key) == nil else { return false }
        if let download { return download.table.key == key && download.needsManifest }
        return record.download == key || isCutOff(key)
    }

    /// An earlier process wrote down the number and ended before the record named the download: nothing here
    /// has come of it, and nobody gave it up.
    private func isCutOff(_ key: VersionKey) -> Bool {
        !hasAccepted && !record.left.contains(key) && !record.isRecalled(key)
            && !record.blacklist.contains { $0.key == key }
    }

    /// Takes the publication's number and orders.
    mutating func accept(_ table: VersionTable) {
        hasAccepted = true
        let facts = table.facts
        if facts.order != .none {
            keepSettled()
            record.newestAccepted = facts.order
        }
        if facts.order != .none || record.newestAccepted == .none { record.accepted = table.key }
        record.recalled = facts.recalled
        obeyUnblock(facts.unblock)
        obeyRecall()
        record.forced = facts.command == .force ? table.key : nil
        switch facts.command {
        case .update: break
        case .force:
            log(.forced, table.key)
            if runningKey != table.key { effects.append(.notice(.forced(table.key))) }
        case .rollBack: log(.rolledBackByOrder, table.key)
        case .embedded: log(.embeddedByOrder, record.embedded)
        }
    }

    /// The former publication becomes the one to fall back to, if it was settled or its version is whole
    /// here.
    private mutating func keepSettled() {
        let isWhole = record.accepted.map { version($0) != nil } ?? true
        guard record.settled == nil || (isWhole && !isAcceptanceInDoubt) else { return }
        record.settled = Acceptance(
            order: record.newestAccepted, key: record.accepted, recalled: record.recalled)
    }

    /// A second answer says the same; or, where the accepted publication is in doubt, the same as the settled
    /// one.
    mutating func settleAcceptance(_ table: VersionTable) {
        if let settled = record.settled, settled.key == table.key, settled.order == table.facts.order {
            record.newestAccepted = settled.order
            record.accepted = settled.key
            record.recalled = settled.recalled
        }
        guard record.accepted == table.key, table.facts.order == record.newestAccepted else { return }
        record.settled = nil
    }

    private mutating func obeyUnblock(_ ids: [String]) {
        for id in ids {
            for place in record.blacklist.indices
            where record.isOfHere(record.blacklist[place]) && record.blacklist[place].key.id == id
                && !record.blacklist[place].hasEnded
            {
                record.blacklist[place].hasEnded = true
                log(.unblocked, record.blacklist[place].key)
            }
        }
    }

    private mutating func obeyRecall() {
        if let pending = record.pending, record.isRecalled(pending) {
            log(.recalled, pending, "was pending")
            dropPending(pending)
        }
        if let fetched = download?.table.key, record.isRecalled(fetched) { dropDownload(.recalled) }
        if let current = record.current, record.isRecalled(current) {
            log(.recalled, current, "runs")
            effects.append(.notice(.recalled(current)))
        }
    }
}

extension PublicationOrder {
    /// Orders of different kinds have no order among them.
    func isBelow(_ other: PublicationOrder) -> Bool {
        switch (self, other) {
        case (.serial(let left), .serial(let right)): left < right
        case (.date(let left), .date(let right)): left < right
        case (.none, _), (.serial, _), (.date, _): false
        }
    }
}
