import Core

extension Updater {
    /// What the platform reports to a new process, and what the app package contains. The rest of the state
    /// is on disk.
    public struct Launch: Hashable, Sendable {
        public var settings: UpdaterSettings
        /// Build number of the native app.
        public var native: NativeBuild
        /// `ios` or `android`: selects the entry of a Meteor manifest's compatibility versions.
        public var platform: String
        /// Cordova compatibility string of this native build (Meteor dialect).
        public var compatibility: String?
        /// The version inside the app package; nil if the app ships none (U7).
        public var embedded: EmbeddedSource?
        /// Identifier that changes with every boot of the device; nil if the platform provides none.
        public var bootID: String?
        /// The platform's record of how the last process ended; nil if it keeps none.
        public var lastExit: ExitRecord?
        /// Whether a debugger is attached: it stops and ends the process at will, so that such an end is
        /// never noted as one in front (R2).
        public var isDebugged = false
        /// 32 random bytes; all random choices derive from them by keyed hash.
        public var entropy: [UInt8]
        /// Whether a user sees the app; false if the system started it for a silent push.
        public var inForeground: Bool
        public var network: NetworkState
        /// The device's wall clock, for the expiry of signed manifests (U16); nil: it has none.
        public var wallClock: WallClock?

        public init(
            settings: UpdaterSettings, native: NativeBuild, platform: String, entropy: [UInt8],
            inForeground: Bool = true, network: NetworkState = .online
        ) {
            self.settings = settings
            self.native = native
            self.platform = platform
            self.entropy = entropy
            self.inForeground = inForeground
            self.network = network
        }
    }
}

/// Location of the embedded version in the app package.
public struct EmbeddedSource: Hashable, Sendable {
    public var dialect: ManifestDialect
    /// Path of the manifest.
    public var manifest: DiskPath
    /// Folder to which the assets' `packagePath`s are relative.
    public var root: DiskPath

    public init(dialect: ManifestDialect, manifest: DiskPath, root: DiskPath) {
        self.dialect = dialect
        self.manifest = manifest
        self.root = root
    }
}

/// How the last process ended, as recorded by the platform (Android's exit info, a crash reporter). Only the
/// first two are evidence against a version (R3, R4).
public enum ExitRecord: String, Hashable, Sendable, CaseIterable {
    case crash
    case notResponding
    case userRequested
    case lowMemory
    case other
}

/// State of the device's network.
public enum NetworkState: String, Hashable, Sendable, CaseIterable {
    case online
    /// A network that is metered or that its owner wants to spare.
    case metered
    case offline
}
