import Core

/// The own dialect, `otalab-manifest-1`: it states a hash for every byte, orders and fitness.
struct OwnManifest: DialectManifest {
    static let format = "otalab-manifest-1"

    let id: String
    let metadata: ManifestMetadata
    private let root: ManifestNode

    init(_ root: ManifestNode) throws(ManifestRefusal) {
        let format = try root.string("format")
        guard format == OwnManifest.format else {
            throw ManifestRefusal(.manifestUnknownFormat, "format=\(format.prefix(60))")
        }
        id = try root.versionID("version")
        var metadata = try OwnManifest.metadata(root)
        metadata.rollout = try Rollout.read(root, version: id)
        self.metadata = metadata
        self.root = root
    }

    func index(of assets: [Asset]) throws(ManifestRefusal) -> String {
        let index = try root.string("index")
        guard
            assets.contains(where: { TextBytes.areEqual($0.route, index) })
                || (assets.isEmpty && metadata.command == .embedded)
        else {
            throw ManifestRefusal(
                .manifestFieldMalformed, "field=index: no row has the route \(index.prefix(200))")
        }
        // Without its index a version shows nothing (U12).
        if assets.contains(where: { $0.isOptional && TextBytes.areEqual($0.route, index) }) {
            throw ManifestRefusal(
                .manifestFieldMalformed, "field=index: the row of \(index.prefix(200)) is optional")
        }
        return index
    }

    private static func metadata(_ root: ManifestNode) throws(ManifestRefusal) -> ManifestMetadata {
        var metadata = ManifestMetadata()
        metadata.app = try root.string("app")
        metadata.channel = try root.optionalString("channel")
        if let serial = try root.optionalCount("serial") { metadata.order = .serial(serial) }
        if let text = try root.optionalString("order") {
            guard let command = ManifestCommand(rawValue: text) else {
                throw root.malformed("order", "update, force, rollBack or embedded")
            }
            metadata.command = command
        }
        if let native = try root.optionalObject("native") {
            metadata.native.minimum = try build(native, "min")
            metadata.native.below = try build(native, "below")
        }
        metadata.dataSchema = try root.optionalCount("dataSchema")
        metadata.dataSchemaReadableFrom = try root.optionalCount("dataSchemaReadableFrom")
        metadata.recalled = try root.versionIDs("recalled")
        metadata.unblock = try root.versionIDs("unblock")
        return metadata
    }

    private static func build(_ native: ManifestNode, _ key: StaticString) throws(ManifestRefusal)
        -> NativeBuild?
    {
        guard let text = try native.optionalString(key) else { return nil }
        guard let build = NativeBuild(text) else { throw native.malformed(key, "numbers and dots") }
        return build
    }

    func add(_ file: ManifestNode, to list: inout AssetList) throws(ManifestRefusal) {
        let route = try file.route(try file.string("route"), "route")
        guard let size = try file.optionalSize("size") else { throw file.missing("size") }
        let digest = try file.digest("sha256")
        let isImmutable = try file.flag("immutable")
        if isImmutable, !TextBytes.contains(try file.string("sha256"), in: route.text) {
            throw file.malformed("immutable", "a route that carries the content's hash")
        }
        list.add(
            Asset(
                route: route.text, size: size, hash: .sha256(digest),
                url: try file.optionalString("url") ?? route.percentEncoded,
                type: try file.mediaType("type"),
                isOptional: try file.flag("optional"), isImmutable: isImmutable,
                sourceMap: try file.optionalRoute("sourceMap")))
    }
}
