/// What the updater lets the native app know about itself, told anew whenever the *durable* record or
/// the choice for the next page load changed. Everything in it can be explained from the record.
public struct Status: Hashable, Sendable {
    public var embedded: VersionKey?
    /// What the next page load gets.
    public var current: VersionKey?
    public var pending: VersionKey?
    /// The pending version waits for its second chance: only a process start takes it up (R3).
    public var pendingWaits = false
    public var lastKnownGood: VersionKey?
    /// Versions that have confirmed on this native build.
    public var good: [VersionKey] = []
    public var blacklist: [VersionKey] = []
    public var parked: [VersionKey] = []
    public var downloading: VersionKey?

    public init() {}
}

/// How far a download is. Only grows for one version (U7).
public struct Progress: Hashable, Sendable {
    public var version: VersionKey
    public var filesDone: Int
    public var files: Int
    public var bytesDone: Int
    /// Nil where some size is not known.
    public var bytes: Int?

    public init(version: VersionKey, filesDone: Int, files: Int, bytesDone: Int, bytes: Int?) {
        self.version = version
        self.filesDone = filesDone
        self.files = files
        self.bytesDone = bytesDone
        self.bytes = bytes
    }
}

extension Progress {
    /// Whether a smaller share is done than of the other: in bytes where both know them, else in files.
    func isBehind(_ other: Progress) -> Bool {
        if let bytes, let otherBytes = other.bytes, bytes > 0, otherBytes > 0 {
            return bytesDone.multipliedFullWidth(by: otherBytes)
                < other.bytesDone.multipliedFullWidth(by: bytes)
        }
        return filesDone * max(other.files, 1) < other.filesDone * max(files, 1)
    }
}
