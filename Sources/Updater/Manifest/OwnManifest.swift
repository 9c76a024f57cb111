import Core

/// The own dialect, `otalab-manifest-1`: every byte verifiable, orders and fitness stated (manifests.md).
enum OwnManifest {
    static let format = "otalab-manifest-1"

    static func read(_ root: ManifestNode) throws(ManifestRefusal) -> VersionTable {
        let format = try root.string("format")
        guard format == OwnManifest.format else {
            throw ManifestRefusal(.manifestUnknownFormat, "format=\(format.prefix(60))")
        }
        let id = try root.versionID("version")
        let facts = try facts(root)
        var list = RowList()
        for file in try root.objects("files") { list.add(try row(file)) }
        let rows = try list.sorted(sameIsFine: false)
        let index = try root.string("index")
        guard
            rows.contains(where: { TextBytes.areEqual($0.route, index) })
                || (rows.isEmpty && facts.command == .embedded)
        else {
            throw ManifestRefusal(
                .manifestFieldMalformed, "field=index: no row has the route \(index.prefix(200))")
        }
        let digest = RowList.contentDigest(id: id, rows: rows)
        return VersionTable(
            key: VersionKey(id: id, digest: digest), dialect: .own, rows: rows, index: index, facts: facts)
    }

    private static func facts(_ root: ManifestNode) throws(ManifestRefusal) -> ManifestFacts {
        var facts = ManifestFacts()
        facts.app = try root.string("app")
        facts.channel = try root.optionalString("channel")
        if let serial = try root.optionalCount("serial") { facts.order = .serial(serial) }
        if let text = try root.optionalString("order") {
            guard let command = ManifestCommand(rawValue: text) else {
                throw root.malformed("order", "update, force, rollBack or embedded")
            }
            facts.command = command
        }
        if let native = try root.optionalObject("native") {
            facts.native.minimum = try build(native, "min")
            facts.native.below = try build(native, "below")
        }
        facts.dataSchema = try root.optionalCount("dataSchema")
        facts.dataSchemaReadableFrom = try root.optionalCount("dataSchemaReadableFrom")
        facts.recalled = try root.versionIDs("recalled")
        facts.unblock = try root.versionIDs("unblock")
        return facts
    }

    private static func build(_ native: ManifestNode, _ key: StaticString) throws(ManifestRefusal)
        -> NativeBuild?
    {
        guard let text = try native.optionalString(key) else { return nil }
        guard let build = NativeBuild(text) else { throw native.malformed(key, "numbers and dots") }
        return build
    }

    private static func row(_ file: ManifestNode) throws(ManifestRefusal) -> Row {
        let route = try file.route(try file.string("route"), "route")
        guard let size = try file.optionalCount("size") else { throw file.missing("size") }
        let digest = try file.digest("sha256")
        let isImmutable = try file.flag("immutable")
        if isImmutable, !route.text.contains(try file.string("sha256")) {
            throw file.malformed("immutable", "a route that carries the content's hash")
        }
        return Row(
            route: route.text, size: size, hash: .sha256(digest),
            url: try file.optionalString("url") ?? route.percentEncoded,
            type: try file.mediaType("type"),
            isOptional: try file.flag("optional"), isImmutable: isImmutable,
            sourceMap: try file.optionalRoute("sourceMap"))
    }
}
