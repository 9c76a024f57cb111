import Core

/// What an offered version means for this device (U8, U9, U10, U13, R5): the order of the questions is
/// Meteor's, with ours put before (M14).
extension Updater {
    mutating func decide(_ table: VersionTable, _ run: CheckRun) {
        if let look = secondLook, look.key != table.key { forgetSecondLook() }
        do {
            try checkFitness(table.facts)
            try checkDate(table.facts.order, run.date)
            try checkPlaces(table)
        } catch {
            log(error.cause, table.key, error.detail)
            return
        }
        let before = record
        if isTaken(table) { offer(table, run) }
        // Entries of the log travel with the next write (T1); they don't ask for one.
        var changed = record
        changed.log = before.log
        if changed != before { commit() }
    }

    /// U8: may this publication say anything?
    private mutating func isTaken(_ table: VersionTable) -> Bool {
        switch standing(of: table) {
        case .unordered, .newer: accept(table)
        case .same:
            settleAcceptance(table)
        case .correctsNumber:
            record.newestAccepted = table.facts.order
            log(.numberCorrected, table.key)
        case .older:
            log(.olderThanAccepted, table.key, "below the accepted publication of this line, or beside it")
            return false
        case .contradicts:
            guard isSeenAgain(table.key) else {
                log(.contradictsAccepted, table.key, "waits for a second check")
                return false
            }
            accept(table)
        }
        return true
    }

    private func checkFitness(_ facts: ManifestFacts) throws(ManifestRefusal) {
        if let app = facts.app, app != settings.app {
            throw ManifestRefusal(.otherApp, "app=\(app.prefix(100))")
        }
        if let channel = facts.channel, channel != settings.channel {
            throw ManifestRefusal(.otherChannel, "channel=\(channel.prefix(100))")
        }
        if let native = launch?.native, !facts.native.contains(native) {
            throw ManifestRefusal(.nativeOutsideRange, "native=\(native.text)")
        }
        guard let wanted = launch?.compatibility, !facts.compatibility.isEmpty else { return }
        let told = facts.compatibility.first { $0.platform == launch?.platform }?.text
        guard told == wanted else {
            throw ManifestRefusal(.nativeOutsideRange, "compatibility=\(told ?? "none")")
        }
    }

    /// Files come from the origin or from a root that the settings allow.
    private func checkPlaces(_ table: VersionTable) throws(ManifestRefusal) {
        let allowed = Redirects.allowed(settings)
        guard let row = OriginURL.firstElsewhere(table.rows, against: settings.origin, allowed: allowed)
        else { return }
        throw ManifestRefusal(.originChangeNotAllowed, "route=\(row.route) url=\(row.url.prefix(200))")
    }

    private func checkDate(_ order: PublicationOrder, _ date: OriginTime?) throws(ManifestRefusal) {
        guard case .date(let stated) = order, let date, stated - date > .hours(24) else { return }
        throw ManifestRefusal(.dateAhead, "ahead of the answer's date by more than 24 h")
    }

    private mutating func offer(_ table: VersionTable, _ run: CheckRun) {
        if table.facts.command == .embedded {
            if let embedded = record.embedded { takeStored(embedded, run) }
            return
        }
        let key = table.key
        if record.isBlacklisted(key) {
            return log(.blacklisted, key)
        }
        if record.isRecalled(key) { return log(.recalledOffer, key) }
        if record.parked?.key == key { return offeredParked(key, run) }
        if isToWait(table) { return }
        if secondLook != nil { forgetSecondLook() }
        if key == runningKey, canStart(key) { return offeredRunning(key) }
        if key == record.pending, canStart(key) {
            dropDownload(.superseded)
            log(.alreadyPending, key)
            if isPushed { switchUnasked(.push) }
            switchToForced()
            return
        }
        if download?.table.key == key {
            log(.alreadyDownloading, key)
            return continueDownload(table, run.body)
        }
        if version(key) != nil, canStart(key) { return takeStored(key, run) }
        startDownload(table, run.body)
    }

    /// What this process shows, or will show at its first page load.
    var runningKey: VersionKey? { choice?.key ?? record.current }

    private mutating func offeredRunning(_ key: VersionKey) {
        log(.upToDate, key)
        dropDownload(.superseded)
        guard let pending = record.pending, pending != key else { return }
        log(.pendingDropped, pending, "the origin names what runs")
        record.remember(left: pending)
        dropPending(pending)
        dropIfNeverStarted(pending)
    }

    private mutating func offeredParked(_ key: VersionKey, _ run: CheckRun) {
        let isDue: Bool =
            if let since = record.parked?.since, let time = originNow {
                time - since >= .days(1)
            } else {
                false
            }
        guard isDue || run.reason == .user else { return log(.parkedOffer, key) }
        record.parked = nil
        var marks = record.marks(key)
        marks.unclear = 0
        record.setMarks(marks)
        log(.parkingEnded, key, isDue ? "a day has passed" : "the user asked")
        takeStored(key, run)
    }

    /// U8 without an order: what this device has left needs a second check that offers it too.
    private mutating func isToWait(_ table: VersionTable) -> Bool {
        let key = table.key
        guard table.facts.order == .none, key != runningKey, key != record.pending,
            download?.table.key != key, record.left.contains(key), !isSeenAgain(key)
        else { return false }
        log(.leftBefore, key, "waits for a second check")
        return true
    }

    /// Whether a second check, not before 60 s after the first, offers it too and no answer in between
    /// offered another. Asks for that check by itself, but where only the page asks (`updates: "page"`).
    private mutating func isSeenAgain(_ key: VersionKey) -> Bool {
        if let look = secondLook, look.key == key { return now - look.since >= .seconds(60) }
        secondLook = SecondLook(key: key, since: now)
        if settings.updates != .page { effects.append(.setTimer(.recheck, after: .seconds(60))) }
        return false
    }

    private mutating func forgetSecondLook() {
        secondLook = nil
        effects.append(.cancelTimer(.recheck))
    }

    // MARK: Pending

    /// A complete version on this device becomes pending without a download.
    private mutating func takeStored(_ key: VersionKey, _ run: CheckRun) {
        dropDownload(.superseded)
        if key == runningKey { return offeredRunning(key) }
        becomePending(key)
    }

    mutating func becomePending(_ key: VersionKey) {
        let wasWaiting = record.pending == key ? record.wait : nil
        if let former = record.pending, former != key {
            log(.superseded, former, "by=\(key.id)")
            record.remember(left: former)
            dropPending(former)
            dropIfNeverStarted(former)
        }
        record.pending = key
        // It failed once: only a process start takes it up (R3).
        let hasFailed = record.marks(key).failures > 0
        let isRescuerConfirmed = start?.isConfirmed ?? true
        record.wait =
            hasFailed ? wasWaiting ?? SecondChanceWait(rescuerConfirmed: isRescuerConfirmed) : nil
        if key != record.embedded { record.update(key) { _ in } }
        commit(then: .becamePending(key))
    }

    mutating func pendingNotWritten(_ key: VersionKey) {
        guard durable.pending != key else { return }
        dropPending(key)
        owesCheck()
    }

    mutating func announcePending(_ key: VersionKey) {
        guard record.pending == key else { return }
        diskPace.reset()
        log(.becamePending, key, version(key).map { $0.promises } ?? "")
        if record.current == nil, choice == nil, forcedWait == nil { return takeFirst(key) }
        if record.wait == nil { effects.append(.notice(.newVersionReady(key))) }
        if isPushed { switchUnasked(.push) }
        switchToForced()
    }

    /// U7: the first version of all; nothing runs that a switch could disturb.
    private mutating func takeFirst(_ key: VersionKey) {
        choice = StartChoice(key: key, takesPending: true)
        tellCurrent()
        effects.append(.screen(.none))
        effects.append(.ready)
    }
}
