import Core
import Updater

/// Everything a step of a scenario can do to the world. An action takes no virtual time and waits for
/// nothing. Names have been checked by whoever made it; an unknown one is a note and changes nothing.
package enum Action: Hashable, Sendable {
    case deploy(Deploy)
    /// The origin recalls these versions, from the next manifest on.
    case recall([String])
    /// The origin takes these versions off devices' blacklists.
    case unblock([String])
    /// The device reaches the origin through another edge.
    case route(edge: String)
    case network(NetworkState)
    case fault(Fault)
    /// The id of a fault; nil: all that are there, and the network is back.
    case heal(String?)
    /// Starts the app, or brings the running one to the front. `name` is that of its first page load.
    case launch(foreground: Bool, name: String?)
    case kill(DeathCause)
    /// The power is gone and comes back at the next launch.
    case powerCut(PowerCutOutcome)
    case background
    case foreground
    /// The process stands still; nil: until `resume`, or until it is brought to the front.
    case suspend(for: TimeSpan?)
    case resume
    /// The store installs a build, newer or older.
    case storeUpdate(build: String)
    /// A silent push.
    case push
    /// The app's own code wishes for a check.
    case check
    /// A page load by the name it was given; nil: the one in front. `name` is that of the load it begins.
    case page(String?, PageAction, name: String?)
    case user(UserAction)
    /// The app's settings from now on, also for later launches.
    case set(SettingsChange)
    case damage(StoredThing, Damage)
    /// Some seconds pass for the device's own writeback: all that was written becomes durable.
    case flushDisk
    /// The device restarts in order: new boot id, the app's process is gone.
    case restartDevice
}

/// A publication.
package struct Deploy: Hashable, Sendable {
    /// Nil with `embedded` only.
    package var version: String?
    /// Empty: all edges.
    package var edges: [String] = []
    package var parts = Parts.all
    package var command = ManifestCommand.update
    /// Files that only older versions have stay where they are.
    package var keepsOldFiles = false
    /// Nil: everybody.
    package var audience: Audience?

    package init(_ version: String?) { self.version = version }

    /// A deploy that is not atomic goes in two steps, in either order.
    package enum Parts: String, Hashable, Sendable, CaseIterable {
        case all, files, manifest
    }
}

/// Something that a page does.
package enum PageAction: Hashable, Sendable {
    /// `location.reload()`.
    case reload
    /// The reload that goes past the web cache.
    case reloadFromOrigin
    /// `location.replace(location.href)`.
    case replaceLocation
    /// Follows a link to this path; nil: to the start page.
    case tapsLink(String?)
    case submitsForm
    case goesBack
    /// Its web view goes; the app's first one stays.
    case closes
    /// The app shows a web view beside it, at this route (H4).
    case opens(String)
    /// `after` counts from the action.
    case calls(BridgeMethod, after: TimeSpan)
    /// A message to native code as it stands, right or wrong.
    case sends(String)
    /// A request of its own: lazy script, image, API.
    case asks(String)
    /// Something under its origin, by its key (`localStorage`).
    case stores(String)
    /// One that outlives the process, by its name.
    case setsCookie(String)
}

/// What a page can call on the native side.
package enum BridgeMethod: String, Hashable, Sendable, CaseIterable {
    case startupDidComplete, startupDidFail, switchToPendingVersion, checkForUpdates
    case onNewVersionReady, onError, holdOff, release
}

/// Something that the person in front of the device does.
package enum UserAction: Hashable, Sendable {
    /// Looks on; ends what was begun before.
    case waits
    /// Types into the page, from and to that long after the action; nil: now, until told otherwise.
    case types(from: TimeSpan?, to: TimeSpan?)
    case taps
    case tapsLink
    case swipesAway
    /// Presses a button of a native screen.
    case presses(UserIntent)
}

/// The same four buttons as ``AppHost/UserIntent``.
package enum UserIntent: String, Hashable, Sendable, CaseIterable {
    case retry, tryAgain, lookForUpdate, sendReport
}

/// Nil leaves a setting as it is.
package struct SettingsChange: Hashable, Sendable {
    package var startupTimeout: TimeSpan?
    package var confirmation: ConfirmationPolicy?
    package var updates: UpdatePolicy?
    package var parallelTransfers: Int?
    package var switchesOnReload: Bool?
    package var switchesOnReturn: Bool?
    package var channel: String?
    package var cohort: String?
    package var user: String?
    package var usesMeteredNetwork: Bool?
    package var meteredBytes: Int?
    package var reportsOutcomes: Bool?

    package init() {}

    /// Puts what is said into settings.
    package func apply(to settings: inout UpdaterSettings) {
        if let startupTimeout { settings.startupTimeout = startupTimeout }
        if let confirmation { settings.confirmation = confirmation }
        if let updates { settings.updates = updates }
        if let parallelTransfers { settings.parallelTransfers = parallelTransfers }
        if let switchesOnReload { settings.switchesOnReload = switchesOnReload }
        if let switchesOnReturn { settings.switchesOnReturn = switchesOnReturn }
        if let channel { settings.channel = channel }
        if let cohort { settings.cohort = cohort }
        if let user { settings.user = user }
        if let usesMeteredNetwork { settings.usesMeteredNetwork = usesMeteredNetwork }
        if let meteredBytes { settings.meteredBytes = meteredBytes }
        if let reportsOutcomes { settings.reportsOutcomes = reportsOutcomes }
    }
}

/// Something stored on the device, found by its content, never by the updater's memory.
package enum StoredThing: Hashable, Sendable {
    case content(version: String, route: String)
    /// The newer generation of the updater's record.
    case record
    /// Both generations.
    case records
    /// The counter of starts of proven versions.
    case starts
    /// A path on the data volume.
    case path(String)
}

/// What becomes of stored bytes.
package enum Damage: Hashable, Sendable {
    /// What is left.
    case truncate(to: Amount)
    /// That many bytes changed, the size kept.
    case flip(bytes: Int)
    case remove
    /// Reading there fails.
    case readError(at: Amount)
}
