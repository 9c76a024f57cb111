import Backend
import Core
import Updater

/// R5: what is blacklisted is neither downloaded, made pending nor started; never the embedded version,
/// never a proven one; at most 64 entries; and an entry ends only as the rule says.
///
/// An entry counts from when the app told it (what it tells is durable). It ends with a new native build,
/// by an order of the origin, after 7 days for a first entry and 30 for a second, or when the scenario
/// damaged the record.
struct BlacklistHolds: Checker {
    let rule = "R5"

    private struct Entry {
        var key: VersionKey
        var since: Instant
        var count: Int
    }

    private var entries: [Entry] = []
    private var counts: [(key: VersionKey, count: Int)] = []

    func remember(in sum: inout Hasher) {
        for entry in entries {
            sum.combine(entry.key)
            sum.combine(seconds: entry.since)
            sum.combine(entry.count)
        }
        sum.combine(entries.count)
        for row in counts {
            sum.combine(row.key)
            sum.combine(row.count)
        }
    }

    mutating func observe(_ fact: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        switch fact.kind {
        case .installed:
            entries.removeAll()
            counts.removeAll()
        case .damaged: entries.removeAll()
        case .status(let status): return judge(status, observed, store)
        case .pageLoad(_, _, let key):
            guard isListed(key) else { return nil }
            return broken(key, "was started", observed)
        case .requestSent(let request):
            guard case .file = request.kind, let key = request.version, isListed(key) else { return nil }
            return broken(key, "is being downloaded", observed)
        default: break
        }
        return nil
    }

    private func isListed(_ key: VersionKey) -> Bool { entries.contains { $0.key == key } }

    private func broken(_ key: VersionKey, _ what: String, _ observed: ObservedState) -> Violation {
        Violation(
            "\(observed.name(key)) is blacklisted and \(what)",
            expected: "neither downloaded, made pending nor started", actual: "it \(what)")
    }

    private mutating func judge(_ status: UpdaterStatus, _ observed: ObservedState, _ store: StoreView)
        -> Violation?
    {
        if let pending = status.pending, status.blacklist.contains(pending) {
            return broken(pending, "is pending", observed)
        }
        for key in status.blacklist where !isListed(key) {
            if observed.isEmbedded(key) || key == status.embedded || observed.isProven(key) {
                return Violation(
                    "\(observed.name(key)) was blacklisted, which is embedded or proven",
                    expected: "never a version that is embedded or proven", actual: "an entry for it")
            }
            enter(key, observed.now)
        }
        if status.blacklist.count > 64 {
            return Violation(
                "The blacklist is too long", expected: "at most 64", actual: "\(status.blacklist.count)")
        }
        for entry in entries where !status.blacklist.contains(entry.key) {
            guard mayEnd(entry, observed, store) else {
                return Violation(
                    "A blacklist entry was lost", expected: "\(observed.name(entry.key)) stays blacklisted",
                    actual: "it is not on the list any more")
            }
        }
        entries.removeAll { !status.blacklist.contains($0.key) }
        return nil
    }

    private mutating func enter(_ key: VersionKey, _ now: Instant) {
        let place = counts.firstIndex { $0.key == key }
        if let place { counts[place].count += 1 } else { counts.append((key, 1)) }
        let count = counts.first { $0.key == key }?.count ?? 1
        entries.append(Entry(key: key, since: now, count: count))
    }

    private func mayEnd(_ entry: Entry, _ observed: ObservedState, _ store: StoreView) -> Bool {
        if store.isDamaged { return true }
        let name = observed.name(entry.key)
        let order = observed.unblocked.contains {
            ($0.id == name || $0.id == entry.key.id) && $0.at >= entry.since
        }
        if order { return true }
        let age = observed.now - entry.since
        switch entry.count {
        case 1: return age >= .days(7)
        case 2: return age >= .days(30)
        default: return false
        }
    }
}
