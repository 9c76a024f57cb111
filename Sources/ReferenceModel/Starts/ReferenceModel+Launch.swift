import Core

/// R3: what the process before has left of its last start.
///
/// A process can end in the middle of a write. What it was writing then is there or not: the record of a
/// start that it began, an end or a confirmation that it had decided, counts. The model keeps all that the
/// rules allow, and what the next process logs, or does not log before it reports its state, shows which it
/// is.
extension ReferenceModel {
    /// A process begins: the last start of the one before, if it was open, is evaluated.
    mutating func launchEvaluates(isSameBoot: Bool) {
        wait?.possibleLaunches += 1
        consequence = nil
        obligations = []
        recalls.launched()
        countUnconfirmed()
        countBroken(isSameBoot: isSameBoot)
        countUnseenConfirmation()
        defer {
            // What a process decided that reported nothing is not durable: the starts before it count again.
            if hadReported { starts.removeAll { $0.process < life.process - 1 } }
            hasOtherAudience = isAudienceChangedWithoutProcess
            isAudienceChangedWithoutProcess = false
        }
        // The process before showed no page: what it found out may be durable, or not.
        openAtLaunch?.reopen()
        if openAtLaunch != nil { return }
        for start in starts where start.process == life.process - 1 && start.end == nil {
            if isUncertainlyProven(start.version) { doubt(start.version) }
        }
        let ofProcess = starts.filter { $0.process == life.process - 1 && !isUnlimited($0.version) }
        // Only the last start of a process is open; one before it may be in the record still.
        guard let end = life.end, ofProcess.count == 1, let last = ofProcess.first, !last.isAbandoned else {
            for start in ofProcess where start.end == nil { doubt(start.version) }
            return
        }
        if last.end == .confirmed { return }
        openAtLaunch = OpenStart(
            last, end, providesBootID: profile.providesBootID, isSameBoot: isSameBoot,
            clock: clock(of: last), serverConfirms: mayServerHaveConfirmed(last))
    }

    var serverConfirms: Bool { app.settings.confirmation == .loaded }

    /// Whether the page of a start may have been one that confirms without a call.
    func mayServerHaveConfirmed(_ start: Start) -> Bool {
        serverConfirms || serverConfirmedUntil.map { $0 >= start.begunAt } ?? false
    }

    /// The last start of the process before may have been confirmed right before its end.
    private mutating func countUnseenConfirmation() {
        guard let end = life.end, let last = starts.last, last.process == life.process - 1, last.end == nil,
            last.mayBeConfirmed(at: end.at, byServer: mayServerHaveConfirmed(last))
        else { return }
        good.mayConfirm(last.version)
        if wait?.version != last.version { wait?.rescuerMayHaveConfirmed = true }
    }

    /// A start of which only its record was written, because the process ended before it answered the page
    /// load; or one of several in that process, whose end was not durable.
    /// - Returns: nil if no start of a version with this id can have begun.
    func unseenStart(ofID id: String) -> OpenStart? {
        // What the process before reported.
        guard !hasReported, moments.last == nil,
            let version = [report.pending, report.current, good.last, good.before].compactMap(\.self)
                .first(where: { $0.id == id }),
            !isUnlimited(version)
        else { return nil }
        let known = starts.last { $0.version == version && $0.process < life.process }
        if let known { return OpenStart(unseen: known) }
        return OpenStart(
            unseen: Start(
                version: version, process: life.process - 1, begunAt: life.now, loads: [],
                isSecondChance: histories.first { $0.version == version }?.needsSecondChance ?? false,
                startupTimeout: app.settings.startupTimeout))
    }

    /// A launch reports the end of a start of an earlier process.
    mutating func endAtLaunch(_ end: Start.End, _ open: OpenStart) {
        let version = open.start.version
        let isSecondEntry = open.isReported
        openAtLaunch = open
        openAtLaunch?.isReported = true
        good.settle(version, isConfirmed: false)
        if wait?.version == version { wait = nil }
        // A process before reported an end, and ended before that was durable.
        if !isSecondEntry {
            if let before = open.start.historyBefore {
                histories.removeAll { $0.version == version }
                histories.append(before)
            }
            openAtLaunch?.start.historyBefore =
                histories.first { $0.version == version } ?? StartHistory(version)
        }
        openAtLaunch?.start.end = end
        // The eighth uncounted end in a row is unclear: both are reported.
        if isSecondEntry, end == .unclear {
            decide(.eighthUncounted)
            let count = histories.first { $0.version == version }?.uncounted ?? 0
            if count != StartHistory.uncountedUntilUnclear {
                disagree(
                    .eighthUncounted, version, allowed: "unclear at the eighth uncounted end in a row",
                    actual: "unclear at number \(count)")
            }
        } else if !open.allowed.isEmpty {
            compareEnd(end, open)
        }
        if let index = starts.lastIndex(where: { $0.version == version && $0.process < life.process }) {
            starts[index].end = end
        }
        follow(end, of: open.start, byClock: false, atLaunch: true)
    }

    /// All clauses that allow an end are compared.
    /// - Returns: the first.
    private mutating func decide(_ open: OpenStart) -> ModelClause {
        for clause in open.clauses { decide(clause) }
        return open.clauses.first ?? .unclearKill
    }

    private mutating func compareEnd(_ end: Start.End, _ open: OpenStart) {
        let clause = decide(open)
        if open.allowed.contains(end) { return }
        disagree(
            clause, open.start.version,
            allowed: open.allowed.map(\.text).joined(separator: " or "),
            actual: "its start ended \(end.text)")
    }

    /// The process has reported its state, or shown a page, and no end of a start that was open.
    mutating func compareOpenStart() {
        guard let open = openAtLaunch else { return }
        openAtLaunch = nil
        if open.isReported { return }
        guard !open.mayBeNone, !open.allowed.isEmpty else { return endedUnseen(open.start) }
        let clause = decide(open)
        disagree(
            clause, open.start.version,
            allowed: "a start that ended " + open.allowed.map(\.text).joined(separator: " or "),
            actual: "no end is reported")
    }

    /// A start has ended, because no process evaluates it, but how it ended was not reported.
    private mutating func endedUnseen(_ start: Start) {
        if start.end != nil { return }
        let hasFailed = start.failureReportedAt != nil || start.webProcessDeaths > 1
        guard start.confirmedAt != nil, !hasFailed, start.inFront < clock(of: start) - .seconds(1) else {
            return doubt(start.version)
        }
        // Nothing else ends it unseen.
        good.settle(start.version, isConfirmed: true)
        follow(.confirmed, of: start, byClock: false, atLaunch: true)
        if wait?.version != start.version { wait?.rescuerConfirmed = true }
    }
}
