import Core
import Foundation
import Publishing

/// The folders that a call of publish names.
enum PublishingFolders {
    /// Whether one is the other, or inside it; links are followed.
    static func areNested(_ one: String, _ other: String) -> Bool {
        let paths = [one, other].map { path in
            URL(fileURLWithPath: path).resolvingSymlinksInPath().standardizedFileURL.path + "/"
        }
        return paths[0].hasPrefix(paths[1]) || paths[1].hasPrefix(paths[0])
    }

    /// Makes a folder, and those above it, that everyone may read.
    static func make(_ folder: String) throws(PublishError) {
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw .disk(DiskError(.denied, .makeDirectory, DiskPath(.data, "")))
        }
    }
}
