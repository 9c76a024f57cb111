import Core

/// Starts in a row of proven versions that ended unconfirmed (R3): three set the version aside for the next
/// process.
struct UnconfirmedStarts: Hashable, Sendable {
    private struct Entry: Hashable, Sendable {
        var version: Version
        var count = UnsyncedCount()
    }

    private var entries: [Entry] = []

    static let limit = 3

    /// The start that confirms was counted when its index was served: a power cut may bring that back.
    mutating func confirm(_ version: Version) {
        add(version, isCertain: false)
        change(version) { $0.end() }
    }

    mutating func setAside(_ version: Version) { change(version) { $0.end() } }

    /// A version of this id is set aside. A process that is killed before its first page may have written it,
    /// so that the next one need not set it aside again.
    mutating func mayBeSetAside(id: String) {
        for index in entries.indices where entries[index].version.id == id { entries[index].count.mayEnd() }
    }

    mutating func mayConfirm(_ version: Version) { change(version) { $0.mayEnd() } }

    mutating func add(_ version: Version, isCertain: Bool) {
        if !entries.contains(where: { $0.version == version }) { entries.append(Entry(version: version)) }
        change(version) { $0.add(isCertain: isCertain) }
    }

    mutating func mayBeEarlier() {
        for index in entries.indices { entries[index].count.mayBeEarlier() }
    }

    func mustLeave(_ version: Version) -> Bool {
        entries.contains { $0.version == version && $0.count.least >= UnconfirmedStarts.limit }
    }

    func mayLeave(_ version: Version) -> Bool {
        entries.contains { $0.version == version && $0.count.most >= UnconfirmedStarts.limit }
    }

    private mutating func change(_ version: Version, _ change: (inout UnsyncedCount) -> Void) {
        if let index = entries.firstIndex(where: { $0.version == version }) { change(&entries[index].count) }
    }
}

extension ReferenceModel {
    /// A process has ended: the start of a proven version that it left unconfirmed counts.
    mutating func countUnconfirmed() {
        guard let end = life.end else { return }
        if end.isBeforePowerCut { unconfirmed.mayBeEarlier() }
        guard let last = starts.last, last.process == life.process - 1 else {
            // A process that was stopped in the middle of a step may have begun a start.
            if let current = report.current, good.mayBeProven(current) {
                unconfirmed.add(current, isCertain: false)
            }
            return
        }
        guard good.mayBeProven(last.version), last.version != previousReport.embedded else { return }
        if last.end == .confirmed {
            if last.wasChanged(justBefore: end) { unconfirmed.mayBeEarlier() }
        } else if last.end == nil {
            let mayBeConfirmed = last.mayBeConfirmed(at: end.at, byServer: mayServerHaveConfirmed(last))
            let isWritten = last.servedAt != nil && end.ran(since: last.begunAt) > Start.timeToNote
            unconfirmed.add(last.version, isCertain: isWritten && !end.isBeforePowerCut && !mayBeConfirmed)
            if mayBeConfirmed { unconfirmed.mayConfirm(last.version) }
        }
    }

    mutating func compareSetAside(_ shown: Version) {
        guard let current = previousReport.current, !isRecalled(current) else { return }
        // A process before may have ended before it reported that the embedded one runs.
        if let embedded = report.embedded, current == embedded || moments.setAside == embedded.id {
            return compareSkipped(embedded, shown: shown)
        }
        guard good.mayBeProven(current) else { return }
        if moments.hasSetAside {
            decide(.provenThree)
            if !unconfirmed.mayLeave(current) {
                disagree(
                    .provenThree, current, allowed: "it stays current", actual: "it is set aside")
            }
            unconfirmed.setAside(current)
        } else if good.isProven(current), unconfirmed.mustLeave(current),
            report.pending == nil, !chain(without: [current]).isEmpty
        {
            decide(.provenThree)
            if shown != current { return }
            disagree(
                .provenThree, current,
                allowed: "it is set aside for this process, after three unconfirmed starts",
                actual: "it is started")
        }
    }
}
