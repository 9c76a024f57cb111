import Core
import HTTP1

/// Asking the origin: wishes join, one request at a time, failures wait longer each time (U4, U5, U14).
extension Updater {
    mutating func wish(_ reason: CheckReason) {
        guard isAllowed(reason) else { return log(.updatesOff, nil, "wish=\(reason.rawValue)") }
        if reason == .push, !inForeground { isPushed = true }
        guard phase == .running else {
            if phase == .opening || phase == .waiting { wishesCheck = reason }
            openAgain()
            return
        }
        wakePaces(for: reason)
        if isOriginWaiting, reason != .user {
            log(.originAskedToWait, nil, "wish=\(reason.rawValue)")
            isCheckOwed = true
            return scheduleRetry()
        }
        if check != nil {
            // The user's wish is worth more than any other: it ends a parking.
            if wishesCheck != .user { wishesCheck = reason }
            log(.checkJoined, nil, "wish=\(reason.rawValue)")
            return
        }
        ask(reason, .offer)
    }

    /// U5: what ends a sleep, and what is only one try out of turn.
    private mutating func wakePaces(for reason: CheckReason) {
        switch reason {
        case .launch, .foreground, .push: resetPaces()
        case .page, .user, .app: wakePaces()
        case .own: break
        }
    }

    private func isAllowed(_ reason: CheckReason) -> Bool {
        switch settings.updates {
        case .automatic, .manual: true
        // Where nothing can be shown there is no page that could ask.
        case .page: reason == .page || (reason == .user && record.current == nil && choice == nil)
        case .never: false
        }
    }

    mutating func ask(_ reason: CheckReason, _ purpose: CheckRun.Purpose) {
        let id = newTransfer()
        checkAttempts += 1
        lastCheck = now
        var fields: HeaderFields = ["Accept-Encoding": "identity"]
        // After something that is not what was announced no cache on the way is asked.
        if download?.bypassesCache == true || bypassesCache {
            fields.append("Cache-Control", "no-cache")
        }
        addTarget(to: &fields)
        let request = OriginRequest(
            kind: .manifest, url: manifestURL, fields: fields, attempt: checkAttempts)
        check = CheckRun(id: id, request: request, reason: reason, purpose: purpose, lastProgress: now)
        effects.append(.fetch(id, request))
        effects.append(.setTimer(.idle(id), after: settings.connectTimeout))
        scheduleRetry()
    }

    mutating func newTransfer() -> TransferID {
        defer { nextTransfer += 1 }
        return TransferID(nextTransfer)
    }

    var manifestURL: String {
        guard settings.dialect == .meteor else { return settings.origin }
        return settings.origin + (settings.origin.hasSuffix("/") ? "" : "/") + "__cordova/manifest.json"
    }

    /// What an origin needs to choose a version for this device (manifests.md, F8).
    private func addTarget(to fields: inout HeaderFields) {
        fields.append("OTA-App", settings.app)
        fields.append("OTA-Device", record.device)
        fields.append("OTA-Channel", settings.channel)
        fields.append("OTA-Native-Build", record.native)
        if let current = record.current { fields.append("OTA-Running", current.id) }
        if let cohort = settings.cohort { fields.append("OTA-Cohort", cohort) }
        if let user = settings.user { fields.append("OTA-User", user) }
    }

    // MARK: The answer

    mutating func received(_ part: TransferEvent, of id: TransferID, _ disk: inout some Disk) {
        if case .bytes = part { forcedWaitProgressed() }
        if check?.id == id {
            checkReceived(part)
        } else if outcomeRun?.id == id {
            outcomesReceived(part)
        } else {
            downloadReceived(part, of: id, &disk)
        }
    }

    private mutating func checkReceived(_ part: TransferEvent) {
        check?.lastProgress = now
        switch part {
        case .head(let status, let fields):
            checkHead(status, fields)
        case .bytes(let bytes):
            check?.body.append(contentsOf: bytes)
            if let count = check?.body.count, count > settings.limits.manifestBytes { tooLong(count) }
        case .end: checkEnded()
        case .failed(let failure): checkFailed(.checkFailed, failure.rawValue)
        }
    }

    private mutating func checkHead(_ status: Int, _ answer: HeaderFields) {
        check?.status = status
        check?.date = answer.date
        check?.announced = answer.contentLength
        if StatusCode(status).isTransient { check?.retryAfter = answer.retryAfter(answer.date) }
        setIdle()
        if Redirects.isRedirect(status) { return checkRedirected(answer) }
        if status == 200, let coding = answer.coding {
            return checkRefused(.codingRefused, "coding=\(coding.prefix(40))")
        }
        if let length = answer.contentLength, length > settings.limits.manifestBytes { tooLong(length) }
    }

    private mutating func checkRedirected(_ answer: HeaderFields) {
        guard var run = check else { return }
        do {
            try follow(answer, &run.id, &run.request, &run.redirects)
            run.status = 0
            check = run
        } catch {
            checkRefused(error.cause, error.detail)
        }
    }

    /// The answer is not to be read to its end.
    private mutating func checkRefused(_ cause: LogCause, _ detail: String) {
        guard let id = check?.id else { return }
        effects.append(.cancelFetch(id))
        checkFailed(cause, detail)
    }

    private mutating func setIdle() {
        guard let id = check?.id else { return }
        effects.append(.setTimer(.idle(id), after: settings.idleTimeout))
    }

    private mutating func tooLong(_ bytes: Int) {
        checkRefused(.manifestTooLarge, "bytes=\(bytes)")
    }

    mutating func checkIsIdle() {
        guard let run = check else { return }
        let limit = run.status == 0 ? settings.connectTimeout : settings.idleTimeout
        let silent = now - run.lastProgress
        guard silent >= limit else {
            effects.append(.setTimer(.idle(run.id), after: limit - silent))
            return
        }
        checkRefused(.checkFailed, "silent for \(silent.microseconds / 1_000_000) s")
    }

    private mutating func checkEnded() {
        guard let run = check else { return }
        switch run.status {
        case 200:
            if let announced = run.announced, announced != run.body.count {
                return checkFailed(.lengthMismatch, "bytes=\(run.body.count) announced=\(announced)")
            }
            do {
                let table = try ManifestReader(dialect: settings.dialect, limits: settings.limits).read(
                    run.body)
                finishCheck(run)
                run.purpose == .offer ? decide(table, run) : confirmOffer(table, run)
            } catch {
                return checkFailed(error.cause, error.detail)
            }
        case 204, 304:
            finishCheck(run)
            log(.nothingOffered)
            // What is being fetched can't be gone on with: nobody offers it any more.
            if run.purpose == .confirmation || download?.needsManifest == true {
                dropDownload(.manifestChanged)
            }
        default:
            return checkFailed(.statusRefused, "manifest status=\(run.status)")
        }
        afterCheck()
    }

    /// What waited for the check goes on; where its answer said nothing about a download that needs one, that
    /// was a try without success.
    private mutating func afterCheck() {
        if download?.needsManifest == true { checkTryFailed() } else { checkPace.reset() }
        nextWish()
        fetchMore()
        scheduleRetry()
        reportOutcomes()
    }

    private mutating func finishCheck(_ run: CheckRun) {
        effects.append(.cancelTimer(.idle(run.id)))
        check = nil
        lastGoodAnswer = now
        isCheckOwed = false
        bypassesCache = false
        checkAttempts = 0
        learn(run.date)
        noteReachable()
        // The time alone is not worth a write: it travels with the next one.
        let before = record
        dateUndated()
        dropOldSwitches()
        endOldEntries()
        if record != before { commit() }
    }

    /// R3: the open start has a reachable origin; kept over a process death, without a sync.
    private mutating func noteReachable() {
        guard let open = record.openStart, start?.key == open.key, !startsNote.wasReachable(open.token) else {
            return
        }
        startsNote.isReachable(open.token)
        urgent.append(.note)
    }

    private mutating func checkFailed(_ cause: LogCause, _ detail: String) {
        guard let run = check else { return }
        effects.append(.cancelTimer(.idle(run.id)))
        check = nil
        bypassesCache = run.status == 200
        log(cause, nil, "check: \(detail)")
        effects.append(.notice(.error(cause, detail)))
        if record.current == nil, choice == nil { effects.append(.screen(.offline)) }
        originWishes(run.retryAfter)
        checkTryFailed()
        isCheckOwed = true
        nextWish()
        fetchMore()
        scheduleRetry()
    }

    private mutating func nextWish() {
        guard check == nil, let reason = wishesCheck else { return }
        wishesCheck = nil
        wish(reason)
    }

    mutating func secondLookTime() {
        guard secondLook != nil else { return }
        wish(.own)
    }

    // MARK: The device

    mutating func networkChanged(_ state: NetworkState) {
        let former = network
        network = state
        guard phase == .running, former != state else { return }
        if record.current == nil, choice == nil {
            effects.append(.screen(state == .offline ? .offline : .loading(shownProgress)))
        }
        guard state != .offline else { return }
        resetPaces()
        if former != .offline { applyDataPolicy() }
        if download != nil || isCheckOwed { retryTime() } else if record.current == nil { wish(.own) }
    }

    mutating func cameToFront() {
        inForeground = true
        isPushed = false
        startsNoteForeground()
        updateClock()
        let away = backgroundSince.map { now - $0 } ?? .zero
        backgroundSince = nil
        guard phase == .running else {
            if isOpeningPutOff, settings.updates == .automatic { wishesCheck = wishesCheck ?? .foreground }
            reloadDeadPages()
            return openAgain()
        }
        if settings.switchesOnReturn, away >= .minutes(30) { switchUnasked(.longAbsence) }
        reloadDeadPages()
        let isDue = lastCheck.map { now - $0 >= .minutes(15) } ?? true
        if settings.updates == .automatic, isDue { wish(.foreground) }
        resetPaces()
        retryTime()
    }

    mutating func wentToBack() {
        inForeground = false
        backgroundSince = now
        updateClock()
        if originWait != nil { noteOriginWait() }
        if let run = start, run.isOpen, !run.isProven, let open = record.openStart {
            startsNote.isInBackground(run.front.isSpent(at: now) ? nil : open.token)
            urgent.append(.note)
        }
        guard isRescuePutOff else { return switchToForced() }
        isRescuePutOff = false
        loadRescue()
    }

    private mutating func startsNoteForeground() {
        guard startsNote.background != nil else { return }
        startsNote.isInBackground(nil)
        urgent.append(.note)
    }

    /// Time that the process stood still is nobody's silence (N3).
    mutating func suspend(_ isSuspended: Bool) {
        if isSuspended, suspendedSince == nil { suspendedSince = now }
        if !isSuspended, let since = suspendedSince {
            let span = now - since
            suspendedSince = nil
            if let last = check?.lastProgress { check?.lastProgress = last + span }
            for place in download?.transfers.indices ?? 0..<0 { download?.transfers[place].sleep(span) }
        }
        self.isSuspended = isSuspended
        updateClock()
    }
}
