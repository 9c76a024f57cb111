import Core

/// The frontend manifest of a deploy: commit, date, files with routes. Hash and size are read where present;
/// without them only U1's weaker way holds.
enum FrontendManifest {
    static func read(_ root: ManifestNode) throws(ManifestRefusal) -> VersionTable {
        let id = try root.versionID("commit")
        let text = try root.string("date")
        guard let date = ISODate.time(text) else { throw root.malformed("date", "an ISO 8601 date and time") }
        var list = RowList()
        for file in try root.objects("files") { list.add(try row(file)) }
        let rows = try list.sorted(sameIsFine: false)
        guard let index = rows.first(where: { $0.route == "/" || $0.route == "/index.html" }) else {
            throw ManifestRefusal(.manifestFieldMissing, "no row has the route / or /index.html")
        }
        var facts = ManifestFacts()
        facts.order = .date(date)
        let digest = RowList.contentDigest(id: id, rows: rows)
        return VersionTable(
            key: VersionKey(id: id, digest: digest), dialect: .frontend, rows: rows, index: index.route,
            facts: facts)
    }

    private static func row(_ file: ManifestNode) throws(ManifestRefusal) -> Row {
        let path = try file.string("path")
        let safePath = try file.route(path.hasPrefix("/") ? path : "/" + path, "path")
        let route = try file.route(try file.string("route"), "route")
        var hash = RowHash.none
        if let text = try file.optionalString("hash") {
            if let digest = Digest256(hex: text) {
                hash = .sha256(digest)
            } else if let digest = Digest160(hex: text) {
                hash = .sha1(digest)
            } else {
                throw file.malformed("hash", "64 or 40 hex digits")
            }
        }
        return Row(
            route: route.text, size: try file.optionalCount("size"), hash: hash, url: safePath.percentEncoded,
            packagePath: String(Substring(safePath.text.utf8.dropFirst())))
    }
}
