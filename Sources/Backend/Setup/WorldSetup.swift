import Core
import Updater

/// All that a run starts from. Equal setups and equal actions give equal runs, in every process.
///
/// Names (versions, builds, edges) are those of the scenario; ``World/init(_:)`` says which of them is
/// unknown or given twice. Deliberately not here: anything that happens (``Action``).
package struct WorldSetup: Hashable, Sendable {
    /// Everything that is drawn derives from it by keyed hash; it is the only source of chance.
    package var seed: UInt64
    package var app: AppSetup
    /// In the order of declaration; at most 64.
    package var versions: [VersionSetup]
    /// One profile for each device; a story has one device.
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
    /// The one that was made first.
    case insertion
    /// By a choice drawn from the seed and this salt: explores other orders.
    case keyed(UInt64)
}

/// The installed app: its native builds and how it is set up.
package struct AppSetup: Hashable, Sendable {
    package var id: String
    package var dialect: ManifestDialect
    /// At least one.
    package var builds: [BuildSetup]
    /// The name of the build that is installed when the story begins.
    package var installed: String
    /// `app`, `origin` and `dialect` in it are filled in by the world.
    package var settings: UpdaterSettings
    /// Nil: the default that is derived from the id (rule S4).
    package var port: UInt16?
    /// Files of the app package that belong to no version (M16): names beneath `www/`.
    package var www: [WWWFile] = []
    /// Patterns of paths that the remote root answers (rule S7): `/api/**`.
    package var api: [String] = []
    /// A frontend manifest that states `hash` and `size`; the seed's does not.
    package var frontendStatesHashes = false

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

/// One native build, as a store delivers it.
package struct BuildSetup: Hashable, Sendable {
    /// Its build number too, where `number` says no other: digits and dots (``NativeBuild``).
    package var name: String
    /// The version inside the package; nil: an app without embedded content.
    package var embeds: String?
    /// The native interface it has; nil: all builds have the same.
    package var native: String?
    /// What the package states; two builds may state the same.
    package var number: String

    package init(name: String, embeds: String?, native: String? = nil, number: String? = nil) {
        self.name = name
        self.embeds = embeds
        self.native = native
        self.number = number ?? name
    }
}

/// A file of the app package outside all versions; its content is made from its name.
package struct WWWFile: Hashable, Sendable {
    /// Relative to `www/`: `cordova.js`.
    package var path: String
    /// Bytes.
    package var size: Int

    package init(path: String, size: Int) {
        self.path = path
        self.size = size
    }
}

/// The origin that publishes the versions.
package struct OriginSetup: Hashable, Sendable {
    /// At least one.
    package var edges: [String]
    /// The edge that a device reaches when the story begins.
    package var route: String
    /// Scheme and authority, without a slash at the end.
    package var root: String
    /// Origin time when the virtual clock stands at zero.
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
}

/// Bounds of a run; beyond them it is inconclusive.
package struct WorldLimits: Hashable, Sendable {
    package var events = 20_000_000
    /// From the start of the world.
    package var virtualTime = TimeSpan.days(400)
    /// Events in a row without one that counts as progress: a fact, or virtual time of a minute.
    package var eventsWithoutProgress = 200_000
    /// Of events kept for a failure's report.
    package var lastEvents = 256

    package init() {}
}

/// What is wrong with a setup: which name, and why.
package enum SetupError: Error, Hashable, Sendable {
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
