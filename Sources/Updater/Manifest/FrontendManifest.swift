import Core

/// The frontend manifest of a deploy: commit, date, files with routes. Hash and size are read if present;
/// without them only U1's weaker verification is possible.
struct FrontendManifest: DialectManifest {
    let id: String
    let metadata: ManifestMetadata

    init(_ root: ManifestNode) throws(ManifestRefusal) {
        id = try root.versionID("commit")
        let text = try root.string("date")
        guard let date = ISODate.time(text) else { throw root.malformed("date", "an ISO 8601 date and time") }
        var metadata = ManifestMetadata()
        metadata.order = .date(date)
        self.metadata = metadata
    }

    func index(of assets: [Asset]) throws(ManifestRefusal) -> String {
        guard let index = assets.first(where: { $0.route == "/" || $0.route == "/index.html" }) else {
            throw ManifestRefusal(.manifestFieldMissing, "no row has the route / or /index.html")
        }
        return index.route
    }

    func add(_ file: ManifestNode, to list: inout AssetList) throws(ManifestRefusal) {
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
        list.add(
            Asset(
                route: route.text, size: try file.optionalSize("size"), hash: hash,
                url: safePath.percentEncoded,
                packagePath: String(Substring(safePath.text.utf8.dropFirst()))))
    }
}
