import Core

/// An end of a start that must be reported while its process runs.
struct Obligation: Hashable, Sendable {
    var end: Start.End
    var version: Version
    var clause: ModelClause
    /// Time that the process has left, suspension not counted.
    var remaining: TimeSpan

    /// Generous: the slowest disk of a profile needs seconds for a sync, and several may be queued.
    static let limit = TimeSpan.minutes(1)
}

/// R3: what pages report and clocks measure ends a start.
extension ReferenceModel {
    /// A page has reported something about its start.
    mutating func oblige(_ end: Start.End, _ clause: ModelClause, _ token: PageLoadToken?, _ view: Int) {
        guard let token = token ?? moments.token(shownIn: view),
            let start = starts.last(where: { $0.process == life.process && $0.loads.contains(token) }),
            start.end == nil, !start.isAbandoned, start.servedAt != nil, !isUnlimited(start.version),
            app.settings.confirmation == .called,
            end != .failed || start.confirmedAt == nil, end != .confirmed || start.failureReportedAt == nil,
            !obligations.contains(where: { $0.version == start.version })
        else { return }
        obligations.append(
            Obligation(end: end, version: start.version, clause: clause, remaining: Obligation.limit))
    }

    mutating func obligationsAge(by span: TimeSpan) {
        for index in obligations.indices {
            obligations[index].remaining = obligations[index].remaining - span
        }
        guard let due = obligations.first(where: { $0.remaining <= .zero }) else { return }
        obligations.removeAll { $0 == due }
        decide(due.clause)
        disagree(
            due.clause, due.version, allowed: "its start ends \(due.end.text)",
            actual: "a minute later no end is reported")
    }

    /// The clock must have run out: with all that may have stopped it, and a slow version's own length. While
    /// no view shows a page of the start, it need not count.
    mutating func clocksAge() {
        guard let start = starts.last, start.isCounting(in: life.process), start.confirmedAt == nil,
            !start.isAbandoned, !start.isOverdue, !isUnlimited(start.version), moments.isShown(start.loads),
            app.settings.confirmation == .called
        else { return }
        let timeout = max(start.startupTimeout, app.settings.startupTimeout, .seconds(5))
        let mayBeSecond =
            start.isSecondChance
            || histories.contains {
                $0.version == start.version && ($0.isUncertain || $0.hasFailedTwice)
            }
        let usual = mayBeSecond ? max(timeout * 3, .seconds(60)) : timeout
        let longest = good.isGood(start.version) ? max(usual, .minutes(2)) : usual
        let allowed = longest + .minutes(1) + life.timerDelay
        guard start.inFront > allowed + .seconds(10) else { return }
        starts[starts.count - 1].isOverdue = true
        decide(.clock)
        disagree(
            .clock, start.version,
            allowed: "an end after at most \(allowed.shown) in front",
            actual: "none after \(start.inFront.shown)")
    }
}
