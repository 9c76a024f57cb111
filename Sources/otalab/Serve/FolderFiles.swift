import Authoring
import Foundation
import Runner

/// All files of a folder that the call names, in memory.
enum FolderFiles {
    struct File {
        /// The path relative to the folder.
        var path: String
        var bytes: [UInt8]

        /// Writes the file and creates its parent folders.
        func write(below root: URL) throws {
            let url = root.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(bytes).write(to: url)
        }
    }

    /// Reads all files, sorted by path. The folder itself may be a link; below it a link is refused, as
    /// `lint --release` does: it would put a file from elsewhere on this machine into the app. A file that
    /// can't be read is a ``UsageError`` too.
    /// - Parameter flag: the flag that names the folder.
    static func read(_ folder: String, _ flag: String) throws -> [File] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue
        else {
            throw UsageError(message: "there is no folder '\(folder)'", help: "name one with \(flag)")
        }
        return try FolderWalk.entries(folder).sorted { $0.path < $1.path }.compactMap { entry in
            if let fault = entry.fault { throw unreadable(entry.path, fault) }
            var status = stat()
            guard lstat(entry.path, &status) == 0 else {
                throw unreadable(entry.path, "this file has gone while the folder was read")
            }
            let kind = status.st_mode & S_IFMT
            if kind == S_IFDIR { return nil }
            guard kind != S_IFLNK else {
                throw UsageError(
                    message: "'\(entry.path)' is a symbolic link; a link could lead out of the folder",
                    help: "replace it by what it points to: cp -RL copies a folder that way")
            }
            guard kind == S_IFREG else {
                throw unreadable(entry.path, "this is not a regular file (a pipe, a device)")
            }
            guard let data = FileManager.default.contents(atPath: entry.path) else {
                throw unreadable(entry.path, "no permission to read this file")
            }
            let root = folder.hasSuffix("/") && folder.count > 1 ? String(folder.dropLast()) : folder
            return File(path: String(entry.path.dropFirst(root.count + 1)), bytes: Array(data))
        }
    }

    private static func unreadable(_ path: String, _ why: String) -> UsageError {
        UsageError(message: "'\(path)': \(why)", help: ShellWord.look(at: path))
    }
}
