import Core
import Foundation

/// A web build on disk, which would become a version; or the files of a release that is published.
package struct ReleaseFolder {
    struct File {
        /// The path below the folder with its original bytes: `/assets/app.js`.
        var route: String
        /// The path as shown; nil: the folder's and the route.
        var shown: String?
        var url: URL
        var size: Int
        /// Whether this is a regular file that can be opened.
        var isReadable: Bool

        var bytes: [UInt8] { (try? Data(contentsOf: url)).map { Array($0) } ?? [] }
    }

    /// The path as given to the program.
    let path: String
    /// Sorted by the bytes of the route.
    private(set) var files: [File] = []

    /// Nil if there is no such folder.
    init?(_ path: String) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
            return nil
        }
        self.path = ReleaseFolder.withoutSlash(path)
        let root = URL(fileURLWithPath: path)
        for name in FileManager.default.subpaths(atPath: path) ?? [] {
            let url = root.appendingPathComponent(name)
            let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
            let type = attributes?[.type] as? FileAttributeType
            if type == .typeDirectory { continue }
            let isReadable = type == .typeRegular && FileManager.default.isReadableFile(atPath: url.path)
            files.append(
                File(
                    route: "/" + name, url: url, size: (attributes?[.size] as? NSNumber)?.intValue ?? 0,
                    isReadable: isReadable))
        }
        files.sort { TextBytes.precedes($0.route, $1.route) }
    }

    /// The files of a published release.
    /// - Parameters:
    ///   - path: the folder as given to the program.
    ///   - files: route, path below the folder, and size of each.
    package init(published path: String, _ files: [(route: String, path: String, size: Int)]) {
        self.path = ReleaseFolder.withoutSlash(path)
        self.files = files.map { file in
            let shown = self.path + "/" + file.path
            return File(
                route: file.route, shown: shown, url: URL(fileURLWithPath: shown), size: file.size,
                isReadable: true)
        }
        self.files.sort { TextBytes.precedes($0.route, $1.route) }
    }

    private static func withoutSlash(_ path: String) -> String {
        path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    func file(_ route: String) -> File? { files.first { TextBytes.areEqual($0.route, route) } }

    func location(_ file: File) -> Finding.Location {
        Finding.Location(file: file.shown ?? path + file.route)
    }

    var location: Finding.Location { Finding.Location(file: path) }

    var size: Int { files.reduce(0) { $0 + $1.size } }
}
