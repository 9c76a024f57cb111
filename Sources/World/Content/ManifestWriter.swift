import Backend
import Core
import ScenarioLanguage
import Updater

/// Writes the manifests that an origin publishes and an app embeds, in the three dialects
/// (`ManifestDialect`).
struct ManifestWriter {
    let setup: WorldSetup
    let versions: [BuiltVersion]
    let contents: [HashedContent]
    private var app: AppSetup { setup.app }

    init(setup: WorldSetup, versions: [BuiltVersion], contents: [HashedContent]) {
        self.setup = setup
        self.versions = versions
        self.contents = contents
    }

    init(library: VersionLibrary) {
        self.init(setup: library.setup, versions: library.versions, contents: library.contents)
    }

    /// What a manifest states: its version, and the properties of this publication.
    struct Publication: Hashable, Sendable {
        /// Index of the version; nil only with the order `embedded`.
        var version: Int?
        var serial: Int
        var date: OriginTime
        var command = ManifestCommand.update
        /// Ids of recalled versions.
        var recalled: [String] = []
        /// Ids of versions that devices are to unblock.
        var unblock: [String] = []
        /// Devices that the publication is for; nil: all.
        var audience: Audience?
        /// URL of the manifest for devices outside the audience's share, relative to this one.
        var otherwise: String?
        /// Whether files are listed under the URLs of their content, because several publications are offered
        /// at the same time.
        var hasContentURLs = false
        /// How it is signed, and what it says of signatures (U16).
        var signing = ManifestSigning(signers: [])
    }

    /// Folder of the content of audience-specific manifests, relative to the manifest.
    static let contentFolder = "content/"

    func bytes(_ publication: Publication) -> [UInt8] {
        switch app.dialect {
        case .own: own(publication)
        case .frontend: frontend(publication)
        case .meteor: meteor(publication)
        }
    }

    /// The files that a manifest lists, in its order.
    private func listed(_ version: BuiltVersion?) -> [BuiltFile] {
        let files = version?.files.filter { !$0.isUnlisted } ?? []
        return app.listsFilesBackwards ? files.reversed() : files
    }

    private func own(_ publication: Publication) -> [UInt8] {
        let version = publication.version.map { versions[$0] }
        var json = JSONWriter(indent: 1)
        json.beginObject()
        json.member("format", "otalab-manifest-1")
        json.member("app", app.id)
        json.member("version", version?.id ?? "none")
        json.member("serial", publication.serial)
        json.member("channel", publication.audience?.channel ?? app.settings.channel)
        json.member("created", ISODate.text(publication.date))
        if let native = version?.native, !native.isOpen {
            json.key("native")
            json.beginObject()
            if let minimum = native.minimum { json.member("min", minimum.text) }
            if let below = native.below { json.member("below", below.text) }
            json.endObject()
        }
        let declared = publication.version.map { setup.versions[$0] }
        if let schema = declared?.dataSchema { json.member("dataSchema", schema) }
        if let from = declared?.dataSchemaReadableFrom { json.member("dataSchemaReadableFrom", from) }
        json.member("index", version?.index ?? "/index.html")
        json.key("files")
        json.beginArray()
        for file in listed(version) {
            writeOwnAsset(
                file, isTargeted: publication.audience != nil || publication.hasContentURLs, &json)
        }
        json.endArray()
        writeRollout(publication, &json)
        if publication.command != .update { json.member("order", publication.command.rawValue) }
        list("recalled", publication.recalled, &json)
        list("unblock", publication.unblock, &json)
        writeTerms(publication.signing, &json)
        json.endObject()
        return json.bytes
    }

    private func writeTerms(_ signing: ManifestSigning, _ json: inout JSONWriter) {
        if let expires = signing.expires { json.member("expires", ISODate.text(expires)) }
        if signing.keys.isEmpty { return }
        json.key("keys")
        json.beginArray()
        for key in signing.keys.compactMap({ setup.key(named: $0) }).map(StandInSignatures.key) {
            json.beginObject()
            json.member("id", key.id)
            json.member("algorithm", key.algorithm.rawValue)
            json.member("key", Hex.text(key.bytes))
            json.endObject()
        }
        json.endArray()
    }

    private func writeRollout(_ publication: Publication, _ json: inout JSONWriter) {
        guard let audience = publication.audience, let share = audience.share else { return }
        json.key("rollout")
        json.beginObject()
        json.member("share", share)
        json.member("of", audience.of ?? Audience.standardOf)
        if let salt = audience.salt { json.member("salt", salt) }
        if let otherwise = publication.otherwise { json.member("otherwise", otherwise) }
        json.endObject()
    }

    private func writeOwnAsset(_ file: BuiltFile, isTargeted: Bool, _ json: inout JSONWriter) {
        json.beginObject()
        json.member("route", file.route)
        json.member("size", file.statedSize)
        json.member("sha256", contents[file.content].hash)
        if isTargeted {
            json.member("url", ManifestWriter.contentFolder + contents[file.content].hash)
        }
        if let type = file.type { json.member("type", type) }
        if file.isOptional { json.member("optional", true) }
        if file.isImmutable { json.member("immutable", true) }
        if let map = file.sourceMap { json.member("sourceMap", map) }
        json.endObject()
    }

    private func list(_ key: String, _ ids: [String], _ json: inout JSONWriter) {
        if ids.isEmpty { return }
        json.key(key)
        json.beginArray()
        for id in ids { json.string(id) }
        json.endArray()
    }

    private func frontend(_ publication: Publication) -> [UInt8] {
        let version = publication.version.map { versions[$0] }
        var json = JSONWriter(indent: 1)
        json.beginObject()
        json.member("commit", version?.id ?? "none")
        json.member("date", ISODate.text(publication.date))
        json.key("files")
        json.beginArray()
        for file in listed(version) {
            json.beginObject()
            json.member("path", String(file.route.dropFirst()))
            json.member("route", file.route)
            if app.frontendStatesHashes {
                json.member("hash", contents[file.content].hash)
                json.member("size", file.statedSize)
            }
            json.endObject()
        }
        json.endArray()
        writeTerms(publication.signing, &json)
        json.endObject()
        return json.bytes
    }

    // MARK: - Meteor

    private func meteor(_ publication: Publication) -> [UInt8] {
        let version = publication.version.map { versions[$0] }
        var json = JSONWriter(indent: 1)
        json.beginObject()
        json.member("format", "web-program-pre1")
        json.member("version", version?.id ?? "none")
        json.key("cordovaCompatibilityVersions")
        json.beginObject()
        json.member("android", version?.compatibility ?? "")
        json.member("ios", version?.compatibility ?? "")
        json.endObject()
        json.key("manifest")
        json.beginArray()
        let maps = version?.files.compactMap(\.sourceMap) ?? []
        for file in listed(version) where !maps.contains(file.route) {
            writeMeteorAsset(file, &json)
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }

    private func writeMeteorAsset(_ file: BuiltFile, _ json: inout JSONWriter) {
        let hash = contents[file.content].hash
        let path = VersionLibraryBuilder.encoded(file.route)
        json.beginObject()
        json.member("path", packagePath(of: file))
        json.member("where", "client")
        json.member("type", ManifestWriter.meteorType(of: file))
        json.member("cacheable", file.isHashed)
        json.member("url", ManifestWriter.meteorURL(of: file, path: path, hash: hash))
        if let map = file.sourceMap {
            json.member("sourceMap", String(map.dropFirst()))
            json.member("sourceMapUrl", VersionLibraryBuilder.encoded(map))
        }
        json.member("size", file.statedSize)
        json.member("hash", hash)
        json.endObject()
    }

    static func meteorType(of file: BuiltFile) -> String {
        switch ContentGenerator.kind(ofRoute: file.route) {
        case .script: "js"
        case .style: "css"
        case .page, .json, .plain, .binary: "asset"
        }
    }

    static func meteorURL(of file: BuiltFile, path: String, hash: String) -> String {
        switch ContentGenerator.kind(ofRoute: file.route) {
        case .script: path + (file.isHashed ? "?meteor_js_resource=true" : "?hash=\(hash)")
        case .style: path + (file.isHashed ? "?meteor_css_resource=true" : "?hash=\(hash)")
        case .page, .json, .plain, .binary: path
        }
    }

    /// Path of a file in the app package's copy of its version. Meteor's public files lie in a folder that
    /// their URLs do not name; scripts, their maps and styles have the path of their URL.
    func packagePath(of file: BuiltFile) -> String {
        if file.isUnlisted { return "index.html" }
        let path = String(file.route.dropFirst())
        if app.dialect != .meteor || path.hasSuffix(".map") { return path }
        return switch ContentGenerator.kind(ofRoute: file.route) {
        case .script, .style: path
        case .page, .json, .plain, .binary: "app/" + path
        }
    }
}
