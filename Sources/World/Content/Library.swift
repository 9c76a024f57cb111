import Backend
import Core
import ScenarioLanguage
import Updater

/// All versions of a setup with their bytes, worked out once and shared by every copy of the world.
///
/// Guarantees: equal setups give equal libraries; nothing in it ever changes. What can go wrong is
/// in the setup and is a ``SetupError``.
package final class Library: Sendable {
    /// In the setup's order: a version's place is its number everywhere.
    package let versions: [BuiltVersion]
    let contents: [Content]
    let setup: WorldSetup
    /// Of each version, as the updater's own reader works it out of its manifest.
    package let keys: [VersionKey]

    package init(_ setup: WorldSetup) throws(SetupError) {
        try setup.check()
        var builder = LibraryBuilder(setup)
        var built: [BuiltVersion] = []
        for (place, version) in setup.versions.enumerated() {
            built.append(try builder.build(version, place: place))
        }
        versions = built
        contents = builder.contents
        self.setup = setup
        var keys: [VersionKey] = []
        for version in built {
            let writer = ManifestWriter(setup: setup, versions: built, contents: contents)
            let publication = ManifestWriter.Publication(
                version: version.place, serial: 1, date: setup.origin.epoch)
            do {
                keys.append(
                    try ManifestReader(dialect: setup.app.dialect).read(writer.bytes(publication)).key)
            } catch {
                throw .manifest(version: version.name, reason: error.detail)
            }
        }
        self.keys = keys
    }

    /// The version with this id and these rows; where the rows are nobody's, nil.
    package func place(of key: VersionKey) -> Int? { keys.firstIndex(of: key) }

    package func place(ofVersion name: String) -> Int? { versions.firstIndex { $0.name == name } }

    package func bytes(of file: BuiltFile) -> [UInt8] { contents[file.content].bytes }

    func content(of file: BuiltFile) -> Content { contents[file.content] }

    /// The versions that the id stands for: more than one where a setup publishes an id twice.
    package func versions(withID id: String) -> VersionMask {
        var mask = VersionMask()
        for (place, version) in versions.enumerated() where version.id == id { mask.insert(place) }
        return mask
    }

    /// The versions that answer this route with exactly these bytes. A document is compared with their
    /// indexes, whatever its route.
    package func versions(with bytes: [UInt8], atRoute route: String, asDocument: Bool = false) -> VersionMask
    {
        var mask = VersionMask()
        var last: (content: Int, isSame: Bool)?
        for place in versions.indices {
            let route = asDocument ? versions[place].index : route
            guard let content = versions[place].content(atRoute: route) else { continue }
            if let last, last.content == content {
                if last.isSame { mask.insert(place) }
                continue
            }
            let isSame = sameBytes(contents[content].bytes, bytes)
            if isSame { mask.insert(place) }
            last = (content, isSame)
        }
        return mask
    }

    /// As above for the target of a request, with its query and percent-encoding.
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

/// Bytes, and what a manifest or an entity tag says of them.
struct Content: Sendable {
    let bytes: [UInt8]
    /// Of the dialect's kind, in hex: SHA-1 for Meteor, else SHA-256.
    let hash: String

    init(_ bytes: [UInt8], _ dialect: ManifestDialect) {
        self.bytes = bytes
        hash = dialect == .meteor ? SHA1.hash(of: bytes).hex : SHA256.hash(of: bytes).hex
    }
}

/// A version with its routes worked out.
package struct BuiltVersion: Equatable, Sendable {
    package let name: String
    package let id: String
    package let place: Int
    /// Sorted by route; the index among them.
    package let files: [BuiltFile]
    /// The route that answers navigations.
    package let index: String
    package let native: NativeRange
    /// Meteor's compatibility string.
    package let compatibility: String
    package let startup: StartupSpec

    package func file(_ route: String) -> BuiltFile? { number(ofRoute: route).map { files[$0] } }

    /// The content's number, without a copy of all that is said about the file.
    @inline(__always)
    func content(atRoute route: String) -> Int? { number(ofRoute: route).map { files[$0].content } }

    @inline(__always)
    private func number(ofRoute route: String) -> Int? {
        TextBytes.index(of: route, in: files.indices) { files[$0].route }
    }

    /// By the route as the setup writes it, `{hash}` and all.
    package func file(template: String) -> BuiltFile? {
        files.first { TextBytes.areEqual($0.template, template) } ?? file(template)
    }

    package static func == (left: BuiltVersion, right: BuiltVersion) -> Bool {
        left.place == right.place && left.name == right.name && left.files == right.files
    }

}

/// A file of a built version.
package struct BuiltFile: Hashable, Sendable {
    package let route: String
    /// The route with `{hash}`.
    package let template: String
    /// Equal numbers are equal bytes.
    package let content: Int
    package let size: Int
    package let isOptional: Bool
    package let isImmutable: Bool
    /// Its URL carries its content's hash.
    package let isHashed: Bool
    package let type: String?
    package let sourceMap: String?
    /// It is no row of a manifest: Meteor's index.
    package let isUnlisted: Bool
}

/// Whether two arrays hold the same bytes; at once when they share a buffer.
func sameBytes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return left.withUnsafeBytes { one in
        right.withUnsafeBytes { other in
            guard let first = one.baseAddress, let second = other.baseAddress else { return true }
            if first == second { return true }
            var place = 0
            while place + 8 <= one.count {
                let a = first.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                let b = second.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                if a != b { return false }
                place &+= 8
            }
            while place < one.count {
                if one[place] != other[place] { return false }
                place &+= 1
            }
            return true
        }
    }
}
