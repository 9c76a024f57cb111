import Core

/// When entries of the blacklist and a parking end at the latest (R5, R3): after their days of origin time,
/// with the next answer of the origin.
struct EntryTerms: Hashable, Sendable {
    private struct Entry: Hashable, Sendable {
        var version: Version
        var isParking: Bool
        /// Number of the version's entry: the third does not end by time.
        var count: Int
        /// First good answer since it was made; the app may know an earlier date.
        var since: Instant?
        /// Whether another version was offered since. Where manifests have no order, the device has left this
        /// one then, and takes it again on a second offer only (U8).
        var wasLeft = false
        /// Time that the app has left to end it, while it runs.
        var remaining: TimeSpan?

        /// The clause that ends it.
        var clause: ModelClause {
            isParking ? .parkedDay : count == 1 ? .firstSevenDays : .secondThirtyDays
        }
    }

    private var entries: [Entry] = []
    /// Number of blacklist entries that each version has had.
    private var history: [Count] = []

    private struct Count: Hashable, Sendable {
        var version: Version
        var count: Int
    }

    /// Days count in dates of whole seconds.
    private static let margin = TimeSpan.seconds(2)
    private static let limit = TimeSpan.minutes(1)

    /// - Returns: the clauses of entries that have ended in time.
    mutating func reported(_ report: Report) -> [ModelClause] {
        func hasEnded(_ entry: Entry) -> Bool {
            entry.isParking
                ? !report.parked.contains(entry.version) : !report.blacklist.contains(entry.version)
        }
        let inTime = entries.filter { $0.remaining != nil && hasEnded($0) }.map(\.clause)
        entries.removeAll(where: hasEnded)
        for version in report.blacklist
        where !entries.contains(where: { $0.version == version && !$0.isParking }) {
            let index = history.firstIndex { $0.version == version } ?? history.endIndex
            if index == history.endIndex { history.append(Count(version: version, count: 0)) }
            history[index].count += 1
            entries.append(Entry(version: version, isParking: false, count: history[index].count))
        }
        for version in report.parked where !entries.contains(where: { $0.version == version && $0.isParking })
        {
            entries.append(Entry(version: version, isParking: true, count: 1))
        }
        return inTime
    }

    /// The origin has answered with a manifest that names a version. An offer of one that is recalled is
    /// refused, and ends no parking.
    /// - Parameter isMisdated: whether the answer states a wrong time: no days count from it, and what it
    ///   dates counts from the first right one (N3).
    mutating func answered(
        offering id: String, isMisdated: Bool, isRecalled: Bool, hasOrder: Bool, at now: Instant
    ) {
        for index in entries.indices {
            if !hasOrder, entries[index].version.id != id { entries[index].wasLeft = true }
            if isMisdated { continue }
            guard let since = entries[index].since else {
                entries[index].since = now
                continue
            }
            guard let term = EntryTerms.term(of: entries[index]), entries[index].version.id == id,
                !(entries[index].isParking && (isRecalled || entries[index].wasLeft)),
                now - since >= term + EntryTerms.margin
            else { continue }
            entries[index].remaining = entries[index].remaining ?? EntryTerms.limit
        }
    }

    /// An offer was refused because of an entry.
    /// - Returns: the version and the clause, if the answer that offered it ended the entry.
    mutating func refused(ofID id: String, isParking: Bool) -> (version: Version, clause: ModelClause)? {
        let index = entries.firstIndex {
            $0.version.id == id && $0.isParking == isParking && $0.remaining != nil
        }
        return index.map { entries.remove(at: $0) }.map { ($0.version, $0.clause) }
    }

    /// - Returns: an entry that has outlived its days, and the clause.
    mutating func age(by span: TimeSpan) -> (version: Version, clause: ModelClause)? {
        for index in entries.indices {
            guard let remaining = entries[index].remaining else { continue }
            entries[index].remaining = remaining - span
            guard remaining - span <= .zero else { continue }
            let entry = entries.remove(at: index)
            return (entry.version, entry.clause)
        }
        return nil
    }

    /// Instants count in whole seconds.
    func hash(seconds hasher: inout Hasher) {
        for entry in entries {
            hasher.combine(entry.version)
            hasher.combine(entry.isParking)
            hasher.combine(entry.count)
            hasher.combine(entry.wasLeft)
            hasher.combine(entry.since.map { $0.microseconds / 1_000_000 })
        }
        hasher.combine(history)
    }

    /// The device had left this version before: it is taken, and its parking ends, on a second offer (U8).
    mutating func leftBefore(id: String) {
        for index in entries.indices where entries[index].isParking && entries[index].version.id == id {
            entries[index].remaining = nil
        }
    }

    /// No entry is due to end any more: the process has ended, or the answer that was counted as an offer
    /// orders the embedded version in place of what it names (U6).
    mutating func withdraw() { for index in entries.indices { entries[index].remaining = nil } }

    private static func term(of entry: Entry) -> TimeSpan? {
        if entry.isParking { return .days(1) }
        switch entry.count {
        case 1: return .days(7)
        case 2: return .days(30)
        default: return nil
        }
    }
}
