import Core

/// What a process start decides from the record, before anything is loaded: the store update (N1), the end of
/// the last start (R3), and the version to start (R9).
extension Updater {
    /// Runs once the store is open, or can't be opened.
    mutating func decideLaunch() {
        logLaunch()
        restoreOriginDelay()
        let before = record
        let package = store.isPackageUnread ? record.embedded : versions.inPackage?.key
        if record.device.isEmpty {
            record.device = Hex.text(choose("device")) + Hex.text(choose("device", 1))
        }
        // Counted before the last start is evaluated, because the start that rescues is not a start after the
        // rescue.
        if record.wait != nil { record.wait?.launches += 1 }
        let isUpdated = isStoreUpdate(package)
        if isUpdated {
            applyStoreUpdate(package)
        } else {
            evaluateLastStart()
        }
        updateOriginLine()
        dropUnreadable()
        if isUpdated { settledUpdate = record }
        noteUnsyncedRecord()
        // What this process decides must rest on a record that is durable.
        if record != before || store.isRecordUnsynced { commit(then: .opened) } else { chooseAtStart() }
    }

    private mutating func logLaunch() {
        guard let launch, !store.hasLoggedLaunch else { return }
        store.hasLoggedLaunch = true
        var details = "native=\(launch.native.text) front=\(launch.inForeground)"
        if let boot = launch.bootID { details += " boot=\(boot)" }
        if let exit = launch.lastExit { details += " last-exit=\(exit.rawValue)" }
        log(.launched, nil, details)
        logUnusableKeys()
    }

    private func isStoreUpdate(_ package: VersionKey?) -> Bool {
        record.native != launch?.native.text || record.embedded != package
    }

    /// A missing or damaged table takes its version out of use, without blame (R10).
    private mutating func dropUnreadable() {
        guard store.mayDelete else { return }
        for entry in record.versions where version(entry.key) == nil {
            forget(entry.key)
        }
        if let current = record.current, version(current) == nil { record.current = nil }
    }

    // MARK: Store update (N1)

    /// The native build or the embedded version changed: keeps at most one downloaded version, as pending.
    private mutating func applyStoreUpdate(_ package: VersionKey?) {
        let isFirstLaunch = record.native.isEmpty
        if !isFirstLaunch {
            log(.storeUpdate, package, "from=\(record.native) to=\(launch?.native.text ?? "")")
        }
        let kept = versionKeptAfterStoreUpdate(package)
        if let accepted = record.accepted { settleIfComplete(accepted) }
        for entry in record.versions where entry.key != kept?.key {
            log(.previousBuildDropped, entry.key)
        }
        removeVersions { $0.verification != .package && $0.key != kept?.key }
        record.native = launch?.native.text ?? ""
        record.embedded = package
        record.versions = kept.map { [VersionEntry(key: $0.key)] } ?? []
        record.current = package
        record.pending = kept?.key
        record.wait = nil
        record.lastKnownGood = package
        record.previousGood = nil
        record.openStart = nil
        record.startHistories = []
        record.parked = nil
        record.blacklist = []
        record.forgetKeys()
        record.download = nil
        record.damaged = []
        record.checked = []
        record.boot = nil
        starts.settleBuild(record.buildMark)
        if let package, let order = version(package)?.table.metadata.order,
            order != .none, order != record.newestAccepted, !order.isBelow(record.newestAccepted)
        {
            record.settled = nil
            record.newestAccepted = order
            record.accepted = package
        }
    }

    /// Own dialect: the newest downloaded version that fits the new build, is above the embedded one, and
    /// needs no file of the old package. The other dialects don't state this.
    private func versionKeptAfterStoreUpdate(_ package: VersionKey?) -> StoredVersion? {
        guard settings.dialect == .own, let native = launch?.native else { return nil }
        var floor: UntrustedInteger = -1
        if let package {
            // An embedded version without a serial may be newer than anything here.
            guard case .serial(let serial)? = version(package)?.table.metadata.order else { return nil }
            floor = serial
        }
        var best: (serial: UntrustedInteger, version: StoredVersion)?
        for candidate in versions.all where candidate.verification != .package && candidate.isSelfContained {
            guard isSignedForThisBuild(candidate.key) else { continue }
            guard case .serial(let serial) = candidate.table.metadata.order, serial > floor,
                candidate.table.metadata.native.contains(native), !record.isRecalled(candidate.key)
            else { continue }
            if best.map({ $0.serial < serial }) ?? true { best = (serial, candidate) }
        }
        return best?.version
    }

    // MARK: The origin line (U8, U9)

    /// Another root or channel is another origin line, in which nothing is accepted or recalled yet.
    mutating func updateOriginLine() {
        updateAudience()
        let line = OriginLine(root: OriginURL.root(settings.origin), channel: settings.channel)
        guard line != record.line else { return }
        if !record.line.root.isEmpty {
            log(.lineChanged, nil, "to=\(line.root) channel=\(line.channel)")
            if record.line.root != line.root { clearOriginDelay() }
        }
        record.endOffers()
        dropUnfitPending("another origin line")
        if download == nil { record.download = nil }
        record.line = line
        record.newestAccepted = .none
        record.settled = nil
        record.accepted = nil
        record.forced = nil
        checks.second = nil
        if let package = record.embedded, let order = version(package)?.table.metadata.order {
            record.newestAccepted = order
            record.accepted = package
        }
        record.leftVersions = []
        record.recalled = []
        record.withheldRecalls = []
    }

    // MARK: The version to start

    /// The record has been evaluated: decides which version this process starts with.
    mutating func chooseAtStart() {
        store.endOpening()
        if starts.isFileChanged { jobs.addStartsFile() }
        let choice = startChoice()
        selection.choice = choice
        if let choice, mustCheckBeforeStart(of: choice.key) {
            selection.choice = nil
            return waitForFix(choice.key)
        }
        if let choice, let forced = forcedVersionToAwait, choice.key != forced {
            selection.choice = nil
            return waitForForced(forced)
        }
        guard let choice else { return readyWithNothing() }
        if needsVerification(choice.key) {
            jobs.add(.verify(VersionVerification(key: choice.key, purpose: .start)))
        } else {
            ready()
        }
    }

    /// - Parameter isProcessStart: whether a process starts: nothing else takes up what waits for its second
    ///   chance (R3).
    func startChoice(isProcessStart: Bool = true) -> StartChoice? {
        if let pending = record.pending, canStart(pending), mayStartUnrecorded(pending) {
            let mayStart = record.wait.map { isProcessStart && $0.isOver } ?? true
            if mayStart { return StartChoice(key: pending, activatesPending: true) }
        }
        if let current = record.current, canStart(current), mayStartUnrecorded(current),
            !isSetAside(current)
        {
            return StartChoice(key: current, activatesPending: false)
        }
        let setAside = record.current.map { isSetAside($0) ? [$0] : [] } ?? []
        let next =
            recoveryVersion(excluding: setAside + waiting) ?? recoveryVersion(excluding: waiting)
            ?? recoveryVersion(excluding: [])
        return next.map { StartChoice(key: $0, activatesPending: false) }
    }

    /// R2: without a start record only a version that is good is started.
    private func mayStartUnrecorded(_ key: VersionKey) -> Bool {
        store.phase != .readOnlyStore || record.isGood(key)
    }

    /// A version that is never blamed is skipped by one process all the same: a proven one that did not
    /// confirm three times in a row (R3), and the embedded one when its last two starts ended in failure or
    /// in front and no check has ended since (R13). An origin that has offered it could not tell the device
    /// otherwise any more.
    private func isSetAside(_ key: VersionKey) -> Bool {
        if key == record.embedded {
            return starts.file.brokenStarts(key) >= StartsFile.brokenStartsBeforeCheck
        }
        return record.isProven(key) && starts.file.unconfirmedStarts(key) >= 3
    }

    mutating func ready() {
        guard let choice = selection.choice else { return }
        takeUp(choice)
        if durable.boot != record.boot { commit() }
        announceCurrent()
        effects.append(.ready)
        afterReady()
    }

    /// Makes a version current that is started in place of the current one. A pending one becomes it when its
    /// page is loaded.
    mutating func takeUp(_ choice: StartChoice) {
        guard choice.key != record.current, !choice.activatesPending else { return }
        logLowSchemas()
        if let current = record.current { skipCurrent(current) }
        record.current = choice.key
        // Reported as current once it is durable (ST-I3).
        commit()
    }

    /// Another version than the current one is started, although no start of it has ended: the current one is
    /// damaged, recalled, or skipped by this process. A skipped version returns with the next process.
    private mutating func skipCurrent(_ current: VersionKey) {
        selection.abandon(current)
        if isSetAside(current) {
            if current == record.embedded {
                // A confirmation, or a check that ends, begins its count anew.
                log(.setAside, current, "two starts in a row ended in failure or in front")
            } else {
                log(.setAside, current, "three starts in a row ended unconfirmed")
                changeStartsFile { $0.resetCount(current) }
            }
        } else {
            guard isUnreadable(current) else { return }
        }
        if record.pending == nil { record.pending = current }
    }

    private mutating func readyWithNothing() {
        if retriesOpening() { return }
        showNothingLeft()
        afterReady()
    }

    /// The screen where nothing can be shown automatically: R9's if the user may start something all the
    /// same.
    mutating func showNothingLeft() {
        logLowSchemas()
        if versionForUserRetry() != nil {
            show(.recovery)
        } else {
            selection.choice = nil
            selection.isWithoutContent = true
            show(screenWithoutContent)
        }
    }

    private mutating func afterReady() {
        answerWaitingPageLoads()
        let queued = checks.takeQueued()
        if settings.updates == .automatic, launch?.inForeground == true, !checks.hasRequestedAtLaunch {
            checks.requestAtLaunch()
            // A request of the user ends a parking, which the one at launch does not.
            requestCheck(queued == .user ? .user : .launch)
        } else if let queued {
            requestCheck(queued, hasWaited: true)
        } else {
            lookForContent()
        }
        collectGarbage()
    }
}

/// The version that a process starts with.
struct StartChoice: Hashable, Sendable {
    var key: VersionKey
    /// The version is pending, and the first page load makes it current.
    var activatesPending: Bool
}
