import Foundation

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

    /// Sorted; links are followed, what is no file is passed over.
    /// - Parameter flag: what the folder is named with.
    static func read(_ folder: String, _ flag: String) throws -> [File] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue
        else {
            throw UsageError(message: "there is no folder '\(folder)'", help: "name one with \(flag)")
        }
        let root = URL(fileURLWithPath: folder)
        return try FileManager.default.subpathsOfDirectory(atPath: folder).sorted().compactMap { name in
            let place = root.appendingPathComponent(name).resolvingSymlinksInPath()
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: place.path, isDirectory: &isFolder),
                !isFolder.boolValue
            else { return nil }
            return File(path: name, bytes: Array(try Data(contentsOf: place)))
        }
    }
}
