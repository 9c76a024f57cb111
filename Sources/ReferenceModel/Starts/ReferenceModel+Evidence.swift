import Core

/// What pages and the server say about a start (R2, R3, R6).
extension ReferenceModel {
    mutating func served(_ load: PageLoadToken) {
        guard let index = starts.lastIndex(where: { $0.loads.contains(load) }),
            starts[index].process == life.process, starts[index].servedAt == nil
        else { return }
        starts[index].servedAt = life.now
        starts[index].note(presence, life)
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
            moments.called = report.pendingWaits ? nil : report.pending
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
