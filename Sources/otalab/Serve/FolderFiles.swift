import Authoring
import Foundation
import Runner

/// The files of a folder that a call names, whole.
enum FolderFiles {
    struct File {
        /// Below the folder.
        var path: String
        var bytes: [UInt8]

        /// With the folders on the way.
        func write(below root: URL) throws {
            let place = root.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(bytes).write(to: place)
        }
    }

    /// Sorted; links to files are followed, links to nothing passed over. What can't be read is a
    /// ``UsageError``.
    /// - Parameter flag: what the folder is named with.
    static func read(_ folder: String, _ flag: String) throws -> [File] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue
        else {
            throw UsageError(message: "there is no folder '\(folder)'", help: "name one with \(flag)")
        }
        return try FolderWalk.entries(folder).sorted { $0.path < $1.path }.compactMap { entry in
            if let fault = entry.fault { throw unreadable(entry.path, fault) }
            var status = stat()
            guard stat(entry.path, &status) == 0 else { return nil }
            let kind = status.st_mode & S_IFMT
            if kind == S_IFDIR { return nil }
            guard kind == S_IFREG else { throw unreadable(entry.path, "this is no file (a pipe, a device)") }
            guard let data = FileManager.default.contents(atPath: entry.path) else {
                throw unreadable(entry.path, "this file may not be read")
            }
            let bare = folder.hasSuffix("/") && folder.count > 1 ? String(folder.dropLast()) : folder
            return File(path: String(entry.path.dropFirst(bare.count + 1)), bytes: Array(data))
        }
    }

    private static func unreadable(_ path: String, _ why: String) -> UsageError {
        UsageError(message: "'\(path)': \(why)", help: ShellWord.look(at: path))
    }
}
