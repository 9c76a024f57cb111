import Core

/// Switches other than by a page load (U6, U13): the moments at which they are allowed, and what holds them
/// off.
extension Updater {
    /// The version that a switch would make current: the pending one, or, if the running version has been
    /// recalled, the next of the recovery chain.
    func switchTarget() -> VersionKey? {
        if let pending = record.pending, record.wait == nil, canStart(pending),
            !selection.hasAbandoned(pending)
        {
            return pending
        }
        guard let current = record.current, record.isRecalled(current) else { return nil }
        return recoveryVersion(excluding: [current])
    }

    mutating func switchRequested(by token: PageLoadToken) {
        guard store.phase == .running, let target = switchTarget() else {
            effects.append(.switchAnswered(token, .nothingPending))
            return
        }
        guard target != record.pending || isWithinSwitchLimit(target) else {
            refuseSwitch(to: target)
            effects.append(.switchAnswered(token, .tooOften))
            return
        }
        if target == record.pending { recordRequestedSwitch(to: target) }
        makeCurrent(target, "moment=switch call")
        selection.choice = nil
        commit(then: .switchAnswer(token, target))
    }

    /// U5: a switch that neither the page requested nor a process start caused, once per process.
    mutating func switchUnprompted(_ reason: ReloadReason) {
        guard !switching.hasSwitched, !environment.inForeground || reason == .longAbsence,
            let target = switchTarget(),
            selection.choice?.activatesPending != true
        else { return }
        guard !switching.isHeldOff(at: now) else { return log(.heldOff, target, "moment=\(reason.rawValue)") }
        switching.switched()
        makeCurrent(target, "moment=\(reason.rawValue)")
        selection.choice = nil
        announceCurrent()
        commit()
        reload(reason)
    }

    /// In background: activates the version that the origin forces (U6).
    mutating func switchToForced() {
        guard !environment.inForeground, let forced = record.forced, record.pending == forced else { return }
        switchUnprompted(.forced)
    }

    // MARK: Holding off switches

    mutating func holdOff(_ isHeld: Bool) {
        guard isHeld else { return endHoldOff() }
        if switching.holdOff(at: now) { log(.heldOff, record.current, "the page asks for it") }
    }

    /// What the page held off happens now, if its moment is not over: in background (U6).
    private mutating func endHoldOff() {
        guard switching.isHeldOff(at: now) else { return switching.endHoldOff() }
        switching.endHoldOff()
        guard store.phase == .running else { return }
        if switching.isPushed { switchUnprompted(.push) }
        switchToForced()
    }

    // MARK: R9's screen

    /// Starts what has arrived meanwhile, or else the version behind R9's screen. Not limited, because the
    /// user causes each of these starts.
    mutating func userTriesAgain() {
        if let wait = switching.launchWait {
            log(.userStarted, wait.key)
            return endLaunchWait("the user tries again")
        }
        guard store.phase == .running, let key = versionForUserRetry() else { return }
        if key == record.pending {
            makeCurrent(key, "moment=try again")
            commit()
        } else if record.current != key {
            record.current = key
            commit()
        }
        selection.userStarts(key)
        log(.userStarted, key)
        announceCurrent()
        reload(.rescue)
    }
}
