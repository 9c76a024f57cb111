import Core

/// A manifest of any dialect in the one model that everything behind it works with: id, rows, and the
/// facts about order and fitness that the dialect can state.
///
/// Guarantees: routes are valid, unique and sorted; the key's digest is that of these rows; nothing
/// in it is a path on disk but `packagePath`, which is used for the embedded version alone.
public struct VersionTable: Hashable, Sendable {
    public var key: VersionKey
    public var dialect: ManifestDialect
    /// Sorted by route.
    public var rows: [Row]
    /// The route that answers navigations; one of the rows.
    public var index: String
    public var facts: ManifestFacts

    public init(
        key: VersionKey, dialect: ManifestDialect, rows: [Row], index: String, facts: ManifestFacts
    ) {
        self.key = key
        self.dialect = dialect
        self.rows = rows
        self.index = index
        self.facts = facts
    }
}

extension VersionTable {
    /// The first row whose content has this hash. No row is copied on the way.
    @inline(__always)
    func firstRow(with hash: RowHash) -> Int? {
        for number in rows.indices where rows[number].hash == hash { return number }
        return nil
    }
}

/// The three ways of writing a manifest (manifests.md).
public enum ManifestDialect: String, Hashable, Sendable, CaseIterable {
    case own
    case frontend
    case meteor
}

/// One file of a version.
public struct Row: Hashable, Sendable {
    /// Absolute decoded path without query.
    public var route: String
    /// Bytes; nil where the dialect does not know or only hints.
    public var size: Int?
    /// What the dialect says where it only hints (Meteor): for the space that is needed, never for a check.
    public var sizeHint: Int?
    public var hash: RowHash
    /// Where to fetch it, relative to the manifest's URL (RFC 3986 reference).
    public var url: String
    /// Where it lies in the app package's copy of this version, relative to its folder; nil: as its route.
    private var statedPackagePath: String?
    /// A media type the manifest states; nil: by extension.
    public var type: String?
    /// May be missing (U12).
    public var isOptional: Bool
    /// The URL carries the content's own hash, so that a cache may keep the answer (S5).
    public var isImmutable: Bool
    /// Route of the source map, for `X-SourceMap`.
    public var sourceMap: String?

    public init(
        route: String, size: Int?, hash: RowHash, url: String, packagePath: String? = nil,
        type: String? = nil, isOptional: Bool = false, isImmutable: Bool = false, sourceMap: String? = nil
    ) {
        self.route = route
        self.size = size
        self.hash = hash
        self.url = url
        statedPackagePath = packagePath
        self.type = type
        self.isOptional = isOptional
        self.isImmutable = isImmutable
        self.sourceMap = sourceMap
    }

    /// Where it lies in the app package's copy of this version, relative to its folder.
    public var packagePath: String { String(Substring(packagePathBytes)) }

    /// Its bytes, where they lie in memory.
    @inline(__always)
    func withPackagePath<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        let text = statedPackagePath ?? route
        let start = statedPackagePath == nil ? min(1, route.utf8.count) : 0
        let fast = text.utf8.withContiguousStorageIfAvailable {
            body(UnsafeBufferPointer(rebasing: $0.dropFirst(start)))
        }
        return fast ?? Array(packagePathBytes).withUnsafeBufferPointer { body($0) }
    }

    /// The same without a copy. A slash with a combining mark behind it is one `Character`, so bytes are cut.
    var packagePathBytes: Substring.UTF8View {
        statedPackagePath.map { $0[...].utf8 } ?? route[...].utf8.dropFirst()
    }
}

/// The hash a row announces. `none` where the dialect states none that holds for the bytes.
public enum RowHash: Hashable, Sendable {
    case sha256(Digest256)
    case sha1(Digest160)
    case none

    /// Whether what went through these has it; nil where none is announced.
    func isOf(_ sha256: SHA256, _ sha1: SHA1?) -> Bool? {
        switch self {
        case .sha256(let digest): sha256.finish() == digest
        case .sha1(let digest): sha1?.finish() == digest
        case .none: nil
        }
    }
}

/// What a manifest says beside its files. A dialect that can't say something leaves the default.
public struct ManifestFacts: Hashable, Sendable {
    public var app: String?
    public var channel: String?
    public var order: PublicationOrder = .none
    public var command: ManifestCommand = .update
    public var native = NativeRange()
    /// Meteor: the compatibility string of each platform named.
    public var compatibility: [PlatformCompatibility] = []
    public var dataSchema: Int?
    public var dataSchemaReadableFrom: Int?
    public var recalled: [String] = []
    public var unblock: [String] = []

    public init() {}
}

public struct PlatformCompatibility: Hashable, Sendable {
    public var platform: String
    public var text: String

    public init(platform: String, text: String) {
        self.platform = platform
        self.text = text
    }
}

/// What puts publications of one origin line in order (U8).
public enum PublicationOrder: Hashable, Sendable {
    case none
    /// Own dialect: counts deploys.
    case serial(Int)
    /// Frontend dialect: the deploy date.
    case date(OriginTime)
}

/// `order` of the own dialect.
public enum ManifestCommand: String, Hashable, Sendable {
    case update
    case force
    case rollBack
    case embedded
}
