import Core

/// One line of a story. An action takes no virtual time and waits for nothing; time passes in
/// `wait`, `settle`, and an `expect` with `within` or `throughout`.
package struct Step: Hashable, Sendable {
    package var verb: Verb
    package var action: Action
    package var trigger: Trigger?
    /// One of several devices; nil: the first, or none.
    package var device: Spanned<String>?
    /// The name given with `as`: of the page load that a launch or reload begins, of a fault, or of the step.
    package var name: Spanned<String>?
    package var because: Spanned<String>?
    /// Search this step's crash points: "first launch" and the like. Read here, acted on elsewhere.
    package var crashPoints: Spanned<CrashPointRange>?
    /// Events whose orders are all tried.
    package var anyOrder: [Spanned<RacingEvent>]
    /// The step's whole object.
    package var span: SourceSpan
    /// Its verb's key.
    package var verbSpan: SourceSpan
}

package enum CrashPointRange: String, CaseIterable, Hashable, Sendable {
    case firstLaunch = "first launch"
    case thisStep = "this step"
}

package enum RacingEvent: String, CaseIterable, Hashable, Sendable {
    case navigationStarts = "navigation starts"
    case indexRequested = "index requested"
    case switchApplied = "switch applied"
    case confirmationArrives = "confirmation arrives"
}

/// The words a step can begin with.
package enum Verb: String, CaseIterable, Hashable, Sendable {
    case launch, relaunch, kill, powerCut, restart, background, foreground, suspend, resume, storeUpdate
    case deploy, recall, unblock, check, push, page, user
    case wait, settle, expect, always, never, mark, `repeat`
    case route, network, fault, heal, disk, set, crash
}

/// What a step says. A world performs all of them but those that only a story can (``Action/side``).
package enum Action: Hashable, Sendable {
    /// Starts the app, or brings the running one to the front.
    case launch(LaunchMode)
    /// Kill by the user, then launch.
    case relaunch(LaunchMode)
    case kill(DeathCause)
    /// The battery is gone, or was taken out; the power comes back at the next launch.
    case powerCut(PowerCutOutcome)
    /// The device shuts down in order and starts again; the app does not.
    case restart
    case background
    case foreground
    /// The process stands still; nil: until `resume`, or until it is brought to the front.
    case suspend(for: TimeSpan?)
    case resume
    /// The store installs a build, newer or older.
    case storeUpdate(build: Spanned<String>)
    indirect case deploy(DeploySpec)
    /// The origin recalls these versions.
    case recall([Spanned<String>])
    /// The origin takes these versions off devices' blacklists.
    case unblock([Spanned<String>])
    case check
    /// A silent push.
    case push
    indirect case page(PageSpec)
    case user(UserAction)
    case wait(Spanned<TimeSpan>)
    /// Until nothing is left but idle timers.
    case settle
    indirect case expect(ExpectStep)
    indirect case always(InvariantStep)
    indirect case never(InvariantStep)
    case mark(Spanned<String>)
    case `repeat`(RepeatSpec)
    /// The device reaches the origin through another edge.
    case route(edge: Spanned<String>)
    case network(NetworkKind)
    indirect case fault(FaultSpec)
    /// nil: all that are there, and the network is back.
    case heal(Spanned<String>?)
    indirect case disk(DiskSpec)
    indirect case set(SettingsSpec)
    indirect case crash(CrashSpec)
    /// Some seconds pass for the system's own writeback: all that was written becomes durable. No word says
    /// it; the crash search does.
    case flushDisk
}

package enum LaunchMode: String, CaseIterable, Hashable, Sendable {
    case foreground, background
}

/// What really ends the process; the device profile decides what the next one is told.
package enum DeathCause: String, CaseIterable, Hashable, Sendable {
    /// Swiped away.
    case user
    case system
    case lowMemory = "low memory"
    case crash
    /// The power is gone: the disk loses what was not durable.
    case battery
    case notResponding = "not responding"
    /// The store replaced the app package.
    case storeUpdate = "store update"

    /// Those that a `kill` can name.
    package static let kills: [DeathCause] = [.user, .system, .lowMemory, .crash, .battery]
    /// Those that leave a platform that can report them.
    package static let reportable: [DeathCause] = [
        .crash, .notResponding, .user, .lowMemory, .system, .storeUpdate,
    ]
}

package enum NetworkKind: String, CaseIterable, Hashable, Sendable {
    case online
    /// A network that costs (rule U15).
    case metered
    case offline
}

package struct DeploySpec: Hashable, Sendable {
    /// nil with `order: "embedded"` only: leave all downloaded versions.
    package var version: Spanned<String>?
    /// Empty: to all edges.
    package var edges: [Spanned<String>]
    package var order: DeployOrder
    /// Another one said beside "embedded", which is an order itself: a mistake.
    var surplusOrder: Spanned<DeployOrder>?
    package var parts: DeployParts
    /// Whether files that only older versions have stay on the origin.
    package var keepsOldFiles: Bool
    /// nil: everybody.
    package var audience: Spanned<Audience>?
}

extension DeploySpec {
    package init(_ version: Spanned<String>?, order: DeployOrder = .update, keepsOldFiles: Bool = true) {
        self.init(
            version: version, edges: [], order: order, surplusOrder: nil, parts: .all,
            keepsOldFiles: keepsOldFiles, audience: nil)
    }
}

/// Who is offered a version (rule U9): devices of which all that is said is true.
package struct Audience: Hashable, Sendable {
    package var user: String?
    package var cohort: String?
    package var channel: String?

    package init(user: String? = nil, cohort: String? = nil, channel: String? = nil) {
        self.user = user
        self.cohort = cohort
        self.channel = channel
    }
}

package enum DeployOrder: String, CaseIterable, Hashable, Sendable {
    case update, force, embedded
    case rollBack = "roll back"
}

/// A deploy that is not atomic goes in two steps, in either order.
package enum DeployParts: String, CaseIterable, Hashable, Sendable {
    case all, files, manifest
}

package struct RepeatSpec: Hashable, Sendable {
    package var count: Spanned<Int>
    /// From the begin of one round to that of the next, at least.
    package var every: Spanned<TimeSpan>?
    package var steps: [Step]
}
