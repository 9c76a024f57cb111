import Core
import Foundation

/// A web build on disk: what would become a version.
struct ReleaseFolder {
    struct File {
        /// `/assets/app.js`: the path below the folder, as its bytes are spelled.
        var route: String
        var url: URL
        var size: Int
        /// nil: a link, a socket, or nothing that can be opened.
        var isReadable: Bool

        var bytes: [UInt8] { (try? Data(contentsOf: url)).map { Array($0) } ?? [] }
    }

    /// As given to the program.
    let path: String
    /// Sorted by the bytes of the route.
    private(set) var files: [File] = []

    /// nil: there is no such folder.
    init?(_ path: String) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
            return nil
        }
        self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        let root = URL(fileURLWithPath: path)
        for name in FileManager.default.subpaths(atPath: path) ?? [] {
            let url = root.appendingPathComponent(name)
            let facts = try? FileManager.default.attributesOfItem(atPath: url.path)
            let type = facts?[.type] as? FileAttributeType
            if type == .typeDirectory { continue }
            let isReadable = type == .typeRegular && FileManager.default.isReadableFile(atPath: url.path)
            files.append(
                File(
                    route: "/" + name, url: url, size: (facts?[.size] as? NSNumber)?.intValue ?? 0,
                    isReadable: isReadable))
        }
        files.sort { TextBytes.precedes($0.route, $1.route) }
    }

    func file(_ route: String) -> File? { files.first { TextBytes.areEqual($0.route, route) } }

    func place(_ file: File) -> Finding.Place { Finding.Place(file: path + file.route) }

    var place: Finding.Place { Finding.Place(file: path) }

    var size: Int { files.reduce(0) { $0 + $1.size } }
}
