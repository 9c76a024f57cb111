import Core

/// What the updater reports to the native app, sent whenever the *durable* record or the version for the next
/// page load changed. All of it can be derived from the record.
public struct UpdaterStatus: Hashable, Sendable {
    /// Version in the app package; nil if the app ships none.
    public var embedded: VersionKey?
    /// The version that the next page load is served.
    public var current: VersionKey?
    /// Origin time since which it is current, as far as this device knows it: how old what runs is (F16).
    public var currentSince: OriginTime?
    /// Complete version that waits for a moment to switch (U6).
    public var pending: VersionKey?
    /// The pending version waits for its second chance: only a process start activates it (R3).
    public var pendingWaits = false
    /// Version that a rescue falls back to: confirmed, undamaged, neither recalled nor blacklisted.
    public var lastKnownGood: VersionKey?
    /// Versions that have confirmed on this native build.
    public var good: [VersionKey] = []
    /// Versions blacklisted on this native build and origin line (R5).
    public var blacklist: [VersionKey] = []
    /// Parked versions, at most one (R3).
    public var parked: [VersionKey] = []
    /// Version that is being downloaded.
    public var downloading: VersionKey?

    public init() {}
}

/// Progress of a download. It never decreases for one version (U7).
public struct DownloadProgress: Hashable, Sendable {
    public var version: VersionKey
    /// Files that are stored.
    public var filesDone: Int
    /// Files of the version.
    public var files: Int
    /// Bytes stored or received, of files whose size is known.
    public var bytesDone: Int
    /// Size of all files in bytes; nil if some size is not known.
    public var bytes: Int?

    public init(version: VersionKey, filesDone: Int, files: Int, bytesDone: Int, bytes: Int?) {
        self.version = version
        self.filesDone = filesDone
        self.files = files
        self.bytesDone = bytesDone
        self.bytes = bytes
    }
}

extension DownloadProgress {
    /// Whether the finished share is smaller than the other's: in bytes if both know them, otherwise in
    /// files.
    func isBehind(_ other: DownloadProgress) -> Bool {
        if let bytes, let otherBytes = other.bytes, bytes > 0, otherBytes > 0 {
            return bytesDone.multipliedFullWidth(by: otherBytes)
                < other.bytesDone.multipliedFullWidth(by: bytes)
        }
        return filesDone * max(other.files, 1) < other.filesDone * max(files, 1)
    }
}
