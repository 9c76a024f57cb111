import Backend
import Core

/// R3, R9, U6: the version that a page load gets.
extension ReferenceModel {
    mutating func pageLoad(_ version: Version, _ token: PageLoadToken, view: Int) {
        compareOpenStart()
        compareConsequence(with: version)
        switch moments.last {
        case nil: compareProcessStart(version)
        case version: compareStay(at: version, view)
        case let last?: compareSwitch(from: last, to: version)
        }
        if let wait, wait.version == version { self.wait = nil }
        abandonStarts(except: version)
        obligations.removeAll { $0.version != version }
        beginOrContinueStart(version, token)
        moments.loaded(version)
    }

    /// A page load of another version begins. What R13 counts of these starts, it counts once for each.
    private mutating func abandonStarts(except version: Version) {
        for index in starts.indices where starts[index].version != version && !starts[index].isAbandoned {
            starts[index].isAbandoned = true
            let start = starts[index]
            guard start.process == life.process, start.end == nil, start.failureReportedAt != nil else {
                continue
            }
            broken.add(start.version, mayBeBroken: true, isBroken: false)
        }
    }

    private mutating func beginOrContinueStart(_ version: Version, _ token: PageLoadToken) {
        let index = starts.lastIndex { $0.version == version && $0.process == life.process }
        let isOver =
            index.map {
                starts[$0].end != nil && starts[$0].end != .confirmed || starts[$0].isAbandoned
            } ?? true
        // While a page in use keeps its version, its page loads begin no start of it.
        if let index, !isOver || moments.postponedRescue == version.id {
            starts[index].loads.append(token)
            starts[index].mayBeAbandoned = false
            return
        }
        var start = Start(
            version: version, process: life.process, begunAt: life.now, loads: [token],
            isSecondChance: histories.first { $0.version == version }?.needsSecondChance ?? false,
            startupTimeout: app.settings.startupTimeout)
        // That the origin answered a process before is not kept.
        let isOfProcess = answers.lastGoodProcess == life.process
        if isOfProcess, let last = answers.lastGood, life.now - last <= .minutes(1) {
            start.isReachable = true
        }
        starts.append(start)
    }

    // MARK: The recovery chain

    /// R9's chain, as far as the model knows it: last known good, the one before it, embedded.
    func chain(without excluded: [Version]) -> [Version] {
        [good.last, good.before, report.embedded].compactMap(\.self).filter {
            !excluded.contains($0) && !isRecalled($0) && !report.lists($0)
        }
    }

    /// Whether a version is in the chain as long as its recall has not reached the device.
    private func isUnknownRecall(_ version: Version) -> Bool {
        isRecalled(version) && (version == good.last || version == good.before)
    }

    // MARK: Process start

    private mutating func compareProcessStart(_ version: Version) {
        if let wait { advance(wait) }
        guard hasReported, !moments.isUsersChoice else { return }
        compareRecalledStart(version)
        compareSetAside(version)
        compareCheckFirst(version)
        guard let pending = report.pending else { return compareCurrent(version) }
        // A recall may be known to this process or not; one that became pending in it is taken or not.
        if isRecalled(pending) || moments.hasBecomePending { return }
        // A version that this start sets aside is pending for the next one, and reported so before the page
        // load if the record is durable by then.
        if pending.id == moments.setAside { return }
        if report.pendingWaits {
            guard let wait, wait.version == pending else { return }
            let clause: ModelClause =
                wait.isDue && !wait.rescuerConfirmed ? .waitingSecond : .waitingFirst
            // In between, the rules leave it to the app.
            if wait.isDue || !wait.mayBeDue { decide(clause) }
            if version == pending, !wait.mayBeDue {
                disagree(
                    clause, pending,
                    allowed: "it waits until the rescuing version has confirmed, or for the second process "
                        + "start",
                    actual: "it is started")
            } else if version != pending, wait.isDue {
                disagree(
                    clause, pending, allowed: "a process start takes it up",
                    actual: "another version is started")
            }
            return
        }
        decide(.processStart)
        if version != pending {
            disagree(
                .processStart, pending, allowed: "a process start takes the pending version",
                actual: "another version is started")
        }
    }

    private mutating func advance(_ wait: SecondChanceWait) {
        guard wait.since != life.process else { return }
        self.wait?.certainLaunches += 1
    }

    /// A version that must not be started is left for the chain, which is reported once it is durable.
    private mutating func compareCurrent(_ version: Version) {
        guard let current = report.current else { return }
        let isLeft = isRecalled(current) || report.lists(current) || moments.hasSetAside
        let clause = isLeft ? ModelClause.lastGood : .betweenLoads
        if version == current { return isLeft ? () : decide(clause) }
        let allowed = isLeft ? chain(without: [current]).first : current
        guard let allowed, !isUnknownRecall(version) else { return }
        if version == allowed { return decide(clause) }
        if isLeft, good.isBeforeUncertain, allowed != good.last { return }
        decide(clause)
        disagree(
            clause, version, allowed: "a page load gets \(allowed.id)",
            actual: "it gets \(version.id)")
    }

    // MARK: Moments

    /// U6: a page load of a running process shows another version than the last one.
    private mutating func compareSwitch(from last: Version, to version: Version) {
        guard !moments.isUsersChoice, !isRecalled(last) else { return }
        if moments.rescues.contains(last) { return compareRescue(from: last, to: version) }
        if moments.wasCalled { decide(.switchCall) } else if moments.hasReloaded { decide(.reload) }
        if isMomentToSwitch || moments.switched == version.id { return }
        if moments.wasCalled || isSwitchingReload {
            guard version == report.pending, report.pendingWaits else { return }
            decide(.waitingNotPending)
            return disagree(
                .waitingNotPending, version,
                allowed: "to a reload or a switch call nothing is pending", actual: "it is shown")
        }
        decide(.notNavigation)
        disagree(
            .notNavigation, version,
            allowed: "a version changes at a process start, a switch call, a reload, a push in background",
            actual: "it changes at a page load by \(moments.navigation?.kind ?? "other")")
    }

    /// Whether a switch is allowed that no page load causes.
    var isMomentToSwitch: Bool {
        moments.isPushed || moments.isLongReturn && app.settings.switchesOnReturn || moments.mayBeForced
            || moments.takesUpEnvironment
    }

    var isSwitchingReload: Bool {
        moments.navigation == Moments.Navigation(kind: "reload", view: Moments.firstView)
            && app.settings.switchesOnReload
    }

    /// U6: at a moment of the page's choice the pending version is taken.
    private mutating func compareStay(at version: Version, _ view: Int) {
        guard let pending = report.pending, pending != version else { return }
        let isMoment = moments.wasCalled || isSwitchingReload
        if report.pendingWaits {
            if isMoment { decide(.waitingNotPending) }
        } else if !isMoment, !isMomentToSwitch {
            decide(.notNavigation)
        }
        guard view == Moments.firstView,
            moments.wasCalled || (isSwitchingReload && moments.isNavigationKnown),
            !report.pendingWaits, !moments.isLimited, !moments.isHeldOff, !moments.rescues.contains(pending),
            !isRecalled(pending), !hasOtherAudience, pending.id != moments.setAside,
            moments.wasCalled ? moments.called == pending : true
        else { return }
        let clause = moments.wasCalled ? ModelClause.switchCall : .reload
        decide(clause)
        disagree(
            clause, pending,
            allowed: "it becomes current at this page load", actual: "another version is shown")
    }

    private mutating func compareRescue(from last: Version, to version: Version) {
        // One that waits for its second chance rescues only where nothing else can (R3).
        let waiting = wait.map { $0.isDue ? [] : [$0.version] } ?? []
        let first = chain(without: moments.rescues + waiting).first ?? chain(without: moments.rescues).first
        guard let first, !hasOtherAudience, !isUnknownRecall(version) else { return }
        if version == first { return decide(first == report.embedded ? .embedded : .lastGood) }
        if wait?.mayBeDue == true, version == chain(without: moments.rescues).first { return }
        // The process before may have ended before it reported what waits.
        let reported = report.pendingWaits ? [report.pending].compactMap(\.self) : []
        if wait == nil, version == chain(without: moments.rescues + reported).first { return }
        // One that was parked until this end is left out, or not.
        if version == chain(without: moments.rescues + parkedBefore).first { return }
        if good.isBeforeUncertain, first != good.last { return }
        // A newer version that became pending may be taken at the same moment, or by a page in use that calls
        // for it.
        if [report.pending, previousReport.pending, moments.called].contains(version) { return }
        let clause = version == report.embedded ? ModelClause.lastGood : .embedded
        decide(clause)
        disagree(
            clause, version,
            allowed: "the next of the recovery chain: \(first.id)", actual: "\(version.id) is shown")
    }
}
