import Backend
import Core
import Foundation
import World

/// The folders of a device on the real file system, and a disk image of the data folder for the oracle.
///
/// Guarantees: the image has every file with its bytes at the last ``refresh()``, and changes only where
/// files did. All written bytes count as durable, because another process can't see which of them would
/// survive a power cut. Deliberately not here: power cuts.
struct DeviceFolder {
    /// Path of the folder that contains `data` and `package`.
    let path: String
    /// Image of the data folder.
    private(set) var image = SimulatedDisk()
    private var files: [FileState] = []
    private var package: PackageFiles

    /// A file of the data folder at the last refresh; two equal states mean equal content.
    private struct FileState: Equatable {
        var path: String
        var size: Int
        var modified: Int
        var inode: UInt64
        /// Content of a small file, because modification times are too coarse for a file that is rewritten at
        /// once; nil for larger ones.
        var bytes: [UInt8]?
    }

    /// Largest size of a file whose content is compared.
    private static let maxCachedBytes = 16 << 10

    /// Creates a folder in the system's temporary directory.
    init() throws {
        path =
            FileManager.default.temporaryDirectory.appendingPathComponent("otalab-live-\(UUID().uuidString)")
            .path
        package = PackageFiles(at: path + "/package")
        for name in ["data", "package"] {
            try FileManager.default.createDirectory(
                atPath: path + "/" + name, withIntermediateDirectories: true)
        }
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// Replaces the content of the package folder, unless it has the same files already.
    mutating func install(_ files: [(path: String, content: PublishedContent)]) throws {
        try package.install(files)
    }

    /// Updates the image from the file system.
    mutating func refresh() throws {
        var current: [FileState] = []
        try listFiles("", &current)
        current.sort { $0.path < $1.path }
        for previous in files where !current.contains(where: { $0.path == previous.path }) {
            try image.loseName(DiskPath(.data, previous.path))
        }
        for (index, file) in current.enumerated() {
            if let previous = files.first(where: { $0.path == file.path }), previous == file { continue }
            let bytes = try file.bytes ?? read(file.path)
            try image.place(DiskPath(.data, file.path), bytes)
            current[index] = file
        }
        files = current
    }

    private func read(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path + "/data/" + name)))
    }

    private func listFiles(_ folder: String, _ list: inout [FileState]) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: path + "/data/" + folder) {
            let inner = folder.isEmpty ? name : folder + "/" + name
            var status = stat()
            guard lstat(path + "/data/" + inner, &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR {
                try listFiles(inner, &list)
                continue
            }
            var file = FileState(
                path: inner, size: Int(status.st_size), modified: DeviceFolder.modified(status),
                inode: UInt64(status.st_ino))
            if file.size <= DeviceFolder.maxCachedBytes { file.bytes = try read(inner) }
            list.append(file)
        }
    }

    private static func modified(_ status: stat) -> Int {
        #if canImport(Darwin)
            status.st_mtimespec.tv_sec * 1_000_000_000 + status.st_mtimespec.tv_nsec
        #else
            status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec
        #endif
    }
}
