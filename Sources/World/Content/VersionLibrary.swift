import Backend
import Core
import ScenarioLanguage
import Updater

/// All versions of a setup with their bytes, built once and shared by every copy of the world.
///
/// Guarantees: equal setups give equal libraries; a library never changes. Invalid setups throw a
/// ``SetupError``.
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

    package init(_ setup: WorldSetup) throws(SetupError) {
        try setup.check()
        var builder = VersionLibraryBuilder(setup)
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
        for version in built {
            let writer = ManifestWriter(setup: setup, versions: built, contents: contents)
            let publication = ManifestWriter.Publication(
                version: version.ordinal, serial: 1, date: setup.origin.epoch)
            do {
                keys.append(
                    try ManifestReader(dialect: setup.app.dialect).read(writer.bytes(publication)).key)
            } catch {
                throw .manifest(version: version.name, reason: error.detail)
            }
        }
        self.keys = keys
    }

    /// Index of the version with this id and these assets; nil if none has them.
    package func index(of key: VersionKey) -> Int? { keys.firstIndex(of: key) }

    package func index(ofVersion name: String) -> Int? { versions.firstIndex { $0.name == name } }

    package func bytes(of file: BuiltFile) -> [UInt8] { contents[file.content].bytes }

    func content(of file: BuiltFile) -> HashedContent { contents[file.content] }

    /// The versions with this id; several if a setup publishes an id twice.
    package func versions(withID id: String) -> VersionMask {
        var mask = VersionMask()
        for (index, version) in versions.enumerated() where version.id == id { mask.insert(index) }
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
            let isSame = sameBytes(contents[content].bytes, bytes)
            if isSame { mask.insert(index) }
            last = (content, isSame)
        }
        return mask
    }

    /// The same for the target of a request, with its query and percent-encoding.
    package func versions(with bytes: [UInt8], atTarget target: String, asDocument: Bool = false)
        -> VersionMask
    {
        if asDocument { return versions(with: bytes, atRoute: "/", asDocument: true) }
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

/// Bytes of a file, with the hash that manifests and entity tags state.
struct HashedContent: Sendable {
    let bytes: [UInt8]
    /// Hash in hex: SHA-1 in the Meteor dialect, else SHA-256.
    let hash: String

    init(_ bytes: [UInt8], _ dialect: ManifestDialect) {
        self.bytes = bytes
        hash = dialect == .meteor ? SHA1.hash(of: bytes).hex : SHA256.hash(of: bytes).hex
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
    package let isOptional: Bool
    package let isImmutable: Bool
    /// Whether the URL contains the content's hash.
    package let isHashed: Bool
    package let type: String?
    package let sourceMap: String?
    /// Whether no manifest lists the file: Meteor's index.
    package let isUnlisted: Bool
}

/// Whether two arrays hold the same bytes; takes no time if they share a buffer.
func sameBytes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return left.withUnsafeBytes { one in
        right.withUnsafeBytes { other in
            guard let first = one.baseAddress, let second = other.baseAddress else { return true }
            if first == second { return true }
            var index = 0
            while index + 8 <= one.count {
                let a = first.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                let b = second.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                if a != b { return false }
                index &+= 8
            }
            while index < one.count {
                if one[index] != other[index] { return false }
                index &+= 1
            }
            return true
        }
    }
}
