import Core

/// A manifest of any dialect in the common model that all later code uses: id, assets, and the metadata about
/// order and fitness that the dialect can state.
///
/// Guarantees: routes are valid, unique and sorted; the key's digest is that of these assets; nothing in it
/// is a path on disk except `packagePath`, which is used for the embedded version alone.
package struct VersionTable: Hashable, Sendable {
    package var key: VersionKey
    package var dialect: ManifestDialect
    /// Assets, sorted by route.
    package var assets: [Asset]
    /// Route that answers navigations; one of the assets.
    package var index: String
    package var metadata: ManifestMetadata

    package init(
        key: VersionKey, dialect: ManifestDialect, assets: [Asset], index: String, metadata: ManifestMetadata
    ) {
        self.key = key
        self.dialect = dialect
        self.assets = assets
        self.index = index
        self.metadata = metadata
    }
}

extension VersionTable {
    /// Index of the asset with this route. Assets are sorted by the bytes of their routes.
    func index(ofRoute route: String) -> Int? {
        TextBytes.index(of: route, in: assets.indices) { assets[$0].route }
    }
}

/// The three formats of a manifest (``OwnManifest``, ``FrontendManifest``, ``MeteorManifest``).
public enum ManifestDialect: String, Hashable, Sendable, CaseIterable {
    case own
    case frontend
    case meteor
}

/// One file of a version.
package struct Asset: Hashable, Sendable {
    /// Absolute decoded path without query.
    package var route: String
    /// Size in bytes; nil if the dialect does not state one or only hints.
    package var size: Int?
    /// Size that the dialect only hints at (Meteor): used for the required space, never for verification.
    package var sizeHint: Int?
    package var hash: AssetHash
    /// URL to download it from, relative to the manifest's URL (RFC 3986 reference).
    package var url: String
    /// Path in the app package's copy of this version, relative to its folder; nil: same as the route.
    fileprivate var statedPackagePath: String?
    /// Media type that the manifest states; nil: by extension.
    package var type: String?
    /// Whether it may be missing (U12).
    package var isOptional: Bool
    /// Whether the URL contains the hash of the content, so that a cache may keep the response (S5).
    package var isImmutable: Bool
    /// Route of the source map, for `X-SourceMap`.
    package var sourceMap: String?

    package init(
        route: String, size: Int?, hash: AssetHash, url: String, packagePath: String? = nil,
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

    /// Path in the app package's copy of this version, relative to its folder.
    package var packagePath: String { String(Substring(packagePathBytes)) }

    /// Bytes of the package path. A slash followed by a combining mark is one `Character`, so the text is cut
    /// by bytes.
    var packagePathBytes: Substring.UTF8View {
        statedPackagePath.map { $0[...].utf8 } ?? route[...].utf8.dropFirst()
    }
}

extension [Asset] {
    /// Calls the body with the bytes of an asset's package path. Neither the asset nor its path is copied.
    @inline(__always)
    func withPackagePath<Result>(
        at index: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        let stated = self[index].statedPackagePath
        let text = stated ?? self[index].route
        let start = stated == nil ? Swift.min(1, text.utf8.count) : 0
        let fast = text.utf8.withContiguousStorageIfAvailable {
            body(UnsafeBufferPointer(rebasing: $0.dropFirst(start)))
        }
        return fast ?? Array<UInt8>(self[index].packagePathBytes).withUnsafeBufferPointer { body($0) }
    }
}

/// Hash that the manifest states for an asset; `none` if the dialect states none that covers the bytes.
package enum AssetHash: Hashable, Sendable {
    case sha256(Digest256)
    case sha1(Digest160)
    case none

    /// Whether the hashed bytes match; nil if the manifest states no hash.
    func matches(_ sha256: SHA256, _ sha1: SHA1?) -> Bool? {
        switch self {
        case .sha256(let digest): sha256.finish() == digest
        case .sha1(let digest): sha1?.finish() == digest
        case .none: nil
        }
    }
}

/// What a manifest states besides its files. A dialect that can't state something keeps the default.
package struct ManifestMetadata: Hashable, Sendable {
    package var app: String?
    package var channel: String?
    package var order: PublicationOrder = .none
    package var command: ManifestCommand = .update
    package var native = NativeRange()
    /// Compatibility string of each platform (Meteor).
    package var compatibility: [PlatformCompatibility] = []
    package var dataSchema: UntrustedInteger?
    package var dataSchemaReadableFrom: UntrustedInteger?
    package var recalled: [String] = []
    package var unblock: [String] = []
    /// Share of the devices that it is offered to; nil: all.
    package var rollout: Rollout?

    package init() {}
}

package struct PlatformCompatibility: Hashable, Sendable {
    package var platform: String
    package var text: String

    package init(platform: String, text: String) {
        self.platform = platform
        self.text = text
    }
}

/// Order of the publications of one origin line (U8).
package enum PublicationOrder: Hashable, Sendable {
    case none
    /// Own dialect: count of deploys.
    case serial(UntrustedInteger)
    /// Frontend dialect: date of the deploy.
    case date(OriginTime)
}

/// Values of `order` in the own dialect.
package enum ManifestCommand: String, Hashable, Sendable {
    case update
    case force
    case rollBack
    case embedded
}
