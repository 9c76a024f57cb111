import Core

/// U6: a launch that finds a forced version, accepted by an earlier check and incomplete, shows the loading
/// screen while its bytes arrive: at most 10 s without progress and 30 s in total. Then it starts the version
/// that is available.
struct ForcedWait: Hashable, Sendable {
    var key: VersionKey
    var since: Instant
    var lastProgress: Instant

    /// The process did not run for this time, which does not count.
    mutating func discount(_ span: TimeSpan) {
        since = since + span
        lastProgress = lastProgress + span
    }

    static let maxSilence = TimeSpan.seconds(10)
    static let maxDuration = TimeSpan.seconds(30)

    func remaining(at now: Instant) -> TimeSpan {
        max(.zero, min(ForcedWait.maxSilence - (now - lastProgress), ForcedWait.maxDuration - (now - since)))
    }
}

extension Updater {
    /// The forced version to wait for, if another one could be started. Without any content, U7's loading
    /// screen is shown anyway.
    var forcedVersionToAwait: VersionKey? {
        guard let forced = record.forced, settings.updates == .automatic, environment.network == .online,
            environment.inForeground,
            !checks.hasRequestedAtLaunch, version(forced) == nil || isDamaged(forced),
            !record.isBlacklisted(forced),
            !record.isRecalled(forced), record.parked?.key != forced,
            record.startHistory(of: forced).failures == 0
        else { return nil }
        return forced
    }

    mutating func waitForForced(_ key: VersionKey) {
        switching.forcedWait = ForcedWait(key: key, since: now, lastProgress: now)
        checks.requestAtLaunch()
        log(.forcedWait, key, "begins")
        effects.append(.screen(.loading(nil)))
        effects.append(.setTimer(.forced, after: ForcedWait.maxSilence))
        requestCheck(.launch)
    }

    /// Bytes of any transfer arrived: the origin answers.
    mutating func forcedWaitProgressed() { switching.forcedWait?.lastProgress = now }

    /// Ends the wait when the version is available, when nothing of it is in progress any more, or when the
    /// time is over.
    mutating func updateForcedWait() {
        guard let wait = switching.forcedWait else { return }
        if durable.pending == wait.key { return endForcedWait(wait, "complete") }
        let isComing = download?.table.key == wait.key || record.pending == wait.key || checks.run != nil
        guard isComing else { return endForcedWait(wait, "nothing arrives") }
        let remaining = wait.remaining(at: now)
        if remaining == .zero { return endForcedWait(wait, "no longer") }
        effects.append(.setTimer(.forced, after: remaining))
    }

    private mutating func endForcedWait(_ wait: ForcedWait, _ reason: String) {
        switching.forcedWait = nil
        effects.append(.cancelTimer(.forced))
        log(.forcedWait, wait.key, "ends: \(reason)")
        effects.append(.screen(.none))
        chooseAtStart()
    }
}
