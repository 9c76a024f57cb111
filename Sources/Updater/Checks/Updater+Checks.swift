import Core
import HTTP1

/// Checks: requests to the origin for the manifest. Requests to check join, at most one is sent at a time,
/// and failed ones are retried with a back-off (U4, U5, U14).
extension Updater {
    /// Checks now, or later: after the store is open, after the origin's delay, or after the check in
    /// progress.
    /// - Parameter hasWaited: it was requested before, and had to wait. Where the app was then decides
    ///   whether a push is a moment to switch (U6).
    mutating func requestCheck(_ reason: CheckReason, hasWaited: Bool = false) {
        guard isAllowed(reason) else { return log(.updatesOff, nil, "wish=\(reason.rawValue)") }
        if reason == .push, !hasWaited, !environment.inForeground { switching.isPushed = true }
        guard store.phase == .running else {
            switch store.phase {
            case .opening, .waiting: checks.queue(reason)
            case .readOnlyStore, .running: log(.storeUnavailable, nil, "wish=\(reason.rawValue)")
            }
            return retryDisk()
        }
        wakeBackoffs(for: reason)
        if isOriginDelayActive, reason != .user {
            log(.originAskedToWait, nil, "wish=\(reason.rawValue)")
            checks.require()
            return scheduleRetry()
        }
        if checks.run != nil {
            checks.queue(reason)
            log(.checkJoined, nil, "wish=\(reason.rawValue)")
            return
        }
        sendCheck(reason, .offer)
        // The press of the button shows an effect at once, and not only when the answer is here.
        if reason == .user, cover.screen == .offline { show(screenWithoutContent) }
    }

    /// U5: which reasons reset the back-offs, and which allow only one attempt.
    private mutating func wakeBackoffs(for reason: CheckReason) {
        switch reason {
        case .launch, .foreground, .push: resetBackoffs()
        case .page, .user, .app, .recovery: wakeBackoffs()
        case .own: break
        }
    }

    private func isAllowed(_ reason: CheckReason) -> Bool {
        switch settings.updates {
        case .automatic, .manual: true
        // Without a page, R9's screen and that of a first launch request what the page can't.
        case .page:
            reason == .page || reason == .recovery
                || (reason == .user
                    && (cover.isRecoveryShown || hasNothingToShow))
        case .never: false
        }
    }

    /// Sends the request for the manifest.
    mutating func sendCheck(_ reason: CheckReason, _ purpose: CheckRun.Purpose) {
        let id = nextTransferID()
        let attempt = checks.countAttempt(at: now)
        if reason != .own { failures.checkBegins() }
        var fields: HeaderFields = ["Accept-Encoding": "identity"]
        // After a response that differs from what was announced, caches on the way are bypassed.
        if download?.bypassesCache == true || checks.bypassesCache {
            fields.append("Cache-Control", "no-cache")
        }
        addTarget(to: &fields)
        let request = OriginRequest(
            kind: .manifest, url: settings.manifestURL, fields: fields, attempt: attempt)
        checks.run = CheckRun(
            id: id, request: request, reason: reason, purpose: purpose, sentAt: now, lastProgress: now)
        effects.append(.fetch(id, request))
        effects.append(.setTimer(.idle(id), after: settings.connectTimeout))
        scheduleRetry()
    }

    /// Cancels a request to the origin, and its timer.
    mutating func cancelRequest(_ id: TransferID) {
        effects.append(.cancelFetch(id))
        effects.append(.cancelTimer(.idle(id)))
    }

    mutating func nextTransferID() -> TransferID {
        defer { nextTransfer += 1 }
        return TransferID(nextTransfer)
    }

    /// Adds what an origin needs to select a version for this device (U9).
    private func addTarget(to fields: inout HeaderFields) {
        fields.append("OTA-App", settings.app)
        fields.append("OTA-Device", record.device)
        fields.append("OTA-Channel", settings.channel)
        fields.append("OTA-Native-Build", record.native)
        if let current = record.current { fields.append("OTA-Running", current.id) }
        if let cohort = settings.cohort { fields.append("OTA-Cohort", cohort) }
        if let user = settings.user { fields.append("OTA-User", user) }
    }

    // MARK: The response

    /// Passes the part of a response to the check, the outcome upload or the download.
    mutating func received(_ part: TransferEvent, of id: TransferID, _ disk: inout some Disk) {
        if case .bytes = part { launchWaitProgressed() }
        if checks.run?.id == id {
            checkReceived(part)
        } else if outcomeUpload?.id == id {
            outcomesReceived(part)
        } else {
            downloadReceived(part, of: id, &disk)
        }
    }

    private mutating func checkReceived(_ part: TransferEvent) {
        checks.run?.lastProgress = now
        switch part {
        case .head(let status, let fields):
            checkHead(status, fields)
        case .bytes(let bytes):
            checks.run?.body.append(contentsOf: bytes)
            if let count = checks.run?.body.count, count > manifestResponseLimit {
                manifestTooLarge(UntrustedInteger(count))
            }
        case .end: checkEnded()
        case .failed(let failure): checkFailed(.checkFailed, failure.rawValue)
        }
    }

    private mutating func checkHead(_ status: Int, _ fields: HeaderFields) {
        checks.run?.status = status
        checks.run?.date = fields.date
        checks.run?.announced = fields.contentLength
        if let wait = fields.requestedWait(status) { checks.run?.retryAfter = wait }
        restartIdleTimer()
        if Redirects.isRedirect(status) { return checkRedirected(fields) }
        if status == 200, let coding = fields.coding {
            return checkRefused(.codingRefused, "coding=\(coding.prefix(40))")
        }
        if let length = fields.contentLength, length > UntrustedInteger(manifestResponseLimit) {
            manifestTooLarge(length)
        }
    }

    private mutating func checkRedirected(_ fields: HeaderFields) {
        guard var run = checks.run else { return }
        do {
            try followRedirect(fields, &run.id, &run.request, &run.redirects)
            run.status = 0
            checks.run = run
        } catch {
            checkRefused(error.cause, error.detail)
        }
    }

    /// Refuses the response before its end.
    private mutating func checkRefused(_ cause: LogCause, _ detail: String) {
        guard let id = checks.run?.id else { return }
        effects.append(.cancelFetch(id))
        checkFailed(cause, detail)
    }

    private mutating func restartIdleTimer() {
        guard let id = checks.run?.id else { return }
        effects.append(.setTimer(.idle(id), after: settings.idleTimeout))
    }

    private mutating func manifestTooLarge(_ bytes: UntrustedInteger) {
        checkRefused(.manifestTooLarge, "bytes=\(bytes)")
    }

    /// Ends a check that was silent too long; otherwise sets the timer for the remaining time.
    mutating func checkIdleTimerFired() {
        guard let run = checks.run else { return }
        let limit = run.status == 0 ? settings.connectTimeout : settings.idleTimeout
        let silent = now - run.lastProgress
        guard silent >= limit else {
            effects.append(.setTimer(.idle(run.id), after: limit - silent))
            return
        }
        checkRefused(.checkFailed, "silent for \(silent.microseconds / 1_000_000) s")
    }

    private mutating func checkEnded() {
        guard let run = checks.run else { return }
        switch run.status {
        case 200:
            if let announced = run.announced, announced != UntrustedInteger(run.body.count) {
                return checkFailed(.lengthMismatch, "bytes=\(run.body.count) announced=\(announced)")
            }
            guard let keys = signingKeys else { return readManifest() }
            do {
                return try verifySignatures(of: run, by: keys)
            } catch {
                return checkFailed(error.cause, error.detail)
            }
        case 204, 304:
            finishCheck(run)
            log(.nothingOffered)
            dropUnoffered(run)
        default:
            return checkFailed(.statusRefused, "manifest status=\(run.status)")
        }
        afterCheck(isAnswered: true)
    }

    /// Begins to read the manifest that the check in progress has received.
    mutating func readManifest() {
        guard let run = checks.run else { return }
        stepwise.manifest = ManifestReading(
            run.body, dialect: settings.dialect, limits: settings.limits, isSigned: run.signer != nil)
        guard stepManifest(of: run.id) else { return }
        effects.append(.cancelTimer(.idle(run.id)))
        jobs.add(.readManifest(of: run.id))
    }

    /// Reads a part of the manifest that a check has received, and decides once it is read. A check that was
    /// given up meanwhile decides nothing.
    /// - Returns: whether something is left to read.
    mutating func stepManifest(of id: TransferID) -> Bool {
        guard let run = checks.run, run.id == id else { return false }
        var isAnswered = true
        do {
            guard let table = try stepwise.manifest?.step(FileReading.backgroundChunkSize) else {
                return true
            }
            let terms = stepwise.manifest?.terms
            stepwise.manifest = nil
            if let terms { try checkSigned(table, terms, run) }
            switch try decideRollout(table) {
            case .requestedOther: return false
            case .nothingOffered:
                finishCheck(run)
                dropUnoffered(run)
            case .offered:
                finishCheck(run)
                switch run.purpose {
                case .offer:
                    let waiting = download.flatMap { $0.isComplete ? $0.table.key : nil }
                    decide(table, run, terms)
                    // A complete download still waits for its confirmation (U1), and another was offered.
                    isAnswered = waiting == nil || waiting == table.key || download?.table.key != waiting
                case .confirmation: isAnswered = confirmOffer(table, run, terms)
                }
            }
        } catch {
            checkFailed(error.cause, error.detail)
            return false
        }
        afterCheck(isAnswered: isAnswered)
        return false
    }

    /// The download can't continue if it needed the manifest, because its version is no longer offered.
    private mutating func dropUnoffered(_ run: CheckRun) {
        guard run.purpose == .confirmation || download?.needsManifest == true else { return }
        dropDownload(.manifestChanged)
    }

    /// Continues what waited for the check. If the response did not answer the question of a download that
    /// needs a manifest, or needs it once more, the attempt counts as failed.
    private mutating func afterCheck(isAnswered: Bool) {
        // Nothing is to be stored: a pending version that is dropped is not.
        let isSettled = download == nil && (record.pending == nil || record.pending == durable.pending)
        if !isAnswered || download?.needsManifest == true {
            checkAttemptFailed()
        } else if checks.second == nil {
            if isSettled {
                retries.resetCheck()
            } else {
                // Files that are still to come may fail as before: only they end the row.
                if download?.isComplete ?? true { retries.arrived() }
                retries.check.allowAttempt()
            }
        }
        if isSettled { changeStartsFile { $0.forgetBroken() } }
        startQueuedCheck()
        fetchMore()
        scheduleRetry()
        reportOutcomes()
        // The user would wait for what the origin does not offer (U7).
        if isAnswered, !isContentComing { showMissingContent(.offline) }
    }

    /// Whether something is on its way that can be shown.
    private var isContentComing: Bool {
        download != nil || record.pending != nil || checks.run != nil || checks.queued != nil
            || checks.second != nil
    }

    private mutating func finishCheck(_ run: CheckRun) {
        effects.append(.cancelTimer(.idle(run.id)))
        checks.succeeded(at: now)
        let isSetBack = updateOriginClock(run.date)
        updateOriginDelay()
        if record.current != nil { record.currentSince = record.currentSince ?? originNow }
        noteReachable()
        // The time alone is not worth a write: it is written with the next change.
        let before = record
        dateUndatedEntries()
        dropOldSwitches()
        endOldEntries()
        if record != before || isSetBack { commit() }
    }

    /// R3: notes that the origin was reachable during the open start. It survives the process, without a
    /// sync.
    private mutating func noteReachable() {
        guard let open = record.openStart, starts.run?.key == open.key, !starts.file.wasReachable(open.token)
        else {
            return
        }
        changeStartsFile { $0.markReachable(open.token) }
    }

    mutating func checkFailed(_ cause: LogCause, _ detail: String) {
        guard let run = checks.run else { return }
        effects.append(.cancelTimer(.idle(run.id)))
        checks.failed()
        download?.checkFailed()
        log(cause, nil, "check: \(detail)")
        showMissingContent(.offline)
        originRequestedDelay(run.retryAfter, run.date)
        checkAttemptFailed()
        startQueuedCheck()
        fetchMore()
        scheduleRetry()
    }

    private mutating func startQueuedCheck() {
        guard checks.run == nil, let reason = checks.takeQueued() else { return }
        requestCheck(reason, hasWaited: true)
    }

    /// U8: the check in progress is the second one if it was sent late enough. Otherwise it is not joined,
    /// because what follows a joined check is sent at once, whatever the back-off is (U5).
    mutating func secondCheckTimerFired() {
        guard let second = checks.second else { return }
        if let run = checks.run {
            if run.sentAt - second.since < Updater.secondCheckInterval {
                setSecondCheckTimer(after: .seconds(5))
            }
            return
        }
        guard retries.check.isDue(at: now) else { return setSecondCheckTimer(after: .zero) }
        requestCheck(.own)
    }
}
