import Core
import ScenarioLanguage
import Updater

/// Everything that a run starts from. Equal setups and equal actions give equal runs, in every process.
///
/// Names (versions, builds, edges) are those of the scenario; ``World/init(_:)`` throws ``SetupError`` for
/// one that is unknown or given twice. Deliberately not here: anything that happens (``Action``).
package struct WorldSetup: Hashable, Sendable {
    /// Source of all random choices, which are derived from it by keyed hash.
    package var seed: UInt64
    package var app: AppSetup
    /// The versions in the order of declaration; at most 64.
    package var versions: [VersionSetup]
    /// A profile for each device; a scenario has one device.
    package var devices: [DeviceProfile]
    package var origin: OriginSetup
    package var limits = WorldLimits()
    package var ties = TieBreak.insertion

    package init(
        seed: UInt64 = 0, app: AppSetup, versions: [VersionSetup], devices: [DeviceProfile] = [.plain],
        origin: OriginSetup = OriginSetup()
    ) {
        self.seed = seed
        self.app = app
        self.versions = versions
        self.devices = devices
        self.origin = origin
    }
}

/// Which of two events at the same instant comes first.
package enum TieBreak: Hashable, Sendable {
    /// The one that was scheduled first.
    case insertion
    /// An order derived from the seed and this salt, to explore other orders.
    case keyed(UInt64)
}

/// The installed app: its native builds and how it is set up.
package struct AppSetup: Hashable, Sendable {
    package var id: String
    package var dialect: ManifestDialect
    /// The native builds; at least one.
    package var builds: [BuildSetup]
    /// Name of the build that is installed at the start.
    package var installed: String
    /// Settings of the updater; the world sets `app`, `origin` and `dialect`.
    package var settings: UpdaterSettings
    /// Port of the local server; nil: the default that is derived from the app's id (rule S4).
    package var port: UInt16?
    /// Files of the app package that belong to no version: names beneath `www/`.
    package var www: [WWWFile] = []
    /// Whether a debugger is attached to each process of the app (R2).
    package var isDebugged = false
    /// Whether pages may switch the app to another environment (F9).
    package var allowsTestMessages = false
    /// Paths that native code takes over (rule N5).
    package var nativeLinks: [String] = []
    /// Path patterns that are forwarded to the remote root (rule S7): `/api/**`.
    package var api: [String] = []
    /// Paths of links that are the app's own, if native code takes over all others (N5); empty: it does not.
    package var ownLinks: [String] = []
    /// Methods of messages that native code answers (N5).
    package var nativeMethods: [String] = []
    /// Keys that sign manifests (U16).
    package var keys: [KeySetup] = []
    /// The device's wall clock, from the origin's time.
    package var wallClock = TimeSpan.zero
    /// Whether a frontend manifest states `hash` and `size`; the original format does not.
    package var frontendStatesHashes = false
    /// Whether manifests list files in descending order of their routes, else in ascending order.
    package var listsFilesBackwards = false
    /// Whether the manifests state hashes of the files.
    package var hasHashes: Bool { dialect != .frontend || frontendStatesHashes }

    package init(
        id: String, dialect: ManifestDialect = .own, builds: [BuildSetup], installed: String? = nil,
        settings: UpdaterSettings? = nil
    ) {
        self.id = id
        self.dialect = dialect
        self.builds = builds
        self.installed = installed ?? builds.first?.name ?? ""
        self.settings = settings ?? UpdaterSettings(app: id, origin: "")
    }
}

extension AppSetup {
    /// Whether an app can tell that it was updated from one build to the other: they differ in their number
    /// or in their embedded content (N1).
    package func isStoreUpdate(from previous: String, to build: String) -> Bool {
        let old = builds.first { $0.name == previous }
        let new = builds.first { $0.name == build }
        return old?.number != new?.number || old?.embeds != new?.embeds
    }
}

/// One native build, as a store delivers it.
package struct BuildSetup: Hashable, Sendable {
    /// Name of the build; also its build number unless `number` differs: digits and dots (``NativeBuild``).
    package var name: String
    /// Name of the version inside the package; nil: the app has no embedded content.
    package var embeds: String?
    /// Native interface of the build; nil: all builds have the same.
    package var native: String?
    /// Build number that the package states; two builds may state the same.
    package var number: String
    /// Name of the edge that is the build's own origin, with a root URL of its own; nil: none.
    package var origin: String?
    /// Names of the keys by which it accepts manifests; nil: they are not signed.
    package var keys: [String]?

    package init(name: String, embeds: String?, native: String? = nil, number: String? = nil) {
        self.name = name
        self.embeds = embeds
        self.native = native
        self.number = number ?? name
    }
}

/// A key that signs manifests (U16), made from its name.
package struct KeySetup: Hashable, Sendable {
    package var name: String
    package var algorithm = SigningAlgorithm.ed25519
    /// What builds have of it.
    package var form = KeyForm.whole

    package init(name: String) { self.name = name }
}

/// A file of the app package outside all versions; its content is generated from its name.
package struct WWWFile: Hashable, Sendable {
    /// Path relative to `www/`: `cordova.js`.
    package var path: String
    /// Size in bytes.
    package var size: Int

    package init(path: String, size: Int) {
        self.path = path
        self.size = size
    }
}

/// The origin that publishes the versions.
package struct OriginSetup: Hashable, Sendable {
    /// Names of the edges; at least one.
    package var edges: [String]
    /// Name of the edge that devices reach at the start.
    package var route: String
    /// Scheme and authority of the origin's URLs, without a trailing slash.
    package var root: String
    /// How long each edge keeps an answer that it has given; nil: not at all. Edges beyond the end of the
    /// list keep none.
    package var ages: [TimeSpan?] = []
    /// When the URLs of files stop working until the manifest is requested again; nil: never.
    package var urlsExpire: URLExpiry?
    /// The origin's time at the start of the virtual clock.
    package var epoch: OriginTime

    package init(
        edges: [String] = ["origin"], route: String? = nil, root: String = "https://updates.example.com",
        epoch: OriginTime = OriginTime(seconds: 1_795_000_000)
    ) {
        self.edges = edges
        self.route = route ?? edges.first ?? ""
        self.root = root
        self.epoch = epoch
    }

    /// How long an edge keeps an answer; nil: not at all.
    package func age(ofEdge index: Int) -> TimeSpan? { ages.indices.contains(index) ? ages[index] : nil }

    /// Scheme and authority of the URLs of a build's origin.
    package func root(of build: BuildSetup) -> String {
        build.origin.flatMap { edges.firstIndex(of: $0) }.map(OriginSetup.root(ofEdge:)) ?? root
    }

    /// Index of the edge that a URL leads to, if it is a build's own origin.
    package func ownEdge(of url: String) -> Int? {
        edges.indices.first { url.hasPrefix(OriginSetup.root(ofEdge: $0) + "/") }
    }

    /// Scheme and authority of an edge that is a build's own origin.
    package static func root(ofEdge index: Int) -> String { "https://edge-\(index + 1).example.com" }
}

/// Limits of a run, which is inconclusive when it exceeds one.
package struct WorldLimits: Hashable, Sendable {
    /// Number of events.
    package var events = 20_000_000
    /// Virtual time since the start.
    package var virtualTime = TimeSpan.days(400)
    /// Number of events in a row without progress, which is a trace event or a minute of virtual time.
    package var eventsWithoutProgress = 200_000
    /// Number of events kept for a failure's report.
    package var lastEvents = 256

    package init() {}
}

/// Why a setup is invalid.
package enum SetupError: Error, Hashable, Sendable {
    case tooManyVersions(Int)
    case noDevice
    case duplicateName(kind: String, name: String)
    case unknownVersion(String)
    case unknownBuild(String)
    case unknownEdge(String)
    /// A build number that is not made of digits and dots.
    case invalidBuildNumber(String)
    case invalidRoute(version: String, route: String)
    case negativeSize(version: String, route: String)
    /// A version without a file that can answer navigations.
    case noIndex(version: String)
    /// A native interface that no build has.
    case unknownNative(String)
    /// The updater's manifest reader rejects the manifest of the version.
    case manifest(version: String, reason: String)
}
