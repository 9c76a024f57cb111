import Backend
import Core
import ScenarioLanguage
import Updater

/// All versions of a setup with their contents, built once and shared by every copy of the world.
///
/// Guarantees: equal setups give equal libraries; a library never changes. Invalid setups throw a
/// ``SetupError``. A library keeps few bytes however large its files are: it generates a large file once to
/// hash it, and then what is read of it (``HashedContent``).
package final class VersionLibrary: Sendable {
    /// The versions in the setup's order; a version is named by its index in it everywhere.
    package let versions: [BuiltVersion]
    let contents: [HashedContent]
    let setup: WorldSetup
    /// Key of each version, as the updater's manifest reader computes it.
    package let keys: [VersionKey]
    /// What the versions publish at each of their routes.
    private let routes: RouteContents
    /// Index of the content of each version's index file.
    private let indexContents: [Int]
    let meter: ContentMeter?

    /// Size in bytes up to which a generated file is kept, because it may be read often.
    static let literalSize = 1 << 20

    /// - Parameter meter: counts the bytes that are generated, for tests.
    package init(_ setup: WorldSetup, meter: ContentMeter? = nil) throws(SetupError) {
        try setup.check()
        self.meter = meter
        var builder = VersionLibraryBuilder(setup, meter)
        var built: [BuiltVersion] = []
        for (ordinal, version) in setup.versions.enumerated() {
            built.append(try builder.build(version, ordinal: ordinal))
        }
        versions = built
        routes = RouteContents(built)
        indexContents = built.map { $0.content(atRoute: $0.index) ?? RouteContents.none }
        contents = builder.contents
        self.setup = setup
        var keys: [VersionKey] = []
        // A version that no device may accept is published all the same (U10).
        var limits = UpdaterLimits()
        limits.fileBytes = .max
        limits.versionBytes = .max
        for version in built {
            let writer = ManifestWriter(setup: setup, versions: built, contents: contents)
            let publication = ManifestWriter.Publication(
                version: version.ordinal, serial: 1, date: setup.origin.epoch)
            do {
                keys.append(
                    try ManifestReader(dialect: setup.app.dialect, limits: limits)
                        .read(writer.bytes(publication)).key)
            } catch {
                throw .manifest(version: version.name, reason: error.detail)
            }
        }
        self.keys = keys
    }

    /// Index of the version with this id and these assets; nil if none has them.
    package func index(of key: VersionKey) -> Int? { keys.firstIndex(of: key) }

    package func index(ofVersion name: String) -> Int? { versions.firstIndex { $0.name == name } }

    package func bytes(of file: BuiltFile) -> [UInt8] { content(of: file).bytes }

    func content(of file: BuiltFile) -> PublishedContent { contents[file.content].content }

    /// Hash in hex that manifests and entity tags state.
    func hash(of file: BuiltFile) -> String { contents[file.content].hash }

    /// A file as ``Backend/Backend/files(ofVersion:)`` returns it.
    func published(_ file: BuiltFile) -> PublishedFile {
        let hashed = contents[file.content]
        let sha256 = setup.app.dialect == .meteor || hashed.isOnlyStated ? nil : Digest256(hex: hashed.hash)
        return PublishedFile(route: file.template, content: hashed.content, sha256: sha256)
    }

    /// The versions with this id; several if a setup publishes an id twice.
    package func versions(withID id: String) -> VersionMask {
        var mask = VersionMask()
        for (index, version) in versions.enumerated() where version.id == id { mask.insert(index) }
        return mask
    }

    /// The versions that have the content of this file at a route.
    func versions(withContentOf file: BuiltFile, atRoute route: String) -> VersionMask {
        var mask = VersionMask()
        for (index, content) in routes.contents(at: route).enumerated() where content == file.content {
            mask.insert(index)
        }
        return mask
    }

    /// The versions that have exactly these bytes at this route. A document is compared with their index
    /// files, whatever its route.
    package func versions(with bytes: [UInt8], atRoute route: String, asDocument: Bool = false) -> VersionMask
    {
        var mask = VersionMask()
        var last: (content: Int, isSame: Bool)?
        for (index, content) in (asDocument ? indexContents : routes.contents(at: route)).enumerated()
        where content != RouteContents.none {
            if let last, last.content == content {
                if last.isSame { mask.insert(index) }
                continue
            }
            let isSame = contents[content].content.hasBytes(bytes)
            if isSame { mask.insert(index) }
            last = (content, isSame)
        }
        return mask
    }

    /// The same for the target of a request, with its query and percent-encoding. A document that is no index
    /// can be a file: a link leads to a script or a picture too.
    package func versions(with bytes: [UInt8], atTarget target: String, asDocument: Bool = false)
        -> VersionMask
    {
        if asDocument {
            let mask = versions(with: bytes, atRoute: "/", asDocument: true)
            if !mask.isEmpty { return mask }
        }
        do {
            guard let route = try RequestTarget(Array(target.utf8)).route else { return VersionMask() }
            return versions(with: bytes, atRoute: route.text)
        } catch {
            return VersionMask()
        }
    }
}

/// The content of each version at each route: an answer is compared with it at every request.
private struct RouteContents: Sendable {
    /// Stands for a version without the route.
    static let none = -1
    /// All routes of all versions, in the order of their bytes.
    private let routes: [String]
    /// For each route an index into ``VersionLibrary/contents`` for each version, or ``none``.
    private let contents: [[Int]]

    init(_ versions: [BuiltVersion]) {
        var routes: [String] = []
        for route in versions.flatMap({ $0.files.map(\.route) }).sorted(by: TextBytes.precedes)
        where routes.last.map({ !TextBytes.areEqual($0, route) }) ?? true {
            routes.append(route)
        }
        self.routes = routes
        contents = routes.map { route in versions.map { $0.content(atRoute: route) ?? RouteContents.none } }
    }

    /// One entry for each version; empty for a route that no version has.
    func contents(at route: String) -> [Int] {
        TextBytes.index(of: route, in: routes.indices) { routes[$0] }.map { contents[$0] } ?? []
    }
}

/// Content of a file, with the hash that manifests and entity tags state.
///
/// The hash of a file that is too large for the updater (U10) is derived from what the content is generated
/// from, and not from its bytes: no device may take the file, so nothing ever compares the two.
struct HashedContent: Sendable {
    let content: PublishedContent
    /// Hash in hex: SHA-1 in the Meteor dialect, else SHA-256.
    let hash: String
    /// Whether the hash is not that of the bytes.
    let isOnlyStated: Bool

    init(_ content: PublishedContent, _ dialect: ManifestDialect) {
        self.content = content
        isOnlyStated = content.isGenerated && content.count > HashedContent.largestHashed
        let hashed = isOnlyStated ? PublishedContent(content.description) : content
        hash = dialect == .meteor ? HashedContent.sha1(hashed) : HashedContent.sha256(hashed)
    }

    /// The largest file that an updater may take.
    private static let largestHashed = UpdaterLimits().fileBytes

    private static func sha1(_ content: PublishedContent) -> String {
        var hash = SHA1()
        content.readPieces { piece, _ in
            hash.update(piece)
            return true
        }
        return hash.finish().hex
    }

    private static func sha256(_ content: PublishedContent) -> String {
        var hash = SHA256()
        content.readPieces { piece, _ in
            hash.update(piece)
            return true
        }
        return hash.finish().hex
    }
}

/// A version with resolved routes and built files.
package struct BuiltVersion: Equatable, Sendable {
    package let name: String
    package let id: String
    /// Index of the version in the setup.
    package let ordinal: Int
    /// All files, the index file among them, sorted by route.
    package let files: [BuiltFile]
    /// Route of the file that answers navigations.
    package let index: String
    package let native: BuildRange
    /// Meteor's compatibility version.
    package let compatibility: String
    package let startup: StartupSpec

    package func file(_ route: String) -> BuiltFile? { fileIndex(ofRoute: route).map { files[$0] } }

    /// Index of a route's content, without a copy of the file's other properties.
    @inline(__always)
    func content(atRoute route: String) -> Int? { fileIndex(ofRoute: route).map { files[$0].content } }

    @inline(__always)
    private func fileIndex(ofRoute route: String) -> Int? {
        TextBytes.index(of: route, in: files.indices) { files[$0].route }
    }

    /// The file whose route the setup writes like this, with `{hash}`.
    package func file(template: String) -> BuiltFile? {
        files.first { TextBytes.areEqual($0.template, template) } ?? file(template)
    }

    package static func == (left: BuiltVersion, right: BuiltVersion) -> Bool {
        left.ordinal == right.ordinal && left.name == right.name && left.files == right.files
    }
}

/// A file of a built version.
package struct BuiltFile: Hashable, Sendable {
    package let route: String
    /// Route as the setup writes it, with `{hash}`.
    package let template: String
    /// Index in ``VersionLibrary/contents``; equal indices mean equal bytes.
    package let content: Int
    package let size: Int
    /// Size that manifests state.
    package let statedSize: Int
    package let isOptional: Bool
    package let isImmutable: Bool
    /// Whether the URL contains the content's hash.
    package let isHashed: Bool
    package let type: String?
    package let sourceMap: String?
    /// Whether no manifest lists the file: Meteor's index.
    package let isUnlisted: Bool
}
