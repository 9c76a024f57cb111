import Backend
import Core

/// Process, foreground and boot of a device, as they happened.
struct DeviceLife: Hashable, Sendable {
    /// Where the app is, as R2's note says it.
    enum Presence: Hashable, Sendable {
        /// In front and active.
        case front
        /// Not active, or in background.
        case away
    }

    var now = Instant.zero
    var build: String
    var process = 0
    var isAlive = false
    var isForeground = false
    var isActive = false
    var isSuspended = false
    var boot = 0
    /// Whether there is a network; one that fails is none of the device's facts.
    var isOnline = true
    var launchedInFront = false
    /// By how much timers may have fired late so far, and those that were set then may still do.
    var timerDelay = TimeSpan.zero
    /// Times of the process in which it was suspended.
    var sleeps: [Sleep] = []
    /// Time that the process has run, suspension not counted.
    var awake = TimeSpan.zero
    /// When the app last came to the front.
    var cameToFrontAt: Instant?
    /// When the app was last sent to background.
    var leftAt: Instant?
    /// Cause of the end of the process before, and when it ended.
    var end: ProcessEnd?
    /// Build of the last process that reported its state.
    var noticedBuild: String?
    /// Whether a process of another build ended before it reported: it may have settled the update, or not.
    var mayHaveNoticed = false

    struct ProcessEnd: Hashable, Sendable {
        var isPowerCut: Bool
        /// Whether the power failed after it: what the process had noted without a sync may be lost.
        var isBeforePowerCut = false
        /// Whether that cut has lost something: any note may be that of before.
        var hasLostWrites = false
        /// What the platform says about it to the next process.
        var exitRecord: String?
        var at: Instant
        var sleeps: [Sleep] = []

        /// Time that the process ran since an instant, suspension not counted.
        func ran(since begin: Instant) -> TimeSpan {
            sleeps.reduce(at - begin) { span, sleep in
                let (from, to) = (max(sleep.from, begin), min(sleep.to ?? at, at))
                return to > from ? span - (to - from) : span
            }
        }
    }

    struct Sleep: Hashable, Sendable {
        var from: Instant
        /// Nil: it has not resumed.
        var to: Instant?
    }

    init(build: String) { self.build = build }

    var isInFront: Bool { isForeground && !isSuspended }
}

extension ReferenceModel {
    mutating func observeDevice(_ event: TraceEvent) {
        switch event.kind {
        case .installed(let build): life.build = build
        case .launched(let foreground, let boot):
            previousReport = hasReported ? report : previousReport
            hadReported = hasReported
            hasReported = false
            let isUpdated = life.noticedBuild.map { app.isStoreUpdate(from: $0, to: life.build) } ?? false
            // A process of another build ended before it reported: whether it settled the update is not
            // known.
            if life.mayHaveNoticed, !isUpdated { hasTrouble = true }
            let isSameBoot = life.boot == boot
            isFirstReportOfBuild = isUpdated && !life.mayHaveNoticed
            let isOtherBuild = isUpdated || life.mayHaveNoticed
            life.process = event.process
            life.isAlive = true
            life.isForeground = foreground
            life.isActive = foreground
            life.isSuspended = false
            life.boot = boot
            life.leftAt = foreground ? nil : event.at
            life.launchedInFront = foreground
            life.awake = .zero
            life.sleeps = []
            checks = CheckReasons()
            decideNeverChecks()
            if foreground, mayCheckByItself {
                checks.require(.checkAtLaunch, at: event.at)
            } else {
                checks.allow(at: event.at)
            }
            if moments.isPushed { checks.allow(at: event.at) }
            life.mayHaveNoticed = isOtherBuild
            moments.launch(inFront: foreground)
            if isOtherBuild { forgetBuild() } else { launchEvaluates(isSameBoot: isSameBoot) }
        case .processEnded(let cause):
            end(
                DeviceLife.ProcessEnd(
                    isPowerCut: cause == .battery, exitRecord: profile.exitRecord(after: cause)?.rawValue,
                    at: event.at))
        case .powerCut(let survived, let written):
            if life.isAlive { end(DeviceLife.ProcessEnd(isPowerCut: true, exitRecord: nil, at: event.at)) }
            life.end?.isBeforePowerCut = true
            life.end?.hasLostWrites = survived < written
        case .foregrounded:
            presenceChanges {
                $0.isForeground = true
                $0.isActive = true
            }
            life.cameToFrontAt = event.at
            decideNeverChecks()
            moments.comeToFront(at: event.at, after: life.leftAt.map { event.at - $0 })
            checks.comeToFront(at: event.at, isRequired: mayCheckByItself)
            // Without content the user is told that it is tried again (U7).
            if hasReported, report.current == nil { checks.allow(at: event.at) }
            life.leftAt = nil
        case .backgrounded:
            moments.leaveFront(at: event.at)
            presenceChanges {
                $0.isForeground = false
                $0.isActive = false
            }
            life.leftAt = event.at
            life.launchedInFront = false
            moments.postponedRescue = nil
            checks.excuse()
        case .activated: presenceChanges { $0.isActive = true }
        case .deactivated: presenceChanges { $0.isActive = false }
        case .suspended:
            life.isSuspended = true
            life.sleeps.append(DeviceLife.Sleep(from: event.at))
        case .resumed: resumed(at: event.at)
        default: break
        }
    }

    private mutating func resumed(at now: Instant) {
        life.isSuspended = false
        if let sleep = life.sleeps.last {
            life.sleeps[life.sleeps.count - 1].to = now
            // What came meanwhile reaches the updater now.
            checks.resume(at: now, from: sleep.from)
            if let front = life.cameToFrontAt, front >= sleep.from {
                // What came in the moment of the suspension may have reached it before, and the app may have
                // left the front since.
                let isRequired = mayCheckByItself && life.isForeground && front > sleep.from
                checks.comeToFront(at: now, isRequired: isRequired)
            }
            moments.resume(at: now, from: sleep.from)
            if let changed = settingsChangedAt, changed >= sleep.from { settingsChangedAt = now }
        }
        life.isActive = life.isActive && life.isForeground
        notePresence()
    }

    private var mayCheckByItself: Bool {
        let boot = profile.providesBootID ? life.boot : nil
        return app.settings.updates == .automatic && life.isOnline
            && !answers.mayHaveToWait(at: life.now, boot: boot)
    }

    /// U14: what lets another app check is compared with the requests that follow, of which there is none.
    private mutating func decideNeverChecks() { if app.settings.updates == .never { decide(.neverChecks) } }

    private mutating func end(_ end: DeviceLife.ProcessEnd) {
        guard life.isAlive else { return }
        life.end = end
        life.end?.sleeps = life.sleeps
        life.isAlive = false
        life.isForeground = false
        life.isActive = false
        life.isSuspended = false
        terms.withdraw()
        checks.excuse()
    }

    /// R2: what is noted of the app. Under a debugger it is never in front.
    var presence: DeviceLife.Presence {
        life.isForeground && life.isActive && !app.isDebugged ? .front : .away
    }

    /// A process that is stopped does not learn of a change; nothing is noted before its index is served.
    private mutating func presenceChanges(_ change: (inout DeviceLife) -> Void) {
        let wasSuspended = life.isSuspended
        change(&life)
        if !wasSuspended { notePresence() }
    }

    private mutating func notePresence() {
        for index in starts.indices where starts[index].isCounting(in: life.process) {
            starts[index].note(presence, life, cover(of: starts[index]))
        }
    }
}
