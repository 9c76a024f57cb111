import Core

/// What a process start decides from the record, before anything is loaded: the store update (N1), the end of
/// the last start (R3), the choice (R9).
extension Updater {
    mutating func settle() {
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
        startsNote = StartsNote()
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
        if !record.line.root.isEmpty { log(.lineChanged, nil, "to=\(line.root) channel=\(line.channel)") }
        dropUnfitPending("another origin line")
        record.line = line
        record.newestAccepted = .none
        record.settled = nil
        record.accepted = nil
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
        if let next = chain(without: []), !needsUser(next) {
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
            if let current = record.current, isSetAside(current) {
                log(.setAside, current, "three starts in a row ended unconfirmed")
                startsNote.reset(current)
                urgent.append(.note)
            }
            leftHere.append(contentsOf: record.current.map { [$0] } ?? [])
            record.current = choice.key
        }
        tellCurrent()
        effects.append(.ready)
        afterReady()
    }

    private mutating func readyWithNothing() {
        if canBeShownByUser() != nil {
            effects.append(.screen(.recovery))
        } else {
            effects.append(.screen(network == .offline ? .offline : .loading(nil)))
        }
        afterReady()
    }

    private mutating func afterReady() {
        for ask in asks { consider(ask) }
        let wished = wishesCheck
        wishesCheck = nil
        if settings.updates == .automatic, launch?.inForeground == true {
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
