import Core

/// Decides what an offered version means for this device (U8, U9, U10, U13, R5): our questions come first,
/// then Meteor's in its order: a version that serves or is pending already changes nothing, one that is
/// stored or embedded is used.
extension Updater {
    /// Decides about a manifest: whether it fits the device, whether its publication is accepted, and what to
    /// do with its version.
    /// - Parameter terms: what it says about signatures, if it is signed (U16).
    mutating func decide(_ table: VersionTable, _ run: CheckRun, _ terms: SigningTerms?) {
        if let second = checks.second, second.key != table.key { clearSecondCheck() }
        // The origin has moved on: what the disk refused before has been left for another version.
        if checks.refusedByDisk != table.key { checks.refusedByDisk = nil }
        do {
            try checkFitness(table.metadata)
            try checkDate(table.metadata.order, run.date)
            try checkFileOrigins(table)
        } catch {
            log(error.cause, table.key, error.detail)
            return
        }
        let before = record
        if acceptOrIgnore(table, run) {
            // Those of the accepted manifest are in its own list.
            record.withheldRecalls = run.withheldRecalls
            offer(table, run)
            if let terms { noteSignature(table, terms, run) }
        }
        commit(ifChangedSince: before)
    }

    /// U8: accepts the publication or ignores it.
    /// - Returns: whether its version is considered.
    private mutating func acceptOrIgnore(_ table: VersionTable, _ run: CheckRun) -> Bool {
        switch comparison(of: table) {
        case .unordered, .newer: acceptPublication(table)
        case .same:
            settleAcceptance(table)
        case .correctsOrder:
            record.newestAccepted = table.metadata.order
            log(.numberCorrected, table.key)
        case .older:
            log(.olderThanAccepted, table.key, "below the accepted publication of this line, or beside it")
            return false
        case .contradicts:
            guard isOfferedAgain(table.key, run) else {
                log(.contradictsAccepted, table.key, "waits for a second check")
                return false
            }
            acceptPublication(table)
        }
        return true
    }

    private func checkFitness(_ metadata: ManifestMetadata) throws(ManifestRefusal) {
        if let app = metadata.app, app != settings.app {
            throw ManifestRefusal(.otherApp, "app=\(app.prefix(100))")
        }
        if let channel = metadata.channel, channel != settings.channel {
            throw ManifestRefusal(.otherChannel, "channel=\(channel.prefix(100))")
        }
        if let native = launch?.native, !metadata.native.contains(native) {
            throw ManifestRefusal(.nativeOutsideRange, "native=\(native.text)")
        }
        guard settings.dialect == .meteor else { return }
        if launch?.compatibility == nil, store.isPackageUnread {
            throw ManifestRefusal(
                .nativeOutsideRange, "compatibility of this build unknown: the package could not be read")
        }
        guard let wanted = compatibility else { return }
        let stated = metadata.compatibility.first { $0.platform == launch?.platform }?.text
        guard stated == wanted else {
            throw ManifestRefusal(.nativeOutsideRange, "compatibility=\(stated ?? "none") wanted=\(wanted)")
        }
    }

    /// Compatibility string of this native build (Meteor dialect): that of the settings, otherwise that of
    /// the embedded manifest; nil if neither states one.
    private var compatibility: String? {
        if let stated = launch?.compatibility { return stated }
        guard let package = versions.inPackage else { return nil }
        return package.table.metadata.compatibility.first { $0.platform == launch?.platform }?.text
    }

    /// Requires that all files come from the origin or from a root that the settings allow.
    private func checkFileOrigins(_ table: VersionTable) throws(ManifestRefusal) {
        let allowed = Redirects.allowed(settings)
        guard let asset = OriginURL.firstDisallowed(table.assets, against: settings.origin, allowed: allowed)
        else { return }
        throw ManifestRefusal(.originChangeNotAllowed, "route=\(asset.route) url=\(asset.url.prefix(200))")
    }

    private func checkDate(_ order: PublicationOrder, _ date: OriginTime?) throws(ManifestRefusal) {
        guard case .date(let stated) = order, let date, stated - date > .hours(24) else { return }
        throw ManifestRefusal(.dateAhead, "ahead of the answer's date by more than 24 h")
    }

    /// Considers the offered version: makes it pending, downloads it, or logs why not. Unless that waits for
    /// a second check, one that was outstanding is answered.
    private mutating func offer(_ table: VersionTable, _ run: CheckRun) {
        if table.metadata.command == .embedded {
            endSecondCheck()
            guard let embedded = record.embedded else {
                log(.nothingOffered, nil, "order=embedded, and nothing is embedded")
                return dropOffers("the origin offers nothing else")
            }
            return useStoredVersion(embedded, run)
        }
        let key = table.key
        record.noteOffer(of: key)
        let isParked = record.parked?.key == key
        let refusal = refusal(of: key, isParked: isParked, run)
        if refusal == nil, mustWaitForSecondCheck(table, run) { return }
        endSecondCheck()
        if let refusal {
            log(refusal, key)
            // What runs may be what is recalled: a push in background is a moment to leave it (U13, U6).
            if refusal == .recalledOffer, switching.isPushed { switchUnprompted(.push) }
            return
        }
        if isParked { return endParking(key, run) }
        if key == runningKey, canStart(key) { return offeredRunning(key) }
        if key == record.pending, canStart(key) {
            dropUnfinished(.superseded)
            log(.alreadyPending, key)
            if switching.isPushed { switchUnprompted(.push) }
            switchToForced()
            return
        }
        if download?.table.key == key {
            log(.alreadyDownloading, key)
            return continueDownload(table, run.body)
        }
        if isUnreadable(key) {
            // The origin does not name any more what is being downloaded (U4, U8).
            dropUnfinished(.superseded)
            return readAgain(key)
        }
        if version(key) != nil, canStart(key) { return useStoredVersion(key, run) }
        startDownload(table, run.body)
    }

    /// Why an offered version is not considered, whatever of it is here; nil: it is.
    private func refusal(of key: VersionKey, isParked: Bool, _ run: CheckRun) -> LogCause? {
        if record.isBlacklisted(key) { return .blacklisted }
        if record.isRecalled(key) { return .recalledOffer }
        return isParked && !endsParking(run) ? .parkedOffer : nil
    }

    /// The version that this process shows, or will show at its first page load.
    var runningKey: VersionKey? {
        guard let choice = selection.choice else { return record.current }
        guard choice.activatesPending, choice.key != record.pending else { return choice.key }
        // Another version is pending since the process started, or none.
        return record.pending ?? record.current
    }

    private mutating func offeredRunning(_ key: VersionKey) {
        log(.upToDate, key)
        dropOffers("the origin names what runs")
    }

    /// Ends a download and drops what is pending, unless it runs: the origin does not offer it any more.
    private mutating func dropOffers(_ reason: String) {
        dropUnfinished(.superseded)
        guard let pending = record.pending, pending != runningKey else { return }
        log(.pendingDropped, pending, reason)
        record.recordLeft(pending)
        dropPending(pending)
        dropIfNeverStarted(pending)
    }

    /// U8 without an order: whether the device has left this version, so that a second check must offer it
    /// too.
    private mutating func mustWaitForSecondCheck(_ table: VersionTable, _ run: CheckRun) -> Bool {
        let key = table.key
        guard table.metadata.order == .none, key != runningKey, key != record.pending,
            download?.table.key != key, record.leftVersions.contains(key), key != checks.refusedByDisk,
            !isOfferedAgain(key, run)
        else { return false }
        log(.leftBefore, key, "waits for a second check")
        return true
    }

    static let secondCheckInterval = TimeSpan.seconds(60)

    /// Whether a second check, requested at least 60 s after the first offer, offers the version too, and no
    /// response in between offered another. Schedules that check, unless only the page requests checks
    /// (`updates: "page"`).
    private mutating func isOfferedAgain(_ key: VersionKey, _ run: CheckRun) -> Bool {
        if let second = checks.second, second.key == key {
            return run.sentAt - second.since >= Updater.secondCheckInterval
        }
        checks.second = SecondCheck(key: key, since: now)
        guard settings.updates != .page else { return false }
        // Edges that offer in turn what was left before don't make this a check every minute for ever (U5).
        checkAttemptFailed(key, "second check")
        setSecondCheckTimer(after: Updater.secondCheckInterval)
        return false
    }

    /// Sets the timer of the second check, not before the back-off allows one.
    mutating func setSecondCheckTimer(after wait: TimeSpan) {
        let due = max(now + wait, retries.check.notBefore ?? now)
        effects.append(.setTimer(.recheck, after: due - now))
    }

    /// What a second check was to answer is decided.
    private mutating func endSecondCheck() { if checks.second != nil { clearSecondCheck() } }

    private mutating func clearSecondCheck() {
        checks.second = nil
        effects.append(.cancelTimer(.recheck))
    }

    // MARK: Pending versions

    /// Makes a complete version on this device pending without a download.
    mutating func useStoredVersion(_ key: VersionKey, _ run: CheckRun) {
        dropUnfinished(.superseded)
        if key == runningKey { return offeredRunning(key) }
        // This answer leaves nothing to do.
        retries.arrived()
        becomePending(key)
    }

    /// Makes a complete version pending, in place of another one.
    mutating func becomePending(_ key: VersionKey) {
        let wasWaiting = record.pending == key ? record.wait : nil
        if let previous = record.pending, previous != key {
            log(.superseded, previous, "by=\(key.id)")
            record.recordLeft(previous)
            dropPending(previous)
            dropIfNeverStarted(previous)
        }
        record.pending = key
        // It is here again: damage that is found later is repaired by one check (U8).
        record.leftVersions.removeAll { $0 == key }
        // A second chance: only a process start takes it up (R3). What an earlier process has left waits for
        // no rescuer, because the next start is the second one after the rescue.
        let hasFailed = record.startHistory(of: key).needsSecondChance
        let isRescued = !starts.awaitsRescuer(key)
        record.wait = hasFailed ? wasWaiting ?? SecondChanceWait(rescuerConfirmed: isRescued) : nil
        if key != record.embedded { record.update(key) { _ in } }
        commit(then: .becamePending(key))
    }

    /// Summary of the version's verification, as logged.
    private func verificationText(_ version: StoredVersion) -> String {
        var summary = VerificationSummary(version.table)
        summary.verified = version.verification
        if summary.fitness == .equalString, compatibility == nil { summary.fitness = .none }
        return summary.text
    }

    mutating func pendingNotWritten(_ key: VersionKey) {
        guard durable.pending != key else { return }
        dropPending(key)
        requireCheckAfterDiskError()
    }

    mutating func announcePending(_ key: VersionKey) {
        guard record.pending == key else { return }
        retries.stored()
        changeStartsFile { $0.forgetBroken() }
        log(.becamePending, key, version(key).map(verificationText) ?? "")
        if hasNothingToShow, switching.launchWait == nil {
            let choice = startChoice(isProcessStart: false)
            return showFirst(choice ?? StartChoice(key: key, activatesPending: true))
        }
        if record.wait == nil { effects.append(.notice(.newVersionReady(key))) }
        if switching.isPushed { switchUnprompted(.push) }
        switchToForced()
    }

    /// U7: shows the very first version; nothing runs that a switch could disturb. Where what was pending
    /// waits for a process start (R3), its download may have made another version whole.
    private mutating func showFirst(_ choice: StartChoice) {
        selection.isWithoutContent = false
        selection.choice = choice
        takeUp(choice)
        announceCurrent()
        show(.none)
        effects.append(.ready)
    }
}
