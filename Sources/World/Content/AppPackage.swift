import Backend
import Core
import Updater

/// The app package of one build, as a store delivers it: the embedded version with its manifest, and `www`.
///
/// The manifest lies beside the folder of the version, because a real build can have a file of that name
/// itself: a web app manifest, or the manifest that Meteor's build tool writes.
enum AppPackage {
    static let www = DiskPath(.package, "www")
    static let root = DiskPath(.package, "web")

    static func manifest(_ dialect: ManifestDialect) -> DiskPath {
        DiskPath(.package, dialect == .meteor ? "program.json" : "manifest.json")
    }

    /// The package's files: paths on the package volume, and contents.
    static func files(_ build: BuildSetup, publication: ManifestWriter.Publication?, library: VersionLibrary)
        -> [(path: String, content: PublishedContent)]
    {
        var files: [(path: String, content: PublishedContent)] = []
        for file in library.setup.app.www {
            let key = ContentKey(version: "www", route: "/" + file.path, size: file.size)
            let kind = ContentGenerator.kind(ofRoute: file.path)
            let content = ContentGenerator.make(key, kind: kind, head: "", library.meter)
            files.append(("www/" + file.path, content.literal(upTo: VersionLibrary.literalSize)))
        }
        guard let publication, let version = publication.version else { return files }
        let writer = ManifestWriter(library: library)
        let manifestPath = AppPackage.manifest(library.setup.app.dialect).text
        files.append((manifestPath, PublishedContent(writer.bytes(publication))))
        for file in library.versions[version].files {
            files.append((root.text + "/" + writer.packagePath(of: file), library.content(of: file)))
        }
        return files
    }

    static func source(_ dialect: ManifestDialect) -> EmbeddedSource {
        EmbeddedSource(dialect: dialect, manifest: manifest(dialect), root: root)
    }
}
