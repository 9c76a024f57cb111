import Foundation

/// A folder of files that is removed when the test ends.
final class ScratchFolder {
    let path: String

    init(_ files: [(name: String, text: String)]) throws {
        path =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("laboratory-\(UUID().uuidString)").path
        for (name, text) in files {
            let file = URL(fileURLWithPath: path + "/" + name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
