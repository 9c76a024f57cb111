import Backend
import Core

/// R3: how starts end, from what pages, processes and clocks did.
extension ReferenceModel {
    /// N1: a store update ends what was known about versions and their starts.
    mutating func forgetBuild() {
        starts = []
        histories = []
        consequence = nil
        openAtLaunch = nil
        wait = nil
        good = GoodVersions()
        previousReport = Report()
        obligations = []
        unconfirmed = UnconfirmedStarts()
        broken = BrokenStarts()
        terms = EntryTerms()
    }

    /// Whether a version has, or may have, neither start record nor clock: embedded, or proven.
    func isUnlimited(_ version: Version) -> Bool {
        version == report.embedded || version == previousReport.embedded || good.mayBeProven(version)
    }

    func isUncertainlyProven(_ version: Version) -> Bool {
        good.mayBeProven(version) && !good.isProven(version) && version != report.embedded
    }

    mutating func logged(_ cause: String, _ id: String?) {
        if Trouble.causes.contains(cause) { hasTrouble = true }
        if cause == "waits-for-fix", moments.answers == 0, let id {
            compareWait(beforeID: id)
        }
        if cause.hasPrefix("manifest-") || CheckReasons.refusals.contains(cause) { checks.refused() }
        if cause == "blacklisted" || cause == "parked-offer", let id,
            let entry = terms.refused(ofID: id, isParking: cause == "parked-offer")
        {
            entryOutlives(entry.version, entry.clause)
        }
        if cause == "rollout-outside" { checks.redirect(at: life.now) }
        if cause == "embedded-by-order" { terms.withdraw() }
        if cause == "left-before", let id { terms.leftBefore(id: id) }
        // Another version under the accepted number is in doubt: the app asks once more by itself (U8).
        if cause == "contradicts-accepted" { checks.allow(at: life.now) }
        if cause == "download-started", let id {
            good.fetched(id, isEmbedded: report.embedded?.id == id)
        }
        if cause == "rescue-put-off" { moments.postponedRescue = id }
        if cause == "start-confirmed" { moments.postponedRescue = nil }
        // A reload takes nothing up that waits for its second chance.
        let waits = report.pendingWaits && report.pending?.id == id
        let isMoment =
            isMomentToSwitch || moments.hasReloaded && !waits || moments.mayHaveBeenPushed(at: life.now)
        if cause == "switched", isMoment { moments.switched = id }
        if cause == "switched-too-often" { moments.isLimited = true }
        if cause == "set-aside" {
            moments.setAside = id
            if let id { unconfirmed.mayBeSetAside(id: id) }
        }
        // Another version is pending in its place, which is reported once it is durable.
        if cause == "superseded", let id {
            if id == report.pending?.id { moments.hasBecomePending = true }
            replaced(ofID: id)
        }
        if cause == "became-pending" {
            moments.hasBecomePending = true
            if let id { comparePending(ofID: id) }
        }
        if cause == "recalled", let id { recalls.logged(id, isPending: report.pending?.id == id) }
        if cause == "pending-dropped", let id { dropPending(ofID: id) }
        if cause == "forced" || cause == "forced-wait" { moments.mayBeForced = true }
        if let end = Start.End(cause: cause), let id {
            let isByClock = cause == "start-failed-by-clock" || cause == "start-unclear-by-clock"
            ended(end, id, isByClock: isByClock)
        }
    }

    /// The log says that a start has ended.
    private mutating func ended(_ end: Start.End, _ id: String, isByClock: Bool) {
        if end != .confirmed, let open = openAtLaunch, open.start.version.id == id {
            return endAtLaunch(end, open)
        }
        let index = starts.lastIndex {
            $0.version.id == id && $0.process == life.process && ($0.end == nil || $0.end == .confirmed)
        }
        guard let index else {
            if end != .confirmed, let unseen = unseenStart(ofID: id) { endAtLaunch(end, unseen) }
            return
        }
        starts[index].end = end
        starts[index].endedAt = life.now
        let start = starts[index]
        for met in obligations where met.version == start.version { decide(met.clause) }
        obligations.removeAll { $0.version == start.version }
        if end == .confirmed {
            if isUnlimited(start.version), !isUncertainlyProven(start.version) { decide(.provenNoClock) }
            // Without the time that it has taken before, its clock would have run out.
            if start.inFront >= clock(of: start), knownClock(of: start.version) > clock(of: start) {
                decide(.clockSlow)
            }
            unconfirmed.confirm(start.version)
            broken.confirm()
            good.confirm(start.version, in: life.process, after: start.inFront, recall: recall(of:))
            if let waiting = wait?.version, waiting != start.version { wait?.rescuerConfirmed = true }
            if wait?.version == start.version { wait = nil }
        } else {
            compare(end, isByClock, start)
            broken.add(start.version, mayBeBroken: end == .failed, isBroken: end == .failed)
        }
        if !isUnlimited(start.version) {
            follow(end, of: start, byClock: isByClock, atLaunch: false)
        } else if isUncertainlyProven(start.version) {
            doubt(start.version)
        }
    }

    /// A pending version that another line, audience or order has removed is not taken up any more.
    private mutating func dropPending(ofID id: String) {
        if report.pending?.id == id { report.pending = nil }
        if consequence?.version.id == id { consequence = nil }
        if wait?.version.id == id { wait = nil }
    }

    /// An end that is found out while the process runs needs evidence that pages and clock gave.
    private mutating func compare(_ end: Start.End, _ isByClock: Bool, _ start: Start) {
        if isUnlimited(start.version) {
            if isUncertainlyProven(start.version) { return }
            decide(.provenNoClock)
            return disagree(
                .provenNoClock, start.version, allowed: "no end but a confirmation",
                actual: "its start ended \(end.text)")
        }
        guard isByClock else { return }
        let isUncertain = histories.contains { $0.version == start.version && $0.isUncertain }
        let timeout = max(clock(of: start), knownClock(of: start.version))
        let isSlow = timeout > clock(of: start)
        let clause: ModelClause = isSlow ? .clockSlow : start.isSecondChance ? .clockSecondChance : .clock
        if !isUncertain { decide(clause) }
        if !isUncertain, start.inFront < timeout - .seconds(1) {
            disagree(
                clause, start.version,
                allowed: "an end by the clock after \(timeout.shown) in front",
                actual: "it ended after \(start.inFront.shown)")
        }
        let wasReachable = start.isReachable || answered(before: start)
        // A damaged manifest that is valid by chance is an answer too.
        let mayBeReachable = wasReachable || isRecent(answers.lastPossible, before: start)
        decideClock(of: start, end, wasReachable: wasReachable, mayBeReachable: mayBeReachable)
        // A touch in the very moment in which the clock runs out comes too late.
        if end == .failed, let touched = start.touchedAt, life.now - touched > .milliseconds(50) {
            disagree(
                .clockTouched, start.version, allowed: "an unclear end, because the page was touched",
                actual: "a failed start")
        } else if end == .failed, !mayBeReachable {
            disagree(
                .clockUnreachable, start.version,
                allowed: "an unclear end, because the origin was not reachable", actual: "a failed start")
        } else if end == .unclear, wasReachable, !start.isTouched, answers.lastPossible == answers.lastGood,
            answers.lastGoodProcess == life.process
        {
            // That the origin answered a process before is not kept.
            disagree(
                .clock, start.version, allowed: "a failed start: reachable and untouched",
                actual: "an unclear end")
        }
    }

    /// Which reasons for an unclear end by the clock are compared.
    private mutating func decideClock(
        of start: Start, _ end: Start.End, wasReachable: Bool, mayBeReachable: Bool
    ) {
        if start.isTouched { decide(.clockTouched) }
        if !mayBeReachable { decide(.clockUnreachable) }
        if end == .unclear, wasReachable, !start.isTouched { decide(.clock) }
    }

    /// The launch checks before the only version is started.
    private mutating func compareWait(beforeID id: String) {
        decide(.otherEnds)
        if broken.mustCheck(beforeID: id) { decide(.twoEnds) }
        if broken.mayCheck(beforeID: id) { return }
        disagree(
            .otherEnds, report.current, allowed: "the only version is started at once",
            actual: "the launch checks first")
    }

    /// Least time in front that a start has of a version that has confirmed on this build: twice the longest
    /// that it took, at most two minutes.
    private func knownClock(of version: Version) -> TimeSpan {
        min(good.longestStart(of: version) * 2, .minutes(2))
    }

    /// Least time in front that any start has.
    func clock(of start: Start) -> TimeSpan {
        // A setting that changes as the start begins reaches it or not.
        let timeout = max(min(start.startupTimeout, app.settings.startupTimeout), .seconds(5))
        return start.isSecondChance ? max(timeout * 3, .seconds(60)) : timeout
    }

    private func answered(before start: Start) -> Bool { isRecent(answers.lastGood, before: start) }

    private func isRecent(_ answer: Instant?, before start: Start) -> Bool {
        answer.map { $0 >= start.begunAt - .minutes(1) } ?? false
    }
}

/// Log causes after which what is stored is not determined by what happened.
enum Trouble {
    static let causes = [
        "record-lost", "record-fell-back", "record-not-written", "record-newer-format", "store-in-use",
        "store-unavailable", "content-damaged", "read-failed", "no-space", "disk-failed", "start-not-marked",
    ]
}

extension Start.End {
    /// The end that a log entry with this cause reports; nil if it reports none.
    init?(cause: String) {
        switch cause {
        case "start-confirmed": self = .confirmed
        case "start-failed-by-page", "start-failed-by-crash", "start-failed-not-responding",
            "start-failed-web-process", "start-failed-by-clock":
            self = .failed
        case "start-unclear", "start-unclear-by-clock": self = .unclear
        case "start-ended-in-front": self = .inFront
        case "start-uncounted": self = .uncounted
        default: return nil
        }
    }

    var text: String {
        switch self {
        case .confirmed: "confirmed"
        case .failed: "failed"
        case .unclear: "unclear"
        case .uncounted: "uncounted"
        case .inFront: "in front"
        }
    }
}
