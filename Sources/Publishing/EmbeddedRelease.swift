import Core
import Updater

/// Writes the release that a folder offers as an app package: what the next native build ships, and what its
/// first launch shows.
///
/// ```
/// manifest.json     as published, without signatures: the store vouches for the package
/// web/…             its files, under the paths of their routes
/// www/…             files that belong to no version
/// ```
///
/// The embedded version has the id and the serial of the publication. So the device knows what is newer, and
/// what it had downloaded before a store update stays where that is newer (N1).
package enum EmbeddedRelease {
    /// What was written.
    package struct Summary: Hashable, Sendable {
        package var version: String
        package var serial: Int
        package var files: Int
    }

    /// - Parameters:
    ///   - published: the folder that is served, as data volume.
    ///   - package: an empty folder, as data volume.
    ///   - www: names and content of files for `www`.
    /// - Throws: ``PublishError``: nothing is published, or a file of it is missing or damaged; the package
    ///   is not complete then.
    package static func write(
        from published: inout some Disk, to package: inout some SyncingDisk,
        www: [(name: String, content: [UInt8])]
    ) throws(PublishError) -> Summary {
        let releases = try PublishedReleases.read(&published)
        guard let newest = releases.newest else { throw .noRelease }
        guard !newest.table.assets.isEmpty else { throw .nothingToEmbed }
        let root = DiskPath(.data, "")
        var tree = FileTree()
        for asset in newest.table.assets {
            guard let source = PublishedFolder.path(of: asset), case .sha256(let digest) = asset.hash else {
                throw .foreignManifest("it does not name '\(asset.url)' as 'otalab publish' does")
            }
            let bytes: [UInt8]
            do throws(DiskError) {
                bytes = try WebBuild.bytes(of: source, &published)
            } catch {
                throw error.code == .notFound ? .damaged(asset.url) : .disk(error)
            }
            guard SHA256.hash(of: bytes) == digest else { throw .damaged(asset.url) }
            do throws(DiskError) {
                try tree.write(bytes, root / "web" / asset.packagePath, &package)
            } catch {
                throw .disk(error)
            }
        }
        do throws(DiskError) {
            for file in www { try tree.write(file.content, root / "www" / file.name, &package) }
            try tree.write(releases.manifest, root / "manifest.json", &package)
            try tree.sync(&package)
        } catch {
            throw .disk(error)
        }
        return Summary(
            version: newest.table.key.id, serial: newest.serial, files: newest.table.assets.count)
    }
}
