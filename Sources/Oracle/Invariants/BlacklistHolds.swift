import Backend
import Core
import Updater

/// R5: a blacklisted version is neither downloaded, made pending nor started.
///
/// The embedded version and proven versions are never blacklisted. There are at most 64 entries. An entry
/// ends with a new native build, by an order of the origin that the device first sees after the entry was
/// made, after 7 days (first entry) or 30 days (second entry). Time never ends the third entry.
///
/// Silent about: an entry before the app has reported it, because only what it reports is durable; entries
/// that end after the scenario has damaged the record; what a process reports that could not read it.
struct BlacklistHolds: RuleChecker {
    let rule = "R5"
    var decided = 0

    private struct BlacklistEntry {
        var key: VersionKey
        /// Origin line in which it was made; it holds in this one alone.
        var line: ObservedLine
        var since: Instant
        /// Number of times that the version has been blacklisted.
        var count: Int
        /// When the last good answer before was requested: an order that came later may not be in it.
        var lastAnswer: Instant?
    }

    private var entries: [BlacklistEntry] = []
    /// Number of entries that each version has had on this build, in each line.
    private var counts: [(key: VersionKey, line: ObservedLine, count: Int)] = []
    private var builds = BuildChanges()
    /// The line in which this process made the last entry of a version, by the version's id. A report shows
    /// the entry once it is durable; the line may have changed since.
    private var lines: [String: ObservedLine] = [:]
    /// The line that this process says it is in: settings that change reach it a little later.
    private var line: ObservedLine?

    /// Days count in origin time, whose dates are whole seconds, rounded down.
    private static let precision = TimeSpan.seconds(1)

    /// Leaves out the lines of entries that are not durable yet: a process that has ended reports none.
    func hashMemory(into hasher: inout Hasher) {
        for entry in entries {
            hasher.combine(entry.key)
            hasher.combine(entry.line)
            hasher.combine(seconds: entry.since)
            hasher.combine(entry.count)
            hasher.combine(seconds: entry.lastAnswer)
        }
        hasher.combine(entries.count)
        for entry in counts {
            hasher.combine(entry.key)
            hasher.combine(entry.line)
            hasher.combine(entry.count)
        }
    }

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        switch event.kind {
        case .launched:
            lines = [:]
            line = ObservedLine(observed)
            guard builds.hasChanged(observed) else { return nil }
            entries.removeAll()
            counts.removeAll()
        case .damaged: entries.removeAll()
        case .log(let entry) where entry.cause == .blacklistEntry:
            if let version = entry.version { lines[version] = line }
        case .log(let entry) where entry.cause == .lineChanged: line = ObservedLine(observed)
        case .status(let status): return evaluate(status, observed, store)
        case .pageLoad(_, _, let key):
            if !entries.isEmpty { decided += 1 }
            guard isListed(key, observed), !observed.staysBecausePageIsInUse(key) else { return nil }
            return violation(key, "was started", observed)
        case .requestSent(let request):
            guard case .file = request.kind, let key = request.version, !entries.isEmpty else { return nil }
            decided += 1
            guard isListed(key, observed) else { return nil }
            return violation(key, "is being downloaded", observed)
        default: break
        }
        return nil
    }

    private func isListed(_ key: VersionKey, _ observed: ObservedState) -> Bool {
        // What ended in a process that could not read the record is still here.
        if observed.isWithoutRecord { return false }
        let line = ObservedLine(observed)
        return entries.contains { $0.key == key && $0.line == line }
    }

    private func violation(_ key: VersionKey, _ what: String, _ observed: ObservedState) -> Violation {
        Violation(
            "\(version: observed.name(key)) is blacklisted and \(what)",
            expected: "neither downloaded, made pending nor started", actual: "it \(what)")
    }

    private mutating func evaluate(_ status: UpdaterStatus, _ observed: ObservedState, _ store: StoreView)
        -> Violation?
    {
        if !entries.isEmpty || !status.blacklist.isEmpty { decided += 1 }
        if let pending = status.pending, status.blacklist.contains(pending) {
            return violation(pending, "is pending", observed)
        }
        guard store.isOfChannel(observed.settings.channel) else { return nil }
        for key in status.blacklist where !isListed(key, observed) {
            // What the scenario did to the record may have cost confirmations.
            let isProven = observed.isProven(key) && !observed.isRecordDamaged
            if observed.isEmbedded(key) || key == status.embedded || isProven {
                return Violation(
                    "\(version: observed.name(key)) was blacklisted, which is embedded or proven",
                    expected: "never a version that is embedded or proven", actual: "an entry for it")
            }
            enter(key, observed)
        }
        if status.blacklist.count > 64 {
            return Violation(
                "The blacklist is too long", expected: "at most 64", actual: "\(status.blacklist.count)")
        }
        if observed.isWithoutRecord { return nil }
        let line = ObservedLine(observed)
        for entry in entries where entry.line == line && !status.blacklist.contains(entry.key) {
            guard mayEnd(entry, observed, store) else {
                return Violation(
                    "A blacklist entry was lost",
                    expected: "\(version: observed.name(entry.key)) stays blacklisted",
                    actual: "it is not on the list any more")
            }
        }
        entries.removeAll { $0.line == line && !status.blacklist.contains($0.key) }
        return nil
    }

    private mutating func enter(_ key: VersionKey, _ observed: ObservedState) {
        let line = lines[key.id] ?? ObservedLine(observed)
        if entries.contains(where: { $0.key == key && $0.line == line }) { return }
        let index = counts.firstIndex { $0.key == key && $0.line == line }
        if let index { counts[index].count += 1 } else { counts.append((key, line, 1)) }
        let count = index.map { counts[$0].count } ?? 1
        entries.append(
            BlacklistEntry(
                key: key, line: line, since: observed.now, count: count,
                lastAnswer: observed.transfers.last(where: \.isGoodManifestAnswer)?.sentAt))
    }

    /// R5: for a sixty-fifth entry the oldest goes, or the one after it where the oldest is offered.
    private func makesRoom(_ entry: BlacklistEntry) -> Bool {
        entries.count > 64 && entries.prefix(2).contains { $0.key == entry.key && $0.line == entry.line }
    }

    private func mayEnd(_ entry: BlacklistEntry, _ observed: ObservedState, _ store: StoreView) -> Bool {
        if store.isDamaged { return true }
        let name = observed.name(entry.key)
        let isUnblocked = observed.unblocked.contains {
            ($0.id == name || $0.id == entry.key.id) && $0.at >= entry.lastAnswer ?? .zero
        }
        if isUnblocked || makesRoom(entry) { return true }
        let age = observed.now - entry.since
        switch entry.count {
        case 1: return age >= .days(7) - BlacklistHolds.precision
        case 2: return age >= .days(30) - BlacklistHolds.precision
        default: return false
        }
    }
}
