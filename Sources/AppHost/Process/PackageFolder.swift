import Core
import LocalServer
import Updater

/// The listing of the plugin files in the app package, one folder or fifteen files to a step.
///
/// **Invariant.** After each step, every file below the root is in exactly one of: `files`, `names`, a folder
/// of `folders`.
struct PackageFolder: Sendable {
    private let root: DiskPath
    /// The embedded version, whose files are not the package's even where they are below the root, as in a
    /// Cordova app: they would be answered at another path, also after an update.
    private let embedded: EmbeddedSource?
    /// Folders still to be listed, relative to the root.
    private var folders: [String]
    /// Entries of the last listed folder whose status is still to be read.
    private var names: [String] = []
    private var files: [ServedFile] = []
    private static let filesPerStep = 15

    init(_ root: DiskPath, excluding embedded: EmbeddedSource? = nil) {
        self.root = root
        self.embedded = embedded
        folders = [""]
    }

    /// The files listed so far.
    var site: Site {
        Site(
            name: "www", index: "",
            files: files.sorted { TextBytes.precedes($0.route, $1.route) })
    }

    /// - Returns: true when everything is listed.
    mutating func step(_ disk: inout some Disk) throws(DiskError) -> Bool {
        if names.isEmpty {
            guard let folder = folders.popLast() else { return true }
            let path = folder.isEmpty ? root : DiskPath(root.volume, root.text + folder)
            names = try disk.list(path).map { folder + "/" + $0 }
            return false
        }
        for name in names.suffix(PackageFolder.filesPerStep) {
            let path = DiskPath(root.volume, root.text + name)
            if path == embedded?.root || path == embedded?.manifest { continue }
            let status = try disk.status(path)
            switch status.kind {
            case .directory: folders.append(name)
            case .file:
                // The hash of the content is not known: length and route replace it, because files of the
                // package change only with the package.
                let tag = "www-\(FNV1a32.hash(of: name))-\(status.size)"
                files.append(ServedFile(route: name, path: path, size: status.size, tag: tag))
            case .other: break
            }
        }
        names.removeLast(min(PackageFolder.filesPerStep, names.count))
        return false
    }
}
