import Core
import Foundation
import World

/// The folders of a real device, and a picture of what lies in the data folder, as the laboratory looks at
/// disks.
///
/// Guarantees: the picture has every file with its bytes as they are at the last ``look()``; it
/// changes only where they do. What was written counts as durable: which of it a power cut would leave
/// nobody can see from outside, and no power cut is told here.
struct DeviceFolder {
    let path: String
    private(set) var picture = SimulatedDisk()
    private var known: [Known] = []
    private var package: [(path: String, bytes: [UInt8])] = []

    private struct Known: Equatable {
        var path: String
        var size: Int
        var modified: Int
        var inode: UInt64
        /// Of a small file: times are too coarse for one that is written again at once.
        var bytes: [UInt8]?
    }

    private static let small = 16 << 10

    /// Makes a new folder in the system's place for temporary ones.
    init() throws {
        path =
            FileManager.default.temporaryDirectory.appendingPathComponent("otalab-live-\(UUID().uuidString)")
            .path
        for name in ["data", "package"] {
            try FileManager.default.createDirectory(
                atPath: path + "/" + name, withIntermediateDirectories: true)
        }
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// What the store delivers; written when it is another.
    mutating func install(_ files: [(path: String, bytes: [UInt8])]) throws {
        let isSame = files.elementsEqual(package) { $0.path == $1.path && $0.bytes == $1.bytes }
        if isSame { return }
        package = files
        let root = path + "/package"
        try FileManager.default.removeItem(atPath: root)
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        for file in files {
            let place = URL(fileURLWithPath: root + "/" + file.path)
            try FileManager.default.createDirectory(
                at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(file.bytes).write(to: place)
        }
    }

    /// Brings the picture up to date.
    mutating func look() throws {
        var now: [Known] = []
        try find("", &now)
        now.sort { $0.path < $1.path }
        for former in known where !now.contains(where: { $0.path == former.path }) {
            try picture.loseName(DiskPath(.data, former.path))
        }
        for (place, file) in now.enumerated() {
            if let former = known.first(where: { $0.path == file.path }), former == file { continue }
            let bytes = try file.bytes ?? read(file.path)
            try picture.place(DiskPath(.data, file.path), bytes)
            now[place] = file
        }
        known = now
    }

    private func read(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path + "/data/" + name)))
    }

    private func find(_ folder: String, _ found: inout [Known]) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: path + "/data/" + folder) {
            let inner = folder.isEmpty ? name : folder + "/" + name
            var status = stat()
            guard lstat(path + "/data/" + inner, &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR {
                try find(inner, &found)
                continue
            }
            var file = Known(
                path: inner, size: Int(status.st_size), modified: DeviceFolder.modified(status),
                inode: UInt64(status.st_ino))
            if file.size <= DeviceFolder.small { file.bytes = try read(inner) }
            found.append(file)
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
