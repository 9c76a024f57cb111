import Core

/// A launch that waits for the network although a version could be started. Two cases, both bounded (U7):
///
/// - *Forced* (U6): the launch finds a forced version, accepted by an earlier check and incomplete. It shows
///   the loading screen while bytes arrive: at most 10 s without progress and 30 s in total.
/// - *Fix* (R13): the only version that can be started did not get through its last two starts, and no check
///   has ended since the first of them: each process ended before it could learn of a fix. The launch shows
///   R9's screen and checks first: at most 10 s without progress and 60 s in total.
///
/// Then it starts the version that is available.
struct LaunchWait: Hashable, Sendable {
    enum Purpose: Hashable, Sendable {
        case forced
        case fix
    }

    var purpose: Purpose
    /// The forced version, or the only one.
    var key: VersionKey
    var since: Instant
    var lastProgress: Instant

    /// The process did not run for this time, which does not count.
    mutating func discount(_ span: TimeSpan) {
        since = since + span
        lastProgress = lastProgress + span
    }

    static let maxSilence = TimeSpan.seconds(10)

    var maxDuration: TimeSpan {
        switch purpose {
        case .forced: .seconds(30)
        case .fix: .seconds(60)
        }
    }

    func remaining(at now: Instant) -> TimeSpan {
        max(.zero, min(LaunchWait.maxSilence - (now - lastProgress), maxDuration - (now - since)))
    }
}

extension Updater {
    /// The forced version to wait for, if another one could be started. Without any content, U7's loading
    /// screen is shown anyway.
    var forcedVersionToAwait: VersionKey? {
        guard let forced = record.forced, settings.updates == .automatic, mayDownload,
            environment.inForeground,
            !checks.hasRequestedAtLaunch, version(forced) == nil || isDamaged(forced),
            !record.isBlacklisted(forced),
            !record.isRecalled(forced), record.parked?.key != forced,
            !record.startHistory(of: forced).needsSecondChance
        else { return nil }
        return forced
    }

    /// Whether the network is one that files of any size may be downloaded over (U15).
    private var mayDownload: Bool {
        switch environment.network {
        case .online: true
        case .metered: settings.usesMeteredNetwork && settings.meteredBytes == nil
        case .offline: false
        }
    }

    mutating func waitForForced(_ key: VersionKey) {
        log(.forcedWait, key, "begins")
        show(.loading(nil))
        beginLaunchWait(.forced, key)
        requestCheck(.launch)
    }

    /// R13: whether this launch checks before it starts its only version.
    func mustCheckBeforeStart(of key: VersionKey) -> Bool {
        environment.inForeground && store.phase == .running && !switching.hasWaitedForFix
            && settings.updates != .never && environment.network != .offline
            && starts.file.brokenStarts(key) >= StartsFile.brokenStartsBeforeCheck
            && recoveryVersion(excluding: [key]) == nil
    }

    mutating func waitForFix(_ key: VersionKey) {
        log(.waitsForFix, key, "begins")
        switching.hasWaitedForFix = true
        show(.recovery)
        beginLaunchWait(.fix, key)
        requestCheck(.recovery)
    }

    private mutating func beginLaunchWait(_ purpose: LaunchWait.Purpose, _ key: VersionKey) {
        switching.launchWait = LaunchWait(purpose: purpose, key: key, since: now, lastProgress: now)
        effects.append(.setTimer(.forced, after: LaunchWait.maxSilence))
        if settings.updates == .automatic { checks.requestAtLaunch() }
    }

    /// Bytes of any transfer arrived: the origin answers.
    mutating func launchWaitProgressed() { switching.launchWait?.lastProgress = now }

    /// Ends the wait when the version is available, when nothing of it is in progress any more, or when the
    /// time is over.
    mutating func updateLaunchWait() {
        guard let wait = switching.launchWait else { return }
        let remaining = wait.remaining(at: now)
        if let reason = reasonToEnd(wait) ?? (remaining == .zero ? "no longer" : nil) {
            return endLaunchWait(reason)
        }
        effects.append(.setTimer(.forced, after: remaining))
    }

    private func reasonToEnd(_ wait: LaunchWait) -> String? {
        switch wait.purpose {
        case .forced:
            let isPending = record.pending == wait.key && !isDamaged(wait.key)
            if durable.pending == wait.key, isPending { return "complete" }
            let isComing = download?.table.key == wait.key || isPending || checks.run != nil
            return isComing ? nil : "nothing arrives"
        case .fix:
            if let pending = durable.pending, pending == record.pending, pending != wait.key,
                startChoice()?.key == pending
            {
                return "complete"
            }
            if environment.network == .offline { return "offline" }
            let isComing =
                download != nil || record.pending != durable.pending || checks.run != nil
                || checks.isOutstanding
            return isComing ? nil : "nothing arrives"
        }
    }

    /// Starts what there is.
    mutating func endLaunchWait(_ reason: String) {
        guard let wait = switching.launchWait else { return }
        switching.launchWait = nil
        effects.append(.cancelTimer(.forced))
        switch wait.purpose {
        case .forced: log(.forcedWait, wait.key, "ends: \(reason)")
        case .fix: log(.waitsForFix, wait.key, "ends: \(reason)")
        }
        show(.none)
        chooseAtStart()
    }
}
