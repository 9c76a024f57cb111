import Core

/// What the updater does when the app enters or leaves the front, when the process is suspended, and when the
/// network changes.
extension Updater {
    mutating func networkChanged(_ state: NetworkState) {
        let previous = environment.network
        environment.network = state
        if previous != state { retryDisk() }
        guard store.phase == .running, previous != state else { return }
        showMissingContent(screenWithoutContent)
        guard state != .offline else { return }
        resetBackoffs()
        if previous != .offline { applyDataPolicy() }
        if download != nil || checks.isOutstanding {
            retryTimerFired()
        } else if hasNothingToShow {
            requestCheck(.own)
        }
    }

    /// Whether there is no content: none has ever been taken, or this process found it unusable (R10).
    var hasNothingToShow: Bool {
        selection.choice == nil && (record.current == nil || selection.isWithoutContent)
    }

    /// Checks if there is nothing to show and nothing is under way: what was stored turned out to be damaged
    /// after the check of this launch or return, and the user would see the loading screen until the next one
    /// (R10, U7).
    mutating func lookForContent() {
        guard hasNothingToShow, environment.inForeground, settings.updates == .automatic else { return }
        if checks.run == nil, download == nil { requestCheck(.own) }
    }

    /// Shows that there is no content yet, except over the recovery screen: it is shown where there is
    /// content that can't be started, and offers to try that (R9).
    mutating func showMissingContent(_ screen: Screen) {
        if hasNothingToShow, !cover.isRecoveryShown { show(screen) }
    }

    /// The screen while there is no content (U7). It is the offline one, with its button, where nothing is
    /// under way and none is requested automatically, or the download waits for another network (U15): the
    /// user would wait for ever.
    var screenWithoutContent: Screen {
        let isChecking = checks.run != nil || checks.queued != nil
        let isWaiting = !isChecking && download?.isPausedByPolicy == true
        let isComing = !isWaiting && (settings.updates == .automatic || isChecking || download != nil)
        return environment.network == .offline || !isComing ? .offline : .loading(progress.shown)
    }

    /// The app came to the front: may switch after long absence, and checks if the last check was 15 min ago.
    mutating func enteredForeground() {
        let absence = environment.enterForeground(at: now)
        retryDisk()
        switching.isPushed = false
        updateClock()
        noteStart()
        guard store.phase == .running else {
            // The store is being opened, or will be: the check follows then.
            if settings.updates == .automatic, checks.queued == nil { checks.queue(.foreground) }
            return reloadDeadPages()
        }
        if settings.switchesOnReturn, absence >= .minutes(30) { switchUnprompted(.longAbsence) }
        reloadDeadPages()
        let isDue = checks.lastSent.map { now - $0 >= .minutes(15) } ?? true
        if settings.updates == .automatic, isDue { requestCheck(.foreground) } else { lookForContent() }
        resetBackoffs()
        retryTimerFired()
    }

    /// The app left the front: runs a postponed rescue or a forced switch.
    mutating func enteredBackground() {
        environment.enterBackground(at: now)
        updateClock()
        saveOriginDelay()
        noteStart()
        guard starts.endPostponement() else { return switchToForced() }
        loadRescue()
    }

    /// Changes nothing but what is noted about the start (R2).
    mutating func activityChanged(_ isActive: Bool) {
        environment.setActive(isActive)
        noteStart()
    }

    mutating func suspend() {
        environment.suspend(at: now)
        updateClock()
    }

    /// The time of a suspension is discounted when it ends (N3).
    mutating func resume() {
        if let span = environment.resume(at: now) { discount(span) }
        updateClock()
    }
}
