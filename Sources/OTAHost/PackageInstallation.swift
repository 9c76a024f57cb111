import Core
import Updater

/// Writes an app package's files into a folder of its own, the root of a disk's data volume.
///
/// **What it promises.** The package counts as installed when its stamp is there, which is written last, when
/// all files are durable. Before anything of another package is touched, that one's stamp is gone for good.
/// So an installation that was interrupted, by a kill or a power cut, is never taken for a whole one: the
/// next call does it again.
///
/// **What it does not do.** Compare files of a package whose stamp is there: a store replaces a package as a
/// whole, and only with another build.
package struct PackageInstallation {
    package enum Failure: Error {
        case disk(DiskError)
        /// The reader's reason for a path.
        case unreadable(String, String)
    }

    private let files: [String]
    private let stamp: [UInt8]

    /// - Parameters:
    ///   - files: relative paths, each once.
    ///   - stamp: what differs between packages with different content.
    package init(_ files: [String], stamp: String) {
        self.files = files
        self.stamp = Array(stamp.utf8)
    }

    private static let root = DiskPath(.data, "")
    private static let stampPath = root / ".otalab-installed"

    /// - Returns: whether anything was written.
    @discardableResult
    package func perform(on disk: inout some SyncingDisk, _ read: (String) throws -> [UInt8])
        throws(Failure) -> Bool
    {
        do throws(DiskError) {
            if try isInstalled(&disk) { return false }
            try disk.removeIfPresent(PackageInstallation.stampPath)
            try disk.syncDirectory(PackageInstallation.root)
            try FileTree.empty(PackageInstallation.root, &disk)
        } catch {
            throw .disk(error)
        }
        var tree = FileTree()
        for path in files {
            let bytes = try content(path, read)
            do throws(DiskError) {
                try tree.write(bytes, DiskPath(.data, path), &disk)
            } catch {
                throw .disk(error)
            }
        }
        do throws(DiskError) {
            try tree.sync(&disk)
            try tree.write(stamp, PackageInstallation.stampPath, &disk)
            try disk.syncDirectory(PackageInstallation.root)
        } catch {
            throw .disk(error)
        }
        return true
    }

    private func isInstalled(_ disk: inout some Disk) throws(DiskError) -> Bool {
        guard try disk.statusIfPresent(PackageInstallation.stampPath)?.size == stamp.count else {
            return false
        }
        let file = try disk.open(PackageInstallation.stampPath, .read)
        defer { disk.closeQuietly(file) }
        return try disk.read(file, at: 0, count: stamp.count) == stamp
    }

    private func content(_ path: String, _ read: (String) throws -> [UInt8]) throws(Failure) -> [UInt8] {
        do {
            return try read(path)
        } catch {
            throw .unreadable(path, "\(error)")
        }
    }
}
