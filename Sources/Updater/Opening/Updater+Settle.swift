import Core

/// What a process start decides from the record, before anything is loaded: the store update (N1), the end of
/// the last start (R3), the choice (R9).
extension Updater {
    mutating func settle() {
        logLaunch()
        takeUpOriginWait()
        let before = record
        let package = versions.first { $0.verification == .package }?.key
        if record.device.isEmpty {
            record.device = Hex.text(choose("device")) + Hex.text(choose("device", 1))
        }
        // Counted before the last start is judged: the start that rescues is not a start after the rescue.
        if record.wait != nil { record.wait?.launches += 1 }
        if isOtherPackage(package) { settleStoreUpdate(package) } else { judgeLastStart() }
        settleLine()
        dropUnreadable()
        if record != before { commit(then: .opened) } else { chooseAtStart() }
    }

    private mutating func logLaunch() {
        guard let launch else { return }
        var facts = "native=\(launch.native.text) front=\(launch.inForeground)"
        if let boot = launch.bootID { facts += " boot=\(boot)" }
        if let exit = launch.lastExit { facts += " last-exit=\(exit.rawValue)" }
        log(.launched, nil, facts)
    }

    private func isOtherPackage(_ package: VersionKey?) -> Bool {
        record.native != launch?.native.text || record.embedded != package
    }

    /// A table that is gone or damaged takes its version out of use, without blame (R10).
    private mutating func dropUnreadable() {
        guard mayDelete else { return }
        for entry in record.versions where version(entry.key) == nil {
            forget(entry.key)
        }
        if let current = record.current, version(current) == nil { record.current = nil }
    }

    // MARK: N1

    private mutating func settleStoreUpdate(_ package: VersionKey?) {
        let isFirstLaunch = record.native.isEmpty
        if !isFirstLaunch {
            log(.storeUpdate, package, "from=\(record.native) to=\(launch?.native.text ?? "")")
        }
        let kept = survivor(package)
        for entry in record.versions where entry.key != kept?.key {
            log(.formerBuildDropped, entry.key)
        }
        versions.removeAll { $0.verification != .package && $0.key != kept?.key }
        record.native = launch?.native.text ?? ""
        record.embedded = package
        record.versions = kept.map { [VersionEntry(key: $0.key)] } ?? []
        record.current = package
        record.pending = kept?.key
        record.wait = nil
        record.lastKnownGood = package
        record.goodBefore = nil
        record.openStart = nil
        record.marks = []
        record.parked = nil
        record.blacklist = []
        record.download = nil
        record.damaged = []
        record.checked = []
        record.boot = nil
        let originWait = startsNote.originWait
        startsNote = StartsNote()
        startsNote.originWait = originWait
        if let package, let order = version(package)?.table.facts.order,
            order != .none, order != record.newestAccepted, !order.isBelow(record.newestAccepted)
        {
            record.settled = nil
            record.newestAccepted = order
            record.accepted = package
        }
    }

    /// Own dialect: the newest downloaded version that fits the new build, is above its embedded one, and
    /// needs no file of the old package. The other dialects can't tell.
    private func survivor(_ package: VersionKey?) -> StoredVersion? {
        guard settings.dialect == .own, let native = launch?.native else { return nil }
        var floor = -1
        if let package, case .serial(let serial)? = version(package)?.table.facts.order { floor = serial }
        var best: (serial: Int, version: StoredVersion)?
        for candidate in versions where candidate.verification != .package && candidate.isSelfContained {
            guard case .serial(let serial) = candidate.table.facts.order, serial > floor,
                candidate.table.facts.native.contains(native), !record.isRecalled(candidate.key)
            else { continue }
            if best.map({ $0.serial < serial }) ?? true { best = (serial, candidate) }
        }
        return best?.version
    }

    // MARK: The line (U8, U9)

    mutating func settleLine() {
        settleAudience()
        let line = OriginLine(root: OriginURL.root(settings.origin), channel: settings.channel)
        guard line != record.line else { return }
        if !record.line.root.isEmpty {
            log(.lineChanged, nil, "to=\(line.root) channel=\(line.channel)")
            if record.line.root != line.root { forgetOriginWait() }
        }
        dropUnfitPending("another origin line")
        if download == nil { record.download = nil }
        record.line = line
        record.newestAccepted = .none
        record.settled = nil
        record.accepted = nil
        record.forced = nil
        secondLook = nil
        if let package = record.embedded, let order = version(package)?.table.facts.order {
            record.newestAccepted = order
            record.accepted = package
        }
        record.left = []
        record.recalled = []
    }

    // MARK: The end of the last start (R3)

    private mutating func judgeLastStart() {
        guard let open = record.openStart else { return }
        switch launch?.lastExit {
        case .crash: end(open, .failed(.startFailedByCrash, "exit record: crash"))
        case .notResponding: end(open, .failed(.startFailedNotResponding, "exit record: not responding"))
        case .userRequested, .lowMemory, .other, .none:
            let told = launch?.lastExit.map { "exit record: \($0.rawValue)" } ?? "no exit record"
            if startsNote.endedInBackground(open.token) {
                end(open, .uncounted("in background, \(told)"))
            } else {
                end(open, .unclear(.startUnclear, "process ended before the confirmation, \(told)"))
            }
        }
    }

    // MARK: The choice

    /// The record is settled: what does this process start with?
    mutating func chooseAtStart() {
        if phase == .opening { phase = .running }
        let choice = startChoice()
        self.choice = choice
        if let choice, let forced = forcedToWaitFor, choice.key != forced {
            self.choice = nil
            return waitForForced(forced)
        }
        guard let choice else { return readyWithNothing() }
        if needsVerification(choice.key) {
            urgent.append(.verify(VersionCheck(key: choice.key, purpose: .start)))
        } else {
            ready()
        }
    }

    private func startChoice() -> StartChoice? {
        if let pending = record.pending, canStart(pending), !needsUser(pending) {
            let mayGo = record.wait.map { $0.rescuerConfirmed || $0.launches >= 2 } ?? true
            if mayGo { return StartChoice(key: pending, takesPending: true) }
        }
        if let current = record.current, canStart(current), !isSetAside(current), !needsUser(current) {
            return StartChoice(key: current, takesPending: false)
        }
        let aside = record.current.map { isSetAside($0) ? [$0] : [] } ?? []
        if let next = chain(without: aside) ?? chain(without: []), !needsUser(next) {
            return StartChoice(key: next, takesPending: false)
        }
        return nil
    }

    /// A proven version that did not confirm three times in a row stands back for one process (R3).
    private func isSetAside(_ key: VersionKey) -> Bool {
        record.isProven(key) && key != record.embedded && startsNote.unconfirmed(key) >= 3
    }

    mutating func ready() {
        guard let choice else { return }
        if choice.key != record.current, !choice.takesPending {
            tellSchema()
            if let current = record.current { leave(current) }
            record.current = choice.key
        }
        if durable.boot != record.boot { commit() }
        tellCurrent()
        effects.append(.ready)
        afterReady()
    }

    /// Another version than the current one is started, without an end of a start behind it: it is damaged,
    /// recalled, or set aside for this process. What is set aside comes again with the next process.
    private mutating func leave(_ current: VersionKey) {
        leftHere.append(current)
        guard isSetAside(current) else { return }
        log(.setAside, current, "three starts in a row ended unconfirmed")
        startsNote.reset(current)
        urgent.append(.note)
        if record.pending == nil { record.pending = current }
        commit()
    }

    private mutating func readyWithNothing() {
        tellSchema()
        if canBeShownByUser() != nil {
            effects.append(.screen(.recovery))
        } else {
            effects.append(.screen(network == .offline ? .offline : .loading(nil)))
        }
        afterReady()
    }

    private mutating func afterReady() {
        considerWaiting()
        let wished = wishesCheck
        wishesCheck = nil
        if settings.updates == .automatic, launch?.inForeground == true, !hasAskedAtLaunch {
            hasAskedAtLaunch = true
            wish(.launch)
        } else if let wished {
            wish(wished)
        }
        if mayDelete, phase == .running { sweepNow() }
    }
}

/// What a process starts with.
struct StartChoice: Hashable, Sendable {
    var key: VersionKey
    /// The first page load makes it current.
    var takesPending: Bool
}
