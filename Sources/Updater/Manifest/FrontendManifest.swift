import Core

/// The frontend manifest of a deploy: commit, date, files with routes. Hash and size are read if present;
/// without them only U1's weaker verification is possible.
enum FrontendManifest {
    static func read(_ root: ManifestNode) throws(ManifestRefusal) -> VersionTable {
        let id = try root.versionID("commit")
        let text = try root.string("date")
        guard let date = ISODate.time(text) else { throw root.malformed("date", "an ISO 8601 date and time") }
        var list = AssetList()
        for file in try root.objects("files") { list.add(try asset(file)) }
        let assets = try list.sorted(mergesDuplicates: false)
        guard let index = assets.first(where: { $0.route == "/" || $0.route == "/index.html" }) else {
            throw ManifestRefusal(.manifestFieldMissing, "no row has the route / or /index.html")
        }
        var metadata = ManifestMetadata()
        metadata.order = .date(date)
        let digest = AssetList.contentDigest(id: id, assets: assets)
        return VersionTable(
            key: VersionKey(id: id, digest: digest), dialect: .frontend, assets: assets, index: index.route,
            metadata: metadata)
    }

    private static func asset(_ file: ManifestNode) throws(ManifestRefusal) -> Asset {
        let path = try file.string("path")
        guard !path.isEmpty else { throw file.malformed("path", "a path of a file") }
        let safePath = try file.route(path.hasPrefix("/") ? path : "/" + path, "path")
        let route = try file.route(try file.string("route"), "route")
        var hash = AssetHash.none
        if let text = try file.optionalString("hash") {
            if let digest = Digest256(hex: text) {
                hash = .sha256(digest)
            } else if let digest = Digest160(hex: text) {
                hash = .sha1(digest)
            } else {
                throw file.malformed("hash", "64 or 40 hex digits")
            }
        }
        return Asset(
            route: route.text, size: try file.optionalSize("size"), hash: hash, url: safePath.percentEncoded,
            packagePath: String(Substring(safePath.text.utf8.dropFirst())))
    }
}
