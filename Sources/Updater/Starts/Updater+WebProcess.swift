import Core

/// Pages whose web process died while the app was in background.
struct DeadPages: Hashable, Sendable {
    /// That of the first web view.
    var first = false
    /// Those of web views beside it.
    var beside: [PageLoadToken] = []
}

/// The death of a web process (R3, R11).
///
/// In background nothing is loaded again: no user waits for it, the system may have ended the process to get
/// its memory back, and a version that dies at its load would be loaded without end, because a start in
/// background has no clock and its deaths count for nothing. When the app comes to the front the page is
/// loaded once; what happens then is judged as any other death in front.
///
/// A page beside the first is loaded again in its own web view, within the bound that all share. Its death is
/// no evidence against a start: one renderer may serve all web views, and each of them then reports its one
/// death.
extension Updater {
    mutating func webProcessDied(_ token: PageLoadToken) {
        // Not alive five seconds after its load (R6).
        effects.append(.cancelTimer(.aliveAfterLoad(token)))
        let page = pages.first { $0.token == token }
        let isBeside = page?.isBeside ?? false
        guard inForeground else {
            log(.webProcessDiedInBackground, page?.key ?? record.current)
            if isBeside { deadPages.beside.append(token) } else { deadPages.first = true }
            return
        }
        guard !isBeside else { return restartWebProcess(beside: page) }
        guard ofStart(token), let run = start else { return restartWebProcess() }
        guard run.isOpen, !run.isProven else { return restartWebProcess() }
        startChanged { $0.webDeathsInFront += 1 }
        if run.webDeathsInFront + 1 >= 2 {
            endRun(.failed(.startFailedWebProcess, "web process died twice in front"))
        } else {
            log(.webProcessRestarted, run.key)
            reload(.webProcessDied)
        }
    }

    /// R11: at most three times in ten minutes, then R9's screen; no blame. A page beside the first then
    /// stays as it is: the app's own screen lives.
    private mutating func restartWebProcess(beside page: OpenPage? = nil) {
        webDeaths.removeAll { now - $0 > .minutes(10) }
        let key = page?.key ?? record.current
        guard webDeaths.count < 3 else {
            log(.webProcessGaveUp, key, page == nil ? "" : "in a web view beside the first")
            if page == nil { effects.append(.screen(.recovery)) }
            return
        }
        webDeaths.append(now)
        log(.webProcessRestarted, key, page == nil ? "" : "in a web view beside the first")
        if let page { effects.append(.reloadBeside(page.token)) } else { reload(.webProcessDied) }
    }

    /// The app is in front again.
    mutating func reloadDeadPages() {
        if deadPages.first { reload(.webProcessDied) }
        for token in deadPages.beside where pages.contains(where: { $0.token == token }) {
            effects.append(.reloadBeside(token))
        }
        deadPages = DeadPages()
    }

    /// The first web view gets a fresh page, dead or not.
    mutating func reload(_ reason: ReloadReason) {
        deadPages.first = false
        effects.append(.reload(reason))
    }
}
