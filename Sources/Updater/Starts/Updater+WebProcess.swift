import Core

/// The death of a web process (R3, R11).
///
/// In background nothing is loaded again, because no user waits for it and the system may have ended the
/// process to free memory. A version that dies while loading would also be loaded endlessly, because a start
/// in background has no clock and its deaths don't count. When the app comes to the front the page is loaded
/// once; a death after that counts like any other.
///
/// A page of another web view is loaded again in that view, within a limit that all views share. Its death is
/// no evidence against a start, because one renderer may serve all web views, and each of them then reports
/// the same death.
extension Updater {
    /// Two deaths in front are a failed start; other deaths reload the page.
    mutating func webProcessDied(_ token: PageLoadToken) {
        // It was not alive five seconds after its load (R6).
        endWatch(of: token)
        endCoverClock(token)
        let page = pages.page(token)
        let isOtherWebView = page?.isOtherWebView ?? false
        guard environment.inForeground else {
            log(.webProcessDiedInBackground, page?.key ?? record.current)
            webProcesses.diedInBackground(otherWebView: isOtherWebView ? token : nil)
            return
        }
        guard !isOtherWebView, belongsToStart(token), let run = starts.run else {
            return restartWebProcess(of: page)
        }
        // No page is left that a rescue would take from the user (R3).
        if run.hasEnded, starts.endPostponement() { return loadRescue() }
        guard run.isOpen, !run.isProven else { return restartWebProcess(of: page) }
        startChanged { $0.webProcessDeathsInFront += 1 }
        if run.webProcessDeathsInFront + 1 >= 2 {
            endStart(.failed(.startFailedWebProcess, "web process died twice in front"))
        } else {
            log(.webProcessRestarted, run.key)
            reload(.webProcessDied)
        }
    }

    /// R11: at most three times in ten minutes, then R9's screen; no blame. A page of another web view is
    /// then left as it is, because the app's first view still works.
    private mutating func restartWebProcess(of page: OpenPage?) {
        let key = page?.key ?? record.current
        let other = page.flatMap { $0.isOtherWebView ? $0.token : nil }
        let detail = other == nil ? "" : "in a web view beside the first"
        guard webProcesses.countReload(at: now) else {
            log(.webProcessGaveUp, key, detail)
            if other == nil { show(.recovery) }
            return
        }
        log(.webProcessRestarted, key, detail)
        if let other { effects.append(.reloadOtherWebView(other)) } else { reload(.webProcessDied) }
    }

    /// The app is in front again: loads the pages whose web process died.
    mutating func reloadDeadPages() {
        let dead = webProcesses.takeDead()
        if dead.first { reload(.webProcessDied) }
        for token in dead.otherWebViews where pages.page(token) != nil {
            effects.append(.reloadOtherWebView(token))
        }
    }

    /// Loads the page of the first web view anew.
    mutating func reload(_ reason: ReloadReason) {
        webProcesses.firstPageLoads()
        // The failed version behind R9's screen is loaded again, and its screen stays.
        if cover.isRecoveryShown, reason != .webProcessDied { show(.none) }
        effects.append(.reload(reason))
    }
}
