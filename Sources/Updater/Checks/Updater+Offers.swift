import Core

/// What an offered version means for this device (U8, U9, U10, U13, R5): the order of the questions is
/// Meteor's, with ours put before (M14).
extension Updater {
    mutating func decide(_ table: VersionTable, _ run: CheckRun) {
        do {
            try checkFitness(table.facts)
            try checkOrder(table, run.date)
        } catch {
            log(error.cause, table.key, error.detail)
            noteRefused(table.key, error.cause)
            return
        }
        let before = record
        accept(table)
        offer(table, run)
        if record != before { commit() }
    }

    /// Each refusal is an outcome once per process, however often the origin repeats its offer.
    private mutating func noteRefused(_ key: VersionKey, _ cause: LogCause) {
        let refusal = LogEntry(cause, version: key.id)
        guard settings.reportsOutcomes, !refusedHere.contains(refusal) else { return }
        refusedHere.append(refusal)
        if refusedHere.count > 16 { refusedHere.removeFirst() }
        note(.refused, key, cause)
        commit()
    }

    private func checkFitness(_ facts: ManifestFacts) throws(ManifestRefusal) {
        if let app = facts.app, app != settings.app {
            throw ManifestRefusal(.otherApp, "app=\(app.prefix(100))")
        }
        if let channel = facts.channel, channel != settings.channel {
            throw ManifestRefusal(.originChangeNotAllowed, "channel=\(channel.prefix(100))")
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

    private func checkOrder(_ table: VersionTable, _ date: OriginTime?) throws(ManifestRefusal) {
        if case .date(let stated) = table.facts.order, let date, stated - date > .hours(24) {
            throw ManifestRefusal(.dateAhead, "ahead of the answer's date by more than 24 h")
        }
        if isOlder(table.facts.order) {
            throw ManifestRefusal(.olderThanAccepted, "an older publication of this line")
        }
        if isEqual(table.facts.order), let accepted = record.accepted, accepted != table.key {
            throw ManifestRefusal(
                .olderThanAccepted, "another version under the accepted publication's number")
        }
    }

    private func isOlder(_ order: PublicationOrder) -> Bool {
        switch (order, record.newestAccepted) {
        case (.serial(let new), .serial(let known)): new < known
        case (.date(let new), .date(let known)): new < known
        case (.none, _), (.serial, _), (.date, _): false
        }
    }

    private func isEqual(_ order: PublicationOrder) -> Bool {
        order != .none && order == record.newestAccepted
    }

    func isNewer(_ order: PublicationOrder) -> Bool {
        order != .none && order != record.newestAccepted && !isOlder(order)
    }

    private mutating func accept(_ table: VersionTable) {
        let facts = table.facts
        guard facts.order == .none || isNewer(facts.order) else { return }
        if facts.order != .none { record.newestAccepted = facts.order }
        record.accepted = table.key
        record.recalled = Array(facts.recalled.prefix(64))
        for id in facts.unblock {
            for place in record.blacklist.indices
            where record.blacklist[place].key.id == id && !record.blacklist[place].hasEnded {
                record.blacklist[place].hasEnded = true
                log(.unblocked, record.blacklist[place].key)
            }
        }
        if let pending = record.pending, record.isRecalled(pending) {
            log(.recalled, pending, "was pending")
            dropPending(pending)
        }
        if let fetched = download?.table.key, record.isRecalled(fetched) { dropDownload(.recalled) }
        if let current = record.current, record.isRecalled(current) {
            log(.recalled, current, "runs")
            effects.append(.notice(.recalled(current)))
        }
        record.forced = facts.command == .force ? table.key : nil
        switch facts.command {
        case .update: break
        case .force:
            log(.forced, table.key)
            if runningKey != table.key { effects.append(.notice(.forced(table.key))) }
        case .rollBack: log(.rolledBackByOrder, table.key)
        case .embedded: log(.embeddedByOrder, record.embedded)
        }
    }

    private mutating func offer(_ table: VersionTable, _ run: CheckRun) {
        if table.facts.command == .embedded {
            if let embedded = record.embedded { takeStored(embedded, run) }
            return
        }
        let key = table.key
        if record.isBlacklisted(key) {
            noteRefused(key, .blacklisted)
            return log(.blacklisted, key)
        }
        if record.isRecalled(key) { return log(.recalledOffer, key) }
        if record.parked?.key == key { return offeredParked(key, run) }
        if isToWait(table) { return }
        secondLook = nil
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
            return continueDownload()
        }
        if version(key) != nil, canStart(key) { return takeStored(key, run) }
        startDownload(table, run.body)
    }

    /// What this process shows, or will show at its first page load.
    private var runningKey: VersionKey? { choice?.key ?? record.current }

    private mutating func offeredRunning(_ key: VersionKey) {
        log(.upToDate, key)
        dropDownload(.superseded)
        guard let pending = record.pending, pending != key else { return }
        log(.pendingDropped, pending, "the origin names what runs")
        dropPending(pending)
        dropIfNeverStarted(pending)
    }

    private mutating func offeredParked(_ key: VersionKey, _ run: CheckRun) {
        let isDue: Bool =
            if let since = record.parked?.since, let time = record.originTime {
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
            download?.table.key != key,
            record.left.contains(key)
        else { return false }
        if let look = secondLook, look.key == key, now - look.since >= .seconds(60) { return false }
        if secondLook?.key != key {
            secondLook = SecondLook(key: key, since: now)
            if settings.updates != .page { effects.append(.setTimer(.recheck, after: .seconds(60))) }
        }
        log(.leftBefore, key, "waits for a second check")
        return true
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
        note(.taken, key, .becamePending)
        if key != record.embedded { record.update(key) { _ in } }
        commit(then: .becamePending(key))
    }

    mutating func pendingNotWritten(_ key: VersionKey) {
        guard durable.pending != key else { return }
        dropPending(key)
        waitAndRetry(nil)
    }

    mutating func announcePending(_ key: VersionKey) {
        guard record.pending == key else { return }
        log(.becamePending, key, version(key).map { "verified=\($0.verification.rawValue)" } ?? "")
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
