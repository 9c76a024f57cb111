import Core

extension Updater {
    /// What the platform tells a fresh process, and what the app package holds. All a launch knows; the
    /// rest is on disk.
    public struct Launch: Hashable, Sendable {
        public var settings: UpdaterSettings
        public var native: NativeBuild
        /// `ios` or `android`: chooses the row of a Meteor manifest's compatibility versions.
        public var platform: String
        /// Cordova compatibility string of this native build (Meteor dialect).
        public var compatibility: String?
        /// The version inside the app package; nil where the app ships none (U7).
        public var embedded: EmbeddedSource?
        /// Changes with every boot of the device; nil where the platform does not tell.
        public var bootID: String?
        /// What the platform recorded of the last process's end; nil where it records nothing.
        public var lastExit: ExitRecord?
        /// 32 bytes; everything random derives from them by keyed hash.
        public var entropy: [UInt8]
        /// False when the system started the app for a silent push.
        public var inForeground: Bool
        public var network: NetworkState

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

/// Where the embedded version lies in the app package.
public struct EmbeddedSource: Hashable, Sendable {
    public var dialect: ManifestDialect
    /// The manifest's file.
    public var manifest: DiskPath
    /// The folder that the rows' `packagePath`s are relative to.
    public var root: DiskPath

    public init(dialect: ManifestDialect, manifest: DiskPath, root: DiskPath) {
        self.dialect = dialect
        self.manifest = manifest
        self.root = root
    }
}

/// The cause of the last process's end as the platform recorded it (Android's exit info, a crash
/// reporter). Only the first two are evidence against a version (R3, R4).
public enum ExitRecord: String, Hashable, Sendable, CaseIterable {
    case crash
    case notResponding
    case userRequested
    case lowMemory
    case other
}

/// What the device knows of its network.
public enum NetworkState: String, Hashable, Sendable, CaseIterable {
    case online
    /// A network that costs, or that its owner wants spared.
    case metered
    case offline
}
