import Foundation

/// Reads a real build from disk, so that a release can be tested before it ships.
package enum BuildFolder {
    package static let maxFiles = 20_000
    package static let maxFileSize = 64 << 20

    /// - Parameters:
    ///   - folder: path relative to the scenario file.
    ///   - scenario: path of the scenario file.
    package static func read(
        _ folder: String, _ scenario: String
    ) throws(ScenarioCompiler.FolderError) -> [ScenarioCompiler.FolderFile] {
        let root = URL(fileURLWithPath: scenario).deletingLastPathComponent()
            .appendingPathComponent(folder).standardizedFileURL
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: root.path, isDirectory: &isFolder) else {
            throw ScenarioCompiler.FolderError(
                message: "the folder \(folder) is not there",
                help: "looked for at \(root.relativePath), from the scenario's own folder on; build first")
        }
        guard isFolder.boolValue else {
            throw ScenarioCompiler.FolderError(
                message: "\(folder) is a file, not a folder", help: "name the folder that the build writes")
        }
        var files: [ScenarioCompiler.FolderFile] = []
        let prefix = root.path.hasSuffix("/") ? root.path : root.path + "/"
        for entry in FolderWalk.entries(root.path) {
            let path = entry.path
            if entry.fault != nil {
                let shown = path == root.path ? "the folder \(folder)" : path
                throw ScenarioCompiler.FolderError(message: "\(shown) can't be read")
            }
            var status = stat()
            // Links that lead nowhere, and links to folders, are left out.
            guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else { continue }
            // Reading a pipe or a socket would block.
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw ScenarioCompiler.FolderError(message: "\(path) is no file")
            }
            guard let data = FileManager.default.contents(atPath: path) else {
                throw ScenarioCompiler.FolderError(message: "\(path) can't be read")
            }
            if data.count > maxFileSize || files.count >= maxFiles {
                throw ScenarioCompiler.FolderError(message: "the folder \(folder) is too large")
            }
            files.append(
                ScenarioCompiler.FolderFile(route: "/" + path.dropFirst(prefix.count), bytes: Array(data)))
        }
        if files.isEmpty {
            throw ScenarioCompiler.FolderError(message: "the folder \(folder) holds no files")
        }
        return files.sorted { $0.route < $1.route }
    }
}
