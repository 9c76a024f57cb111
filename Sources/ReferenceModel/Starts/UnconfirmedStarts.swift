/// Starts in a row of proven versions that ended unconfirmed (R3): three set the version aside for the next
/// process.
struct UnconfirmedStarts: Hashable, Sendable {
    private struct Count: Hashable, Sendable {
        var version: Version
        /// Without those that a power cut may have removed from the note, which is not synced.
        var certain = 0
        var possible = 0
    }

    private var counts: [Count] = []

    static let limit = 3

    mutating func confirm(_ version: Version) { counts.removeAll { $0.version == version } }

    mutating func add(_ version: Version, afterPowerCut: Bool) {
        let index = counts.firstIndex { $0.version == version } ?? counts.endIndex
        if index == counts.endIndex { counts.append(Count(version: version)) }
        counts[index].possible += 1
        counts[index].certain = afterPowerCut ? 0 : counts[index].certain + 1
    }

    func mustLeave(_ version: Version) -> Bool {
        counts.contains { $0.version == version && $0.certain >= UnconfirmedStarts.limit }
    }

    func mayLeave(_ version: Version) -> Bool {
        counts.contains { $0.version == version && $0.possible >= UnconfirmedStarts.limit }
    }
}

extension ReferenceModel {
    /// A process has ended: the start of a proven version that it left unconfirmed counts.
    mutating func countUnconfirmed() {
        guard let end = life.end, let last = starts.last, last.process == life.process - 1,
            last.servedAt != nil, last.end == nil, last.confirmedAt == nil, good.isProven(last.version),
            last.version != previousReport.embedded
        else { return }
        unconfirmed.add(last.version, afterPowerCut: end.isPowerCut)
    }

    mutating func compareSetAside(_ shown: Version) {
        guard let current = previousReport.current, good.isProven(current), current != report.embedded,
            !isRecalled(current)
        else { return }
        if moments.hasSetAside {
            if !unconfirmed.mayLeave(current) {
                disagree(
                    "R3.proven-three", current, allowed: "it stays current", actual: "it is set aside")
            }
            unconfirmed.confirm(current)
        } else if unconfirmed.mustLeave(current), shown == current, report.pending == nil,
            !chain(without: [current]).isEmpty
        {
            disagree(
                "R3.proven-three", current,
                allowed: "it is set aside for this process, after three unconfirmed starts",
                actual: "it is started")
        }
    }
}
