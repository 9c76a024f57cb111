import Core

/// Asking the origin: wishes join, one request at a time, failures wait longer each time (U4, U5, U14).
extension Updater {
    mutating func wish(_ reason: CheckReason) {
        guard isAllowed(reason) else { return log(.updatesOff, nil, "wish=\(reason.rawValue)") }
        if reason == .push, !inForeground { isPushed = true }
        guard phase == .running else {
            if phase == .opening || phase == .waiting { wishesCheck = reason }
            return
        }
        if check != nil {
            wishesCheck = reason
            log(.checkJoined, nil, "wish=\(reason.rawValue)")
            return
        }
        if reason != .own { backoff.reset() }
        ask(reason, .offer)
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
        check = CheckRun(id: id, reason: reason, purpose: purpose, lastProgress: now)
        effects.append(.cancelTimer(.retry))
        effects.append(
            .fetch(
                id,
                OriginRequest(kind: .manifest, url: manifestURL, fields: targetFields, attempt: checkAttempts)
            ))
        effects.append(.setTimer(.idle(id), after: settings.connectTimeout))
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
    private var targetFields: [OriginField] {
        var fields = [
            OriginField("OTA-App", settings.app), OriginField("OTA-Device", record.device),
            OriginField("OTA-Channel", settings.channel), OriginField("OTA-Native-Build", record.native),
        ]
        if let current = record.current { fields.append(OriginField("OTA-Running", current.id)) }
        if let cohort = settings.cohort { fields.append(OriginField("OTA-Cohort", cohort)) }
        if let user = settings.user { fields.append(OriginField("OTA-User", user)) }
        return fields
    }

    // MARK: The answer

    mutating func received(_ part: TransferEvent, of id: TransferID, _ disk: inout some Disk) {
        if case .bytes = part { forcedWaitProgressed() }
        if outcomePost?.id == id { return outcomesReceived(part) }
        if check?.id == id { checkReceived(part) } else { downloadReceived(part, of: id, &disk) }
    }

    private mutating func checkReceived(_ part: TransferEvent) {
        check?.lastProgress = now
        switch part {
        case .head(let status, let fields):
            let answer = AnswerFields(fields)
            check?.status = status
            check?.date = answer.date
            check?.retryAfter = answer.retryAfter(answer.date)
            setIdle()
            if let length = answer.contentLength, length > settings.limits.manifestBytes { tooLong(length) }
        case .bytes(let bytes):
            check?.body.append(contentsOf: bytes)
            if let count = check?.body.count, count > settings.limits.manifestBytes { tooLong(count) }
        case .end: checkEnded()
        case .failed(let failure): checkFailed(.checkFailed, failure.rawValue)
        }
    }

    private mutating func setIdle() {
        guard let id = check?.id else { return }
        effects.append(.setTimer(.idle(id), after: settings.idleTimeout))
    }

    private mutating func tooLong(_ bytes: Int) {
        guard let id = check?.id else { return }
        effects.append(.cancelFetch(id))
        checkFailed(.manifestTooLarge, "bytes=\(bytes)")
    }

    mutating func checkIsIdle() {
        guard let run = check else { return }
        let limit = run.status == 0 ? settings.connectTimeout : settings.idleTimeout
        let silent = now - run.lastProgress
        guard silent >= limit else {
            effects.append(.setTimer(.idle(run.id), after: limit - silent))
            return
        }
        effects.append(.cancelFetch(run.id))
        checkFailed(.checkFailed, "silent for \(silent.microseconds / 1_000_000) s")
    }

    private mutating func checkEnded() {
        guard let run = check else { return }
        switch run.status {
        case 200:
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
            if run.purpose == .confirmation { dropDownload(.manifestChanged) }
        default:
            return checkFailed(.statusRefused, "manifest status=\(run.status)")
        }
        nextWish()
    }

    private mutating func finishCheck(_ run: CheckRun) {
        effects.append(.cancelTimer(.idle(run.id)))
        check = nil
        lastGoodAnswer = now
        isCheckOwed = false
        checkAttempts = 0
        if download == nil || run.purpose == .offer { backoff.reset() }
        if let date = run.date, record.originTime.map({ $0 < date }) ?? true { record.originTime = date }
        noteReachable()
        let before = record
        endOldEntries()
        if record != before { commit() }
        postOutcomes()
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
        log(cause, nil, "check: \(detail)")
        effects.append(.notice(.error(cause, detail)))
        if record.current == nil, choice == nil { effects.append(.screen(.offline)) }
        guard wishesCheck == nil else { return nextWish() }
        isCheckOwed = true
        waitAndRetry(run.retryAfter)
    }

    mutating func waitAndRetry(_ retryAfter: TimeSpan?) {
        let own = backoff.next(jitter: choose("backoff", UInt64(backoff.tries)))
        if backoff.isSpent { log(.retriesExhausted) }
        effects.append(.setTimer(.retry, after: max(own, retryAfter ?? .zero)))
    }

    private mutating func nextWish() {
        guard check == nil, let reason = wishesCheck else { return }
        wishesCheck = nil
        wish(reason)
    }

    mutating func retryTime() {
        guard phase == .running, check == nil, settings.updates != .never else { return }
        // A failed check is the page's to repeat; the update it asked for goes on (U14).
        if settings.updates == .page, download == nil { return }
        if backoff.isSpent { backoff.reset() }
        if let download, !download.needsManifest {
            fetchMore()
        } else {
            ask(.own, .offer)
        }
    }

    mutating func secondLookTime() {
        guard secondLook != nil else { return }
        wish(.own)
    }

    // MARK: The device

    mutating func networkChanged(_ state: NetworkState) {
        let isBack = network == .offline && state == .online
        network = state
        guard phase == .running else { return }
        if record.current == nil, choice == nil {
            effects.append(.screen(state == .online ? .loading(nil) : .offline))
        }
        guard isBack else { return }
        backoff.reset()
        if download != nil || isCheckOwed { retryTime() } else if record.current == nil { wish(.own) }
    }

    mutating func cameToFront() {
        inForeground = true
        isPushed = false
        startsNoteForeground()
        updateClock()
        let away = backgroundSince.map { now - $0 } ?? .zero
        backgroundSince = nil
        guard phase == .running else { return }
        if settings.switchesOnReturn, away >= .minutes(30) { switchUnasked(.longAbsence) }
        let isDue = lastCheck.map { now - $0 >= .minutes(15) } ?? true
        if settings.updates == .automatic, isDue { wish(.foreground) }
        if download != nil, backoff.isSpent { retryTime() }
    }

    mutating func wentToBack() {
        inForeground = false
        backgroundSince = now
        updateClock()
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

    mutating func suspend(_ isSuspended: Bool) {
        self.isSuspended = isSuspended
        updateClock()
    }
}
