import Backend
import Core
import Foundation
import Live
import World

/// The folders of a subject: what the app keeps (`state`), the app package (`package`), and its errors
/// (`stderr.txt`).
///
/// Errors are those of the file system. Deliberately not here: what the state folder contains; it is the
/// subject's own.
package struct SubjectFolder {
    let path: String
    private var files: PackageFiles

    var state: String { path + "/state" }
    var package: String { files.path }
    var errors: String { path + "/stderr.txt" }

    /// Creates a folder in the system's temporary directory.
    init() throws {
        path =
            FileManager.default.temporaryDirectory.appendingPathComponent(
                "otalab-subject-\(UUID().uuidString)"
            ).path
        files = PackageFiles(at: path + "/package")
        for name in [state, package] {
            try FileManager.default.createDirectory(atPath: name, withIntermediateDirectories: true)
        }
    }

    /// Where the app package has the file of a route. The index of Meteor's format has the route `/`, which
    /// is no name of a file, and lies beside the manifest as in Meteor's own packages; a file `/index.html`
    /// may exist too.
    package static func packagePath(ofRoute route: String) -> String {
        route == Route.root.text ? "index.html" : "files" + route
    }

    /// The path without links; nil: there is no such file.
    static func realPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// Replaces the app package, whose files can't be written by their mode, as on a phone.
    mutating func install(_ files: [(path: String, content: PublishedContent)]) throws {
        try self.files.install(files, permissions: 0o444)
    }

    /// The end of what the subject wrote to its standard error, in characters.
    func lastErrors(_ count: Int) -> String {
        guard let data = FileManager.default.contents(atPath: errors) else { return "" }
        return String(String(decoding: data, as: UTF8.self).suffix(count))
    }
}

extension World {
    /// The app package in the layout of the protocol: `manifest.json`, and the files by their routes
    /// (``SubjectFolder/packagePath(ofRoute:)``).
    func subjectPackage(of device: Int = 0) -> [(path: String, content: PublishedContent)] {
        let installed = packageFiles(of: device)
        guard let manifest = installed.first(where: { ["manifest.json", "program.json"].contains($0.path) })
        else {
            return []
        }
        let build = setup.app.builds.first { $0.name == view(of: device).build }
        guard let name = build?.embeds, let version = library.index(ofVersion: name) else { return [] }
        return [("manifest.json", manifest.content)]
            + files(ofVersion: version).map { (SubjectFolder.packagePath(ofRoute: $0.route), $0.content) }
    }
}
