import Core

/// Meteor's `program.json`, served as `__cordova/manifest.json`.
///
/// It has no order and `size` is only a hint; index and source maps have no usable hash. The index is never
/// listed and is added as the asset `/`.
struct MeteorManifest: DialectManifest {
    static let format = "web-program-pre1"
    /// Hints above it are ignored.
    private static let largestHint = Int(clamping: (1 as Int64) << 32)
    /// Without it an origin answers an unknown path with the index.
    private static let noIndex = "?meteor_dont_serve_index=true"

    let id: String
    let metadata: ManifestMetadata
    var filesKey: StaticString { "manifest" }
    /// Meteor lists some files twice.
    var mergesDuplicates: Bool { true }

    init(_ root: ManifestNode) throws(ManifestRefusal) {
        if let format = try root.optionalString("format"), format != MeteorManifest.format {
            throw ManifestRefusal(.manifestUnknownFormat, "format=\(format.prefix(60))")
        }
        id = try root.versionID("version")
        var metadata = ManifestMetadata()
        guard let versions = try root.optionalObject("cordovaCompatibilityVersions") else {
            throw root.missing("cordovaCompatibilityVersions")
        }
        for member in versions.node.members ?? [] {
            guard let text = member.value.string else { throw versions.malformed(member.key, "a string") }
            metadata.compatibility.append(PlatformCompatibility(platform: member.key, text: text))
        }
        metadata.compatibility.sort { AssetList.precedes($0.platform, $1.platform) }
        self.metadata = metadata
    }

    func addUnlisted(to list: inout AssetList) {
        list.add(
            Asset(
                route: Route.root.text, size: nil, hash: .none, url: "", packagePath: "index.html",
                type: "text/html"))
    }

    func index(of assets: [Asset]) -> String { Route.root.text }

    func add(_ entry: ManifestNode, to list: inout AssetList) throws(ManifestRefusal) {
        guard try entry.optionalString("where") == "client" else { return }
        let url = try entry.string("url")
        let path = try MeteorManifest.packagePath(entry, "path")
        let route = try entry.route(MeteorManifest.decodedPath(url), "url")
        guard route != .root else { return }
        let isMap = path.hasSuffix(".map")
        var hash = AssetHash.none
        // The entry of a dynamic module's source map carries the module's hash, not the map's.
        if !isMap, let text = try entry.optionalString("hash") {
            guard let digest = Digest160(hex: text) else { throw entry.malformed("hash", "40 hex digits") }
            hash = .sha1(digest)
        }
        let mapURL = try entry.optionalString("sourceMapUrl")
        let mapPath = try entry.optionalString("sourceMap")
        let cacheable = try entry.flag("cacheable")
        let carriesHash: Bool =
            if case .sha1(let digest) = hash { TextBytes.contains(digest.hex, in: route.text) } else { false }
        var asset = Asset(
            route: route.text, size: nil, hash: hash, url: MeteorManifest.fetchURL(route), packagePath: path,
            isOptional: isMap, isImmutable: cacheable && carriesHash,
            sourceMap: mapURL.map(MeteorManifest.decodedPath))
        asset.sizeHint = entry.node["size"]?.integer?.bounded(by: 0...MeteorManifest.largestHint)
        list.add(asset)
        guard let mapURL, mapPath != nil else { return }
        let mapRoute = try entry.route(MeteorManifest.decodedPath(mapURL), "sourceMapUrl")
        list.add(
            Asset(
                route: mapRoute.text, size: nil, hash: .none, url: MeteorManifest.fetchURL(mapRoute),
                packagePath: try MeteorManifest.packagePath(entry, "sourceMap"), type: "application/json",
                isOptional: true))
    }

    private static func packagePath(_ entry: ManifestNode, _ key: StaticString) throws(ManifestRefusal)
        -> String
    {
        let text = try entry.string(key)
        let route = try entry.route("/" + text, key)
        // It names a file, not a folder.
        guard !route.name.isEmpty else { throw entry.malformed(key, "a path of a file") }
        return text
    }

    /// URL relative to the folder of the manifest.
    ///
    /// A public `manifest.json`, as of a progressive web app, has the manifest's own URL below `__cordova/`,
    /// and `__cordova/__cordova/` leads there too, because the server removes one prefix. Without a prefix
    /// the server finds the file among those of the browser's build, which has the same public files; if it
    /// has other bytes there, their hash says so.
    private static func fetchURL(_ route: Route) -> String {
        if routesOfTheManifest.contains(where: { TextBytes.areEqual($0, route.text) }) {
            return "../manifest.json" + noIndex
        }
        return String(route.percentEncoded.dropFirst()) + noIndex
    }

    private static let routesOfTheManifest = ["/manifest.json", "/__cordova/manifest.json"]

    /// The path without its query, decoded like the server that offers it does; characters that ought to be
    /// encoded may be unencoded. A path that can't be decoded is used unchanged.
    private static func decodedPath(_ url: String) -> String {
        let path = url.utf8.firstIndex(of: UInt8(ascii: "?")).map { url[..<$0] } ?? url[...]
        var decoded: [UInt8] = []
        var rest = path.utf8[...]
        while let byte = rest.popFirst() {
            if byte != UInt8(ascii: "%") {
                decoded.append(byte)
                continue
            }
            guard let first = rest.popFirst(), let second = rest.popFirst(),
                let high = Hex.value(ofDigit: first), let low = Hex.value(ofDigit: second)
            else { return String(path) }
            decoded.append(high << 4 | low)
        }
        return TextBytes.text(of: decoded) ?? String(path)
    }
}
