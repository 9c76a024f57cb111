import Core

/// One line of a story. An action takes no virtual time and waits for nothing; time passes in
/// `wait`, `settle`, and an `expect` with `within` or `throughout`.
public struct Step: Hashable, Sendable {
    public var verb: Verb
    public var action: Action
    public var trigger: Trigger?
    /// One of several devices; nil: the first, or none.
    public var device: Spanned<String>?
    /// The name given with `as`: of the page load that a launch or reload begins, of a fault, or of the step.
    public var name: Spanned<String>?
    public var because: Spanned<String>?
    /// Search this step's crash points: "first launch" and the like. Read here, acted on elsewhere.
    public var crashPoints: Spanned<CrashPointRange>?
    /// Events whose orders are all tried.
    public var anyOrder: [Spanned<RacingEvent>]
    /// The step's whole object.
    public var span: SourceSpan
    /// Its verb's key.
    public var verbSpan: SourceSpan
}

public enum CrashPointRange: String, CaseIterable, Hashable, Sendable {
    case firstLaunch = "first launch"
    case thisStep = "this step"
}

public enum RacingEvent: String, CaseIterable, Hashable, Sendable {
    case navigationStarts = "navigation starts"
    case indexRequested = "index requested"
    case switchApplied = "switch applied"
    case confirmationArrives = "confirmation arrives"
}

/// The words a step can begin with.
public enum Verb: String, CaseIterable, Hashable, Sendable {
    case launch, relaunch, kill, powerCut, restart, background, foreground, suspend, resume, storeUpdate
    case deploy, recall, unblock, check, push, page, user
    case wait, settle, expect, always, never, mark, `repeat`
    case route, network, fault, heal, disk, set, crash
}

public enum Action: Hashable, Sendable {
    case launch(LaunchMode)
    /// Kill by the user, then launch.
    case relaunch(LaunchMode)
    case kill(DeathCause)
    /// The battery is gone, or was taken out.
    case powerCut
    /// The device shuts down in order and starts again; the app does not.
    case restart
    case background
    case foreground
    /// The process stands still; nil: until `resume`.
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
    indirect case always(StandingStep)
    indirect case never(StandingStep)
    case mark(Spanned<String>)
    case `repeat`(RepeatSpec)
    /// The device reaches the origin through another edge.
    case route(edge: Spanned<String>)
    case network(NetworkState)
    indirect case fault(FaultSpec)
    /// nil: all that are there.
    case heal(Spanned<String>?)
    indirect case disk(DiskSpec)
    indirect case set(SettingsSpec)
    indirect case crash(CrashSpec)
}

public enum LaunchMode: String, CaseIterable, Hashable, Sendable {
    case foreground, background
}

/// What really ends the process; the device profile decides what the next one is told.
public enum DeathCause: String, CaseIterable, Hashable, Sendable {
    case user, system
    case lowMemory = "low memory"
    case crash, battery
}

public enum NetworkState: String, CaseIterable, Hashable, Sendable {
    case online
    /// A network that costs (rule U15).
    case metered
    case offline
}

public struct DeploySpec: Hashable, Sendable {
    /// nil with `order: "embedded"` only: leave all downloaded versions.
    public var version: Spanned<String>?
    /// Empty: to all edges.
    public var edges: [Spanned<String>]
    public var order: DeployOrder
    /// Another one said beside "embedded", which is an order itself: a mistake.
    var surplusOrder: Spanned<DeployOrder>?
    public var parts: DeployParts
    /// Whether files that only older versions have stay on the origin.
    public var keepsOldFiles: Bool
    /// nil: everybody.
    public var audience: AudienceSpec?
}

/// Who is offered a version (rule U9): devices of which all that is said is true.
public struct AudienceSpec: Hashable, Sendable {
    public var user: Spanned<String>?
    public var cohort: Spanned<String>?
    public var channel: Spanned<String>?
    public var span: SourceSpan
}

public enum DeployOrder: String, CaseIterable, Hashable, Sendable {
    case update, force, embedded
    case rollBack = "roll back"
}

/// A deploy that is not atomic goes in two steps, in either order.
public enum DeployParts: String, CaseIterable, Hashable, Sendable {
    case all, files, manifest
}

public struct RepeatSpec: Hashable, Sendable {
    public var count: Spanned<Int64>
    /// From the begin of one round to that of the next, at least.
    public var every: Spanned<TimeSpan>?
    public var steps: [Step]
}
