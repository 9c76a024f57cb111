import Core

/// Writes new files with their folders into an empty folder, the root of the data volume.
///
/// Each file is durable when it is written, its name when ``sync(_:)`` has returned. For packages, whose
/// names come from a build: the store of versions has none (``DiskPath``).
package struct FileTree {
    /// Folders made so far, and the root.
    private var folders = [DiskPath(.data, "")]

    package init() {}

    package mutating func write(_ bytes: [UInt8], _ path: DiskPath, _ disk: inout some SyncingDisk)
        throws(DiskError)
    {
        try make(path.parent, &disk)
        let file = try disk.open(path, .create)
        do throws(DiskError) {
            try disk.writeAll(file, bytes, at: 0)
            try disk.sync(file)
        } catch {
            disk.closeQuietly(file)
            throw error
        }
        try disk.close(file)
    }

    private mutating func make(_ folder: DiskPath, _ disk: inout some Disk) throws(DiskError) {
        // Files of one folder mostly follow each other.
        if folders.last == folder || folders.contains(folder) { return }
        try make(folder.parent, &disk)
        try disk.makeDirectory(folder)
        folders.append(folder)
    }

    /// Makes the names of all files and folders durable.
    package func sync(_ disk: inout some SyncingDisk) throws(DiskError) {
        for folder in folders { try disk.syncDirectory(folder) }
    }

    /// Removes everything below a folder.
    package static func empty(_ folder: DiskPath, _ disk: inout some Disk) throws(DiskError) {
        for name in try disk.list(folder) {
            let path = folder / name
            switch try disk.status(path).kind {
            case .directory:
                try empty(path, &disk)
                try disk.removeDirectory(path)
            case .file, .other: try disk.remove(path)
            }
        }
    }
}
