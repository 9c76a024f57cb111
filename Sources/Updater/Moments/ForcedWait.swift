import Core

/// U6: a launch that finds a forced version, accepted by an earlier check and not complete, shows loading
/// while its bytes arrive: at most 10 s without progress and 30 s in all. Then it starts what is there.
struct ForcedWait: Hashable, Sendable {
    var key: VersionKey
    var since: Instant
    var lastProgress: Instant

    static let silent = TimeSpan.seconds(10)
    static let whole = TimeSpan.seconds(30)

    func left(at now: Instant) -> TimeSpan {
        max(.zero, min(ForcedWait.silent - (now - lastProgress), ForcedWait.whole - (now - since)))
    }
}

extension Updater {
    /// Only where something else could be started: without any content it is U7's loading anyway.
    var forcedToWaitFor: VersionKey? {
        guard let forced = record.forced, settings.updates == .automatic, network == .online, inForeground,
            !hasAskedAtLaunch, version(forced) == nil || isDamaged(forced), !record.isBlacklisted(forced),
            !record.isRecalled(forced), record.parked?.key != forced, record.marks(forced).failures == 0
        else { return nil }
        return forced
    }

    mutating func waitForForced(_ key: VersionKey) {
        forcedWait = ForcedWait(key: key, since: now, lastProgress: now)
        hasAskedAtLaunch = true
        log(.forcedWait, key, "begins")
        effects.append(.screen(.loading(nil)))
        effects.append(.setTimer(.forced, after: ForcedWait.silent))
        wish(.launch)
    }

    /// Bytes of any transfer: the origin is there.
    mutating func forcedWaitProgressed() { forcedWait?.lastProgress = now }

    /// Ends the wait when its version is there, when nothing of it is under way any more, or in time.
    mutating func updateForcedWait() {
        guard let wait = forcedWait else { return }
        if durable.pending == wait.key { return endForcedWait(wait, "complete") }
        let isComing = download?.table.key == wait.key || record.pending == wait.key || check != nil
        guard isComing else { return endForcedWait(wait, "nothing arrives") }
        let left = wait.left(at: now)
        if left == .zero { return endForcedWait(wait, "no longer") }
        effects.append(.setTimer(.forced, after: left))
    }

    private mutating func endForcedWait(_ wait: ForcedWait, _ why: String) {
        forcedWait = nil
        effects.append(.cancelTimer(.forced))
        log(.forcedWait, wait.key, "ends: \(why)")
        effects.append(.screen(.none))
        chooseAtStart()
    }
}
