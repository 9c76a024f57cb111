import Core

/// Page loads: which version answers them, and what happens to them (S1, U6, R2).
extension Updater {
    /// A web view requests an index.
    mutating func pageLoadRequested(_ token: PageLoadToken, _ moment: Moment) {
        let request = PageLoadRequest(token: token, moment: moment)
        pages.add(request)
        if !request.isOtherWebView { webProcesses.firstPageLoads() }
        guard store.isOpen, !isVerifying, switching.launchWait == nil else { return }
        answerOrDefer(request)
    }

    /// Answers the page loads that arrived while something else had to be decided first.
    mutating func answerWaitingPageLoads() {
        for request in pages.undecided { answerOrDefer(request) }
    }

    private var isVerifying: Bool {
        store.retry.isVerification || jobs.isVerifyingForPage
    }

    /// Answers a page load, or leaves it waiting; called again when what it waits for is available.
    mutating func answerOrDefer(_ request: PageLoadRequest) {
        if request.moment == .reload, let pending = record.pending, settings.switchesOnReload,
            record.wait == nil, canStart(pending), !isWithinSwitchLimit(pending)
        {
            refuseSwitch(to: pending)
        }
        guard let key = versionToServe(for: request) else { return answerWithNothing(request) }
        if needsVerification(key) {
            if !isVerifying { jobs.add(.verify(VersionVerification(key: key, purpose: .page))) }
            return
        }
        serve(key, for: request)
    }

    /// Nothing that may be shown is complete. In the first web view the user gets a screen that offers a way
    /// on instead of a cover without end (R9, R1), and what is missing is looked for.
    private mutating func answerWithNothing(_ request: PageLoadRequest) {
        effects.append(.answerPageLoad(request.token, nil))
        _ = pages.takeRequest(request.token)
        endCoverClock(request.token)
        guard !request.isOtherWebView, !cover.isRecoveryShown else { return }
        if hasNothingToShow, cover.isMissingContentShown { return }
        showNothingLeft()
        if settings.updates == .automatic { requestCheck(.own) }
    }

    private func versionToServe(for request: PageLoadRequest) -> VersionKey? {
        if let userChoice = selection.userChoice, request.moment == .commanded { return userChoice }
        let isAllowed = isSwitchMoment(request.moment)
        if !isAllowed, let keptVersion { return keptVersion }
        if let pending = record.pending, activatesPending(request.moment), canStart(pending),
            !selection.hasAbandoned(pending)
        {
            return pending
        }
        if let choice = selection.choice, choice.key == record.current || !choice.activatesPending {
            return choice.key
        }
        if let current = record.current, canStart(current) { return current }
        return recoveryVersion(excluding: [])
    }

    /// The version that a navigation stays with. A page in use stays with its version until the rescue (R3),
    /// and a recalled version that runs stays until a moment that may switch (U13), because following a link
    /// must not switch.
    private var keptVersion: VersionKey? {
        if starts.isRescuePostponed, let run = starts.run, version(run.key) != nil, !isDamaged(run.key) {
            return run.key
        }
        guard let run = starts.run, run.key == record.current, record.isRecalled(run.key),
            pages.isShown(run.key), version(run.key) != nil, !isDamaged(run.key)
        else { return nil }
        return run.key
    }

    private func isSwitchMoment(_ moment: Moment) -> Bool {
        switch moment {
        case .processStart, .commanded: true
        case .reload: settings.switchesOnReload
        case .navigation, .otherWebView, .webProcessRestart: false
        }
    }

    /// U6: the moments at which the pending version becomes current.
    private func activatesPending(_ moment: Moment) -> Bool {
        switch moment {
        case .processStart, .commanded: selection.choice?.activatesPending ?? false
        case .reload:
            settings.switchesOnReload && record.wait == nil
                && record.pending.map(isWithinSwitchLimit) ?? false
        case .otherWebView, .navigation, .webProcessRestart: false
        }
    }

    /// Makes the version current if it is not, starts it, and answers the page load.
    private mutating func serve(_ key: VersionKey, for request: PageLoadRequest) {
        pages.choose(key, for: request.token)
        if request.moment == .commanded { selection.endUserChoice() }
        if starts.isRescuePostponed, let run = starts.run, run.key == key, run.hasEnded {
            return serveEndedVersion(request, key)
        }
        let isSwitch = key != record.current
        if isSwitch { makeCurrent(key, "moment=\(request.moment.rawValue)") }
        if isSwitch, request.moment == .reload { recordRequestedSwitch(to: key) }
        selection.choice = nil
        if let running = starts.run, running.key == key, !running.hasEnded {
            starts.run?.loads.append(request.token)
            if isSwitch { commit(then: .answer(request.token)) } else { answerWhenDurable(request.token) }
            return
        }
        abandonStart(for: key)
        if record.isProven(key) {
            startProven(key, request, isSwitch)
        } else {
            recordStart(key, request)
        }
    }

    /// Answers a page load that changes nothing. The record that it needs, of the start that it joins (R2) or
    /// of the switch before it (U6), may still wait for its sync.
    private mutating func answerWhenDurable(_ token: PageLoadToken) {
        let start = record.openStart
        let current = record.current
        let isDurable = durable.openStart == start && durable.current == current
        guard jobs.hasCommit, !isDurable else { return answer(token) }
        let isJoined = jobs.joinBegunCommit(.answer(token)) { written in
            written.openStart == start && written.current == current
        }
        if !isJoined { commit(then: .answer(token)) }
    }

    /// Serves one more page of a version whose start has ended, because the rescue waits for its moment.
    private mutating func serveEndedVersion(_ request: PageLoadRequest, _ key: VersionKey) {
        _ = pages.takeRequest(request.token)
        guard let version = version(key) else {
            effects.append(.answerPageLoad(request.token, nil))
            return
        }
        starts.run?.loads.append(request.token)
        pages.answer(request, with: key)
        effects.append(.answerPageLoad(request.token, versions.files(of: version)))
        beginCoverClock(request.token)
    }

    mutating func makeCurrent(_ key: VersionKey, _ detail: String) {
        let previous = record.current
        // Content that is fetched again because it is damaged is no new offer (U8).
        if let previous, !isDamaged(previous) { record.recordLeft(previous) }
        record.leftVersions.removeAll { $0 == key }
        let isUpdate = record.pending == key
        if isUpdate {
            if record.wait != nil { log(.secondChance, key) }
            record.pending = nil
            record.wait = nil
        }
        if download?.table.key == key { download?.isTakenUp = true }
        record.current = key
        record.currentSince = originNow
        // A version that only this process can't read returns with the next one.
        if !isUpdate, let previous, isUnreadable(previous), record.pending == nil {
            record.pending = previous
        }
        log(.switched, key, detail)
    }

    private mutating func startProven(_ key: VersionKey, _ request: PageLoadRequest, _ isSwitch: Bool) {
        starts.beginWithoutClock(key, request.token, at: now)
        if key != record.embedded { changeStartsFile { $0.countStart(key) } }
        isSwitch ? commit(then: .answer(request.token)) : answerWhenDurable(request.token)
    }

    /// R2: the start record is on disk before the index is served.
    private mutating func recordStart(_ key: VersionKey, _ request: PageLoadRequest) {
        let isSecondChance = record.startHistory(of: key).needsSecondChance
        let clock = startupClock(of: key, isSecondChance: isSecondChance)
        starts.run = StartRun(
            key: key, token: request.token, at: now, isProven: false, isSecondChance: isSecondChance,
            clock: clock
        )
        record.openStart = OpenStart(
            key: key, native: record.native, boot: launch?.bootID, token: request.token,
            isSecondChance: isSecondChance, isReachable: isReachable)
        record.update(key) { $0.hasStarted = true }
        log(.startMarked, key, isSecondChance ? "second chance" : "")
        commit(then: .answer(request.token))
    }

    /// Sends the answer; everything that it needs is durable. If another version has become current while it
    /// waited for the disk (another page has called for the switch), the version is chosen anew: the one that
    /// was chosen is not shown, and the other one gets a start of its own (R2, R4).
    mutating func answer(_ token: PageLoadToken) {
        if let request = pages.request(token), let chosen = request.chosen, chosen != record.current {
            pages.choose(nil, for: token)
            return answerOrDefer(request)
        }
        // Its web view may have given it up; a switch that it has caused stays (U6).
        guard let request = pages.takeRequest(token) else { return announceCurrent() }
        guard let key = record.current, let version = version(key) else {
            effects.append(.answerPageLoad(token, nil))
            return
        }
        pages.answer(request, with: key)
        effects.append(.answerPageLoad(token, versions.files(of: version)))
        announceCurrent()
        beginCoverClock(token)
    }

    /// The start record could not be written (R2): a version that is good is started without one. Another one
    /// is not started; what was current before is, if it is good, else the next of the recovery chain.
    mutating func startWithoutRecord(_ token: PageLoadToken) {
        guard let unmarked = record.current else { return answer(token) }
        guard record.openStart?.key == unmarked else { return answer(token) }
        record.openStart = nil
        starts.run = nil
        log(.startNotMarked, unmarked)
        if record.isGood(unmarked) {
            starts.beginWithoutClock(unmarked, token, at: now)
            return answer(token)
        }
        let lasting = lastingRecord
        let previous = lasting.current.flatMap { key in
            key != unmarked && lasting.isGood(key) && canStart(key) ? key : nil
        }
        let next = previous ?? recoveryVersion(excluding: [unmarked])
        if lasting.pending == unmarked {
            record.pending = unmarked
            record.wait = lasting.wait
        }
        selection.abandon(unmarked)
        record.current = next
        pages.choose(next, for: token)
        if let next {
            starts.beginWithoutClock(next, token, at: now)
        } else {
            show(.recovery)
        }
        answer(token)
    }

    mutating func announceCurrent() {
        let key = runningKey
        guard status.announce(current: key) else { return }
        effects.append(.current(key.flatMap { version($0) }.map { versions.files(of: $0) }))
    }

    // MARK: Events of a page load

    mutating func page(_ token: PageLoadToken, _ event: PageEvent) {
        switch event {
        case .confirmed: confirm(token)
        case .closed: pagesChange { $0.closePage(token) }
        case .committed: pagesChange { $0.pageCommitted(token) }
        case .left: pagesChange { $0.pageLeft(token) }
        case .stays: beginCoverClock(token)
        case .elsewhere(let isDue):
            pagesChange { $0.pages.leaveForElsewhere() }
            showsElsewhere(token, isDue: isDue)
        case .indexServed:
            if belongsToStart(token) { startChanged { $0.isServed = true } }
            noteStart()
        case .sending(let isSending): if belongsToStart(token) { sendingChanged(isSending) }
        case .contentShown:
            contentShown(token)
            if belongsToStart(token) { startChanged { $0.hasContent = true } }
        case .touched: if belongsToStart(token) { pageTouched() }
        case .loaded: pageLoaded(token)
        case .failed(let text): pageFailed(token, text)
        case .reportedError(let text): pageReportedError(token, text)
        case .webProcessDied: webProcessDied(token)
        }
    }

    func belongsToStart(_ token: PageLoadToken) -> Bool { starts.run?.loads.contains(token) ?? false }

    /// A page comes or goes, and with it, perhaps, what the start's clock counts (R3).
    private mutating func pagesChange(_ change: (inout Updater) -> Void) {
        let wasHidden = isStartHidden
        change(&self)
        guard isStartHidden != wasHidden else { return }
        updateClock()
        noteStart()
    }

    /// The document is in front. One that comes back has its time for first content anew (R13).
    private mutating func pageCommitted(_ token: PageLoadToken) {
        let isBack = pages.page(token)?.isLeft == true
        pages.show(token)
        watchAfterLoad(token)
        if isBack { beginCoverClock(token) }
    }

    /// The document is in the background: what it does not show there says nothing.
    private mutating func pageLeft(_ token: PageLoadToken) {
        pages.leave(token)
        endWatch(of: token)
        endCoverClock(token)
    }

    private mutating func closePage(_ token: PageLoadToken) {
        endCoverClock(token)
        _ = pages.takeRequest(token)
        guard let key = pages.close(token), record.entry(key) == nil, key != record.embedded else { return }
        effects.append(.retired(key))
        removeVersions { $0.key == key }
        scheduleGarbageCollection()
    }
}
