import Core

/// Page loads: which version answers, and what becomes of it (S1, U6, R2).
extension Updater {
    mutating func pageLoadAsked(_ token: PageLoadToken, _ moment: Moment) {
        let ask = PageReloadRequest(token: token, moment: moment)
        asks.append(ask)
        if !ask.isBeside { deadPages.first = false }
        guard phase == .running || phase == .withoutStore, !isVerifying, forcedWait == nil else { return }
        consider(ask)
    }

    /// What came while something else had to be settled first.
    mutating func considerWaiting() {
        for ask in asks where !ask.isTaken { consider(ask) }
    }

    private var isVerifying: Bool {
        urgent.contains { job in if case .verify = job { true } else { false } }
    }

    /// Decides an ask; called again when what it waited for is there.
    mutating func consider(_ ask: PageReloadRequest) {
        if ask.moment == .reload, let pending = record.pending, settings.switchesOnReload,
            record.wait == nil, canStart(pending), !mayBeAskedFor(pending)
        {
            refuseSwitch(to: pending)
        }
        guard let key = target(of: ask) else {
            effects.append(.answerPageLoad(ask.token, nil))
            asks.removeAll { $0.token == ask.token }
            return
        }
        if needsVerification(key) {
            if !isVerifying { urgent.append(.verify(VersionCheck(key: key, purpose: .page))) }
            return
        }
        take(key, for: ask)
    }

    private func target(of ask: PageReloadRequest) -> VersionKey? {
        if let userChoice, ask.moment == .commanded { return userChoice }
        let isSwitchMoment = isMoment(ask.moment)
        if !isSwitchMoment, let staying { return staying }
        if let pending = record.pending, takesPending(ask.moment), canStart(pending),
            !leftHere.contains(pending)
        {
            return pending
        }
        if let choice, choice.key == record.current || !choice.takesPending { return choice.key }
        if let current = record.current, canStart(current) { return current }
        return chain(without: [])
    }

    /// A page in use stays with its version until the rescue's moment (R3), and what runs stays though it is
    /// recalled until a moment that may switch (U13): a link must not be one.
    private var staying: VersionKey? {
        if isRescuePutOff, let run = start, version(run.key) != nil, !isDamaged(run.key) { return run.key }
        guard let run = start, run.key == record.current, record.isRecalled(run.key),
            version(run.key) != nil, !isDamaged(run.key)
        else { return nil }
        return run.key
    }

    private func isMoment(_ moment: Moment) -> Bool {
        switch moment {
        case .processStart, .commanded: true
        case .reload: settings.switchesOnReload
        case .navigation, .otherWebView, .webProcessRestart: false
        }
    }

    /// U6: the moments at which pending becomes current.
    private func takesPending(_ moment: Moment) -> Bool {
        switch moment {
        case .processStart: choice?.takesPending ?? false
        case .reload:
            settings.switchesOnReload && record.wait == nil && record.pending.map(mayBeAskedFor) ?? false
        case .commanded, .navigation, .otherWebView, .webProcessRestart: false
        }
    }

    private mutating func take(_ key: VersionKey, for ask: PageReloadRequest) {
        if let place = asks.firstIndex(where: { $0.token == ask.token }) { asks[place].isTaken = true }
        if ask.moment == .commanded { userChoice = nil }
        if isRescuePutOff, let run = start, run.key == key, run.hasEnded { return goOn(ask, key) }
        let isSwitch = key != record.current
        if isSwitch { makeCurrent(key, "moment=\(ask.moment.rawValue)") }
        if isSwitch, ask.moment == .reload { noteAskedSwitch(to: key) }
        choice = nil
        if let running = start, running.key == key, !running.hasEnded {
            start?.loads.append(ask.token)
            isSwitch ? commit(then: .answer(ask.token)) : answer(ask.token)
            return
        }
        leaveStart(for: key)
        if record.isProven(key) {
            startProven(key, ask, isSwitch)
        } else {
            markStart(key, ask)
        }
    }

    /// One more page of a version whose start has ended: the rescue waits for its moment.
    private mutating func goOn(_ ask: PageReloadRequest, _ key: VersionKey) {
        asks.removeAll { $0.token == ask.token }
        guard let version = version(key) else {
            effects.append(.answerPageLoad(ask.token, nil))
            return
        }
        start?.loads.append(ask.token)
        pages.append(OpenPage(token: ask.token, key: key, isBeside: ask.isBeside))
        effects.append(.answerPageLoad(ask.token, served(version)))
    }

    mutating func makeCurrent(_ key: VersionKey, _ detail: String) {
        if let former = record.current { record.remember(left: former) }
        if record.pending == key {
            if record.wait != nil { log(.secondChance, key) }
            record.pending = nil
            record.wait = nil
        }
        record.current = key
        log(.switched, key, detail)
    }

    private mutating func startProven(_ key: VersionKey, _ ask: PageReloadRequest, _ isSwitch: Bool) {
        start = StartRun(
            key: key, token: ask.token, at: now, isProven: true, isSecondChance: false, clock: .zero)
        if key != record.embedded {
            startsNote.count(key)
            urgent.append(.note)
        }
        isSwitch ? commit(then: .answer(ask.token)) : answer(ask.token)
    }

    /// R2: the mark is on disk before the index is served.
    private mutating func markStart(_ key: VersionKey, _ ask: PageReloadRequest) {
        let isSecondChance = record.marks(key).failures > 0
        let timeout = max(settings.startupTimeout, .seconds(5))
        let clock = isSecondChance ? max(timeout * 3, .seconds(60)) : timeout
        start = StartRun(
            key: key, token: ask.token, at: now, isProven: false, isSecondChance: isSecondChance, clock: clock
        )
        record.openStart = OpenStart(
            key: key, native: record.native, boot: launch?.bootID, token: ask.token,
            isSecondChance: isSecondChance, isReachable: isReachable)
        record.update(key) { $0.hasStarted = true }
        startsNote.isInBackground(inForeground ? nil : ask.token)
        log(.startMarked, key, isSecondChance ? "second chance" : "")
        commit(then: .answer(ask.token))
        if !inForeground { urgent.append(.note) }
    }

    /// The answer goes out; everything it needed is durable.
    mutating func answer(_ token: PageLoadToken) {
        guard let ask = asks.first(where: { $0.token == token }) else { return }
        asks.removeAll { $0.token == token }
        guard let key = record.current, let version = version(key) else {
            effects.append(.answerPageLoad(token, nil))
            return
        }
        pages.append(OpenPage(token: token, key: key, isBeside: ask.isBeside))
        effects.append(.answerPageLoad(token, served(version)))
        tellCurrent()
    }

    /// The mark could not be written: that version is not started; the next good one of the chain is, without
    /// a mark (R2).
    mutating func startWithoutMark(_ token: PageLoadToken) {
        guard let unmarked = record.current else { return answer(token) }
        guard record.openStart?.key == unmarked else { return answer(token) }
        record.openStart = nil
        start = nil
        log(.startNotMarked, unmarked)
        let next = chain(without: [unmarked])
        if durable.pending == unmarked {
            record.pending = unmarked
            record.wait = durable.wait
        }
        leftHere.append(unmarked)
        record.current = next ?? durable.current
        if let next {
            start = StartRun(
                key: next, token: token, at: now, isProven: true, isSecondChance: false, clock: .zero)
        } else {
            record.current = nil
            effects.append(.screen(.recovery))
        }
        answer(token)
    }

    mutating func tellCurrent() {
        let key = choice?.key ?? record.current
        guard key != lastCurrent else { return }
        lastCurrent = key
        effects.append(.current(key.flatMap { version($0) }.map { served($0) }))
    }

    // MARK: What becomes of a page load

    mutating func page(_ token: PageLoadToken, _ event: PageEvent) {
        switch event {
        case .confirmed: confirm(token)
        case .closed: close(token)
        case .committed:
            if let place = pages.firstIndex(where: { $0.token == token }) { pages[place].isCommitted = true }
        case .indexServed: if ofStart(token) { startChanged { $0.isServed = true } }
        case .sending(let isSending): if ofStart(token) { sending(isSending) }
        case .contentShown: if ofStart(token) { startChanged { $0.hasContent = true } }
        case .touched: if ofStart(token) { touched() }
        case .loaded: loaded(token)
        case .failed(let text): pageFailed(token, text)
        case .webProcessDied: webProcessDied(token)
        }
    }

    func ofStart(_ token: PageLoadToken) -> Bool { start?.loads.contains(token) ?? false }

    private mutating func close(_ token: PageLoadToken) {
        guard let place = pages.firstIndex(where: { $0.token == token }) else { return }
        let key = pages[place].key
        pages.remove(at: place)
        guard !pages.contains(where: { $0.key == key }) else { return }
        if record.entry(key) == nil, key != record.embedded {
            effects.append(.retired(key))
            versions.removeAll { $0.key == key }
            scheduleSweep()
        }
    }
}
