import LocalServer
import Updater

/// The sites of the versions that the server may still answer from, so that each is named once. The server
/// names versions by text, the updater by key.
///
/// **Invariants.** Each key occurs once. The name of a site contains the version's id and digest, so that two
/// versions never have the same one. Versions that the updater has retired are not here.
struct SiteCache: Sendable {
    private struct Entry: Sendable {
        var key: VersionKey
        var site: Site
    }

    private var entries: [Entry] = []

    /// The site of a version; a version that has got more files gives another site.
    mutating func site(of version: ServedVersion) -> Site {
        if let known = entries.first(where: { $0.key == version.key }),
            known.site.files.count == version.files.count
        {
            return known.site
        }
        let site = Site(
            name: version.key.id + "#" + version.key.digest.hex, index: version.index, files: version.files)
        remove(version.key)
        entries.append(Entry(key: version.key, site: site))
        return site
    }

    func key(ofSite name: String) -> VersionKey? { entries.first { $0.site.name == name }?.key }

    mutating func remove(_ key: VersionKey) { entries.removeAll { $0.key == key } }
}
