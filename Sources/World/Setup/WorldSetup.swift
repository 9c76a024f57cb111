import Core
import Updater

/// All that a run starts from. Equal setups and equal actions give equal runs, in every process.
///
/// Names (versions, builds, edges) are those of the scenario; ``World/init(_:)`` says which of them is
/// unknown or given twice. Deliberately not here: anything that happens (``Action``).
public struct WorldSetup: Hashable, Sendable {
    /// Everything that is drawn derives from it by keyed hash; it is the only source of chance.
    public var seed: UInt64
    public var app: AppSetup
    /// In the order of declaration; at most 64.
    public var versions: [VersionSetup]
    /// One profile for each device; a story has one device.
    public var devices: [DeviceProfile]
    public var origin: OriginSetup
    public var limits = WorldLimits()
    public var ties = TieBreak.insertion

    public init(
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
public enum TieBreak: Hashable, Sendable {
    /// The one that was made first.
    case insertion
    /// By a choice drawn from the seed and this salt: explores other orders.
    case keyed(UInt64)
}

/// The installed app: its native builds and how it is set up.
public struct AppSetup: Hashable, Sendable {
    public var id: String
    public var dialect: ManifestDialect
    /// At least one.
    public var builds: [BuildSetup]
    /// The name of the build that is installed when the story begins.
    public var installed: String
    /// `app`, `origin` and `dialect` in it are filled in by the world.
    public var settings: UpdaterSettings
    /// Nil: the default that is derived from the id (rule S4).
    public var port: UInt16?
    /// Files of the app package that belong to no version (M16): names beneath `www/`.
    public var www: [WWWFile] = []
    /// Patterns of paths that the remote root answers (rule S7): `/api/**`.
    public var api: [String] = []
    /// A frontend manifest that states `hash` and `size`; the seed's does not.
    public var frontendStatesHashes = false

    public init(
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

/// One native build, as a store delivers it.
public struct BuildSetup: Hashable, Sendable {
    /// Its build number too, where `number` says no other: digits and dots (``NativeBuild``).
    public var name: String
    /// The version inside the package; nil: an app without embedded content.
    public var embeds: String?
    /// The native interface it has; nil: all builds have the same.
    public var native: String?
    /// What the package states; two builds may state the same.
    public var number: String

    public init(name: String, embeds: String?, native: String? = nil, number: String? = nil) {
        self.name = name
        self.embeds = embeds
        self.native = native
        self.number = number ?? name
    }
}

/// A file of the app package outside all versions; its content is made from its name.
public struct WWWFile: Hashable, Sendable {
    /// Relative to `www/`: `cordova.js`.
    public var path: String
    /// Bytes.
    public var size: Int

    public init(path: String, size: Int) {
        self.path = path
        self.size = size
    }
}

/// The origin that publishes the versions.
public struct OriginSetup: Hashable, Sendable {
    /// At least one.
    public var edges: [String]
    /// The edge that a device reaches when the story begins.
    public var route: String
    /// Scheme and authority, without a slash at the end.
    public var root: String
    /// Origin time when the virtual clock stands at zero.
    public var epoch: OriginTime

    public init(
        edges: [String] = ["origin"], route: String? = nil, root: String = "https://updates.example.com",
        epoch: OriginTime = OriginTime(seconds: 1_795_000_000)
    ) {
        self.edges = edges
        self.route = route ?? edges.first ?? ""
        self.root = root
        self.epoch = epoch
    }
}

/// Bounds of a run; beyond them it is inconclusive.
public struct WorldLimits: Hashable, Sendable {
    public var events = 20_000_000
    /// From the start of the world.
    public var virtualTime = TimeSpan.days(400)
    /// Events in a row without one that counts as progress: a fact, or virtual time of a minute.
    public var eventsWithoutProgress = 200_000
    /// Of events kept for a failure's report.
    public var lastEvents = 256

    public init() {}
}

/// What is wrong with a setup: which name, and why.
public enum SetupError: Error, Hashable, Sendable {
    case tooManyVersions(Int)
    case noDevice
    case nameTwice(kind: String, name: String)
    case unknownVersion(String)
    case unknownBuild(String)
    case unknownEdge(String)
    /// No number of digits and dots.
    case buildNumber(String)
    case route(version: String, route: String)
    case size(version: String, route: String)
    /// A version without a file that can answer navigations.
    case noIndex(version: String)
    /// A native interface that no build has.
    case unknownNative(String)
    /// The updater's own reader refuses the manifest that the version comes to.
    case manifest(version: String, reason: String)
}
