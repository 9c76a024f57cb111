import Core

/// What pages and the server say about a start (R2, R3, R6).
extension ReferenceModel {
    mutating func served(_ load: PageLoadToken) {
        guard let index = starts.lastIndex(where: { $0.loads.contains(load) }),
            starts[index].process == life.process, starts[index].servedAt == nil
        else { return }
        starts[index].servedAt = life.now
        starts[index].note(presence, life, cover(of: starts[index]))
    }

    /// A web view shows the page of this load, or one is gone: what covers a start may change.
    mutating func pagesChange(_ change: (inout Moments) -> Void, shown token: PageLoadToken?) {
        let before = starts.map(cover(of:))
        change(&moments)
        if let token { start(of: token) { $0.wasShown = true } }
        for (index, cover) in zip(starts.indices, before) where starts[index].isCounting(in: life.process) {
            let now = self.cover(of: starts[index])
            if now != cover { starts[index].note(presence, life, now) }
        }
    }

    /// R3.clock-in-front: what the user sees instead of the start's pages.
    func cover(of start: Start) -> Start.Cover {
        guard !moments.isShown(start.loads) else { return .none }
        switch moments.elsewhere {
        case .no: break
        case .perhaps: return .perhaps
        case .remoteRoot: return start.wasShown ? .otherVersion : .perhaps
        }
        guard let token = moments.token(shownIn: Moments.firstView),
            let shown = starts.last(where: { $0.process == life.process && $0.loads.contains(token) }),
            shown.version != start.version
        else { return .none }
        return start.wasShown ? .otherVersion : .perhaps
    }

    mutating func called(_ call: String, _ view: Int, _ token: PageLoadToken?, _ now: Instant) {
        switch call {
        case "startupDidComplete":
            guard app.settings.confirmation == .called else { return }
            start(of: token, shownIn: view) { $0.confirmedAt = $0.confirmedAt ?? now }
            oblige(.confirmed, .ownPage, token, view)
        case "startupDidFail":
            start(of: token, shownIn: view) { $0.failureReportedAt = $0.failureReportedAt ?? now }
            oblige(.failed, .pageFailure, token, view)
        case "holdOff": moments.isHeldOff = true
        case "release": moments.isHeldOff = false
        case "checkForUpdates": checks.allow(at: now)
        case "switchToPendingVersion":
            moments.wasCalled = true
            // Where nothing is pending any more, what an earlier call has asked for is still to be shown.
            if !report.pendingWaits, let pending = report.pending { moments.called = pending }
        default: break
        }
    }

    mutating func start(shownIn view: Int, _ change: (inout Start) -> Void) {
        guard let token = moments.token(shownIn: view) else { return }
        start(of: token, change)
    }

    private mutating func start(of token: PageLoadToken?, shownIn view: Int, _ change: (inout Start) -> Void)
    {
        guard let token = token ?? moments.token(shownIn: view) else { return }
        start(of: token, change)
    }

    private mutating func start(of token: PageLoadToken, _ change: (inout Start) -> Void) {
        let index = starts.lastIndex { $0.process == life.process && $0.loads.contains(token) }
        if let index { change(&starts[index]) }
    }
}
