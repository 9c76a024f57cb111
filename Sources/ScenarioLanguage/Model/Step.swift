import Core

/// A step of a scenario. An action takes no virtual time and waits for nothing; time passes in
/// `wait`, `settle`, and an `expect` with `within` or `throughout`.
package struct Step: Hashable, Sendable {
    package var verb: Verb
    package var action: Action
    /// When the step happens; nil for in order.
    package var trigger: Trigger?
    /// Name of the device; nil for the first, or for a step without a device.
    package var device: Spanned<String>?
    /// Name given with `as`: of the page load that a launch or reload begins, of a fault, or of the step.
    package var name: Spanned<String>?
    /// Reason for the step; shown when it fails.
    package var because: Spanned<String>?
    /// Range of disk operations whose crash points are searched; the crash search uses it.
    package var crashPoints: Spanned<CrashPointRange>?
    /// Events that are tried in every order.
    package var anyOrder: [Spanned<RacingEvent>]
    /// Location of the step's object.
    package var span: SourceSpan
    /// Location of the verb's key.
    package var verbSpan: SourceSpan
}

/// Where crash points are searched.
package enum CrashPointRange: String, CaseIterable, Hashable, Sendable {
    case firstLaunch = "first launch"
    case thisStep = "this step"
}

/// An event of a race.
package enum RacingEvent: String, CaseIterable, Hashable, Sendable {
    case navigationStarts = "navigation starts"
    case indexRequested = "index requested"
    case switchApplied = "switch applied"
    case confirmationArrives = "confirmation arrives"
}

/// The key that says what a step does.
package enum Verb: String, CaseIterable, Hashable, Sendable {
    case launch, relaunch, kill, powerCut, restart, background, foreground, active, inactive
    case suspend, resume, freeze, socketsLost, storeUpdate
    case deploy, recall, unblock, check, push, page, native, user, client
    case wait, settle, expect, always, never, mark, `repeat`, gap
    case route, network, fault, heal, disk, set, crash
}

/// What a step does. A world performs all actions except those of the scenario (``Action/side``).
package enum Action: Hashable, Sendable {
    /// Starts the app, or brings the running one to the front; with a link, the app shows that page.
    case launch(LaunchMode, link: Spanned<String>? = nil)
    /// The user ends the app and launches it.
    case relaunch(LaunchMode, link: Spanned<String>? = nil)
    case kill(DeathCause)
    /// The power is cut; it returns at the next launch.
    case powerCut(PowerCutOutcome)
    /// The device restarts after an orderly shutdown; the app is not started.
    case restart
    case background
    case foreground
    /// The app in front gets the user's input again.
    case active
    /// The app in front does not get the user's input any more: a call, a permission prompt, Control Centre,
    /// the app switcher.
    case inactive
    /// The process is suspended for this time; nil: until `resume`, or until it is brought to the foreground.
    case suspend(for: TimeSpan?)
    case resume
    /// The process is stopped for this time without a notice to the app; pages, user and network go on.
    case freeze(for: TimeSpan)
    /// The system takes the listening socket and all its connections (S8), as it may while an app stands
    /// still.
    case socketsLost
    /// The app store installs a build, newer or older.
    case storeUpdate(build: Spanned<String>)
    indirect case deploy(DeploySpec)
    /// The origin recalls these versions.
    case recall([Spanned<String>])
    /// The origin removes these versions from the blacklists of devices.
    case unblock([Spanned<String>])
    case check
    /// A silent push.
    case push
    indirect case page(PageSpec)
    /// Native code sends the page in front a message.
    indirect case native(NativeSpec)
    case user(UserAction)
    /// Another client than the app's pages connects to the local server.
    indirect case client(ClientSpec)
    /// Time passes.
    case wait(Spanned<TimeSpan>)
    /// Time passes until only idle timers are left.
    case settle
    indirect case expect(ExpectStep)
    indirect case always(InvariantStep)
    indirect case never(InvariantStep)
    case mark(Spanned<String>)
    case `repeat`(RepeatSpec)
    /// Nothing happens; `otalab explore` puts random steps in its place.
    case gap(GapSpec)
    /// The device reaches the origin through another edge.
    case route(edge: Spanned<String>)
    case network(NetworkKind)
    indirect case fault(FaultSpec)
    /// The fault with this name ends; nil: all faults end, and the network is back.
    case heal(Spanned<String>?)
    indirect case disk(DiskSpec)
    indirect case set(SettingsSpec)
    indirect case crash(CrashSpec)
    /// The system writes back its cache, so that all written data becomes durable. The language has no
    /// keyword for it; the crash search uses it.
    case flushDisk
}

/// Whether the app is launched in the foreground or in the background.
package enum LaunchMode: String, CaseIterable, Hashable, Sendable {
    case foreground, background
}

/// The real cause of the end of the process; the device profile decides what the platform reports to the next
/// one.
package enum DeathCause: String, CaseIterable, Hashable, Sendable {
    /// The user swiped the app away.
    case user
    case system
    case lowMemory = "low memory"
    case crash
    /// The power was cut: data that was not durable is lost.
    case battery
    /// The system ended an app that did not respond to its user (Android's ANR).
    case notResponding = "not responding"
    /// The app store replaced the app package.
    case storeUpdate = "store update"

    /// Causes that a `kill` step can have.
    package static let kills: [DeathCause] = [
        .user, .system, .lowMemory, .crash, .notResponding, .battery,
    ]
    /// Causes that a platform can report.
    package static let reportable: [DeathCause] = [
        .crash, .notResponding, .user, .lowMemory, .system, .storeUpdate,
    ]
}

/// The device's network.
package enum NetworkKind: String, CaseIterable, Hashable, Sendable {
    case online
    /// A metered network (rule U15).
    case metered
    case offline
}

/// A deploy: what the origin publishes, and for whom.
package struct DeploySpec: Hashable, Sendable {
    /// Version; nil with `order: "embedded"` only, which orders devices to leave all downloaded versions.
    package var version: Spanned<String>?
    /// Edges that get it; empty for all.
    package var edges: [Spanned<String>]
    package var order: DeployOrder
    /// Order that the file has in addition to "embedded", which is an order already: a mistake that the
    /// semantic validator reports.
    var surplusOrder: Spanned<DeployOrder>?
    package var parts: DeployParts
    /// Whether files that only older versions have stay on the origin.
    package var keepsOldFiles: Bool
    /// Devices that are offered the version; nil for all.
    package var audience: Spanned<Audience>?
    /// Serial that the manifest states; nil: one more than the last one.
    package var serial: Spanned<Int>?
    /// Date that the manifest states, from the origin's clock; nil: the time of the clock.
    package var date: Spanned<TimeSpan>?
    /// Keys that sign the manifest, none for one that is not signed; nil: the first key of the first build
    /// that has one (rule U16).
    package var signedBy: [Spanned<String>]?
    /// The first of these signatures.
    package var signature = SignatureForm.good
    /// When the manifest expires, from the origin's clock; nil: never.
    package var expires: Spanned<TimeSpan>?
    /// Keys that the manifest publishes in place of the app's.
    package var keys: [Spanned<String>] = []
}

extension DeploySpec {
    package init(_ version: Spanned<String>?, order: DeployOrder = .update, keepsOldFiles: Bool = true) {
        self.init(
            version: version, edges: [], order: order, surplusOrder: nil, parts: .all,
            keepsOldFiles: keepsOldFiles, audience: nil, serial: nil, date: nil)
    }
}

/// The devices that are offered a version (rule U9): those that match every property that is not nil, or a
/// share of all devices.
package struct Audience: Hashable, Sendable {
    package var user: String?
    package var cohort: String?
    package var channel: String?
    /// Share of the devices, of ``of``; nil: the other properties decide. The devices decide by the manifest,
    /// which is the same for all.
    package var share: Int?
    /// What ``share`` is a part of; nil: ``standardOf``.
    package var of: Int?
    /// Text that selects which devices are in the share; nil: the version's id.
    package var salt: String?

    package static let standardOf = 10_000

    package init(user: String? = nil, cohort: String? = nil, channel: String? = nil) {
        self.user = user
        self.cohort = cohort
        self.channel = channel
    }
}

/// The order in the manifest.
package enum DeployOrder: String, CaseIterable, Hashable, Sendable {
    case update, force, embedded
    case rollBack = "roll back"
}

/// The parts of a deploy. A deploy that is not atomic has two steps, in either order.
package enum DeployParts: String, CaseIterable, Hashable, Sendable {
    case all, files, manifest
}

/// Steps that are repeated.
package struct RepeatSpec: Hashable, Sendable {
    /// Number of rounds.
    package var count: Spanned<Int>
    /// Least time from the beginning of a round to the beginning of the next.
    package var every: Spanned<TimeSpan>?
    package var steps: [Step]
}
