import Core

/// The moments that are no page load (U6, U13): what may switch by itself, and what holds it off.
extension Updater {
    /// What a switch would make current: what is pending, or, where what runs has been recalled, the chain.
    func switchTarget() -> VersionKey? {
        if let pending = record.pending, record.wait == nil, canStart(pending), !leftHere.contains(pending) {
            return pending
        }
        guard let current = record.current, record.isRecalled(current) else { return nil }
        return chain(without: [current])
    }

    mutating func switchAsked(by token: PageLoadToken) {
        guard phase == .running, let target = switchTarget() else {
            effects.append(.switchAnswered(token, .nothingPending))
            return
        }
        guard target != record.pending || mayBeAskedFor(target) else {
            refuseSwitch(to: target)
            effects.append(.switchAnswered(token, .tooOften))
            return
        }
        if target == record.pending { noteAskedSwitch(to: target) }
        makeCurrent(target, "moment=switch call")
        choice = nil
        commit(then: .switchAnswer(token, target))
    }

    /// U5: a switch that neither the page asked for nor a process start made, once per process.
    mutating func switchUnasked(_ reason: ReloadReason) {
        guard !hasSwitchedUnasked, !inForeground || reason == .longAbsence, let target = switchTarget(),
            choice?.takesPending != true
        else { return }
        guard !isHeldOff else { return log(.heldOff, target, "moment=\(reason.rawValue)") }
        hasSwitchedUnasked = true
        isPushed = false
        makeCurrent(target, "moment=\(reason.rawValue)")
        choice = nil
        tellCurrent()
        commit()
        reload(reason)
    }

    /// In background: what the origin forces (U6) is taken up now.
    mutating func switchToForced() {
        guard !inForeground, let forced = record.forced, record.pending == forced else { return }
        switchUnasked(.forced)
    }

    // MARK: Holding off

    mutating func holdOff(_ isHeld: Bool) {
        guard isHeld else {
            heldOffSince = nil
            return
        }
        if heldOffSince == nil { log(.heldOff, record.current, "the page asks for it") }
        heldOffSince = heldOffSince ?? now
    }

    var isHeldOff: Bool { heldOffSince.map { now - $0 < .hours(24) } ?? false }

    // MARK: R9's screen

    /// Bounded by the user, who makes each of these starts.
    mutating func userTriesAgain() {
        guard phase == .running, let key = canBeShownByUser() else { return }
        choice = nil
        record.current = key
        userChoice = key
        leftHere.removeAll { $0 == key }
        log(.userStarted, key)
        effects.append(.screen(.none))
        tellCurrent()
        reload(.rescue)
    }
}
