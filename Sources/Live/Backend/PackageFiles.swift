import Backend
import Foundation

/// The files of an app package in a folder of this machine.
///
/// Guarantees: after ``install(_:)`` the folder has these files and no others; equal files are not written
/// again. A file of any size is written in pieces. Errors are those of the file system.
package struct PackageFiles: Sendable {
    /// Path of the folder, which exists.
    package let path: String
    private var installed: [(path: String, content: PublishedContent)] = []

    package init(at path: String) { self.path = path }

    /// - Parameter permissions: mode of the files; nil: that of new files.
    package mutating func install(
        _ files: [(path: String, content: PublishedContent)], permissions: Int? = nil
    ) throws {
        let isSame = files.elementsEqual(installed) { $0.path == $1.path && $0.content == $1.content }
        if isSame { return }
        installed = files
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        for file in files {
            let target = URL(fileURLWithPath: path + "/" + file.path)
            try FileManager.default.createDirectory(
                at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
            try PackageFiles.write(file.content, to: target)
            guard let permissions else { continue }
            try FileManager.default.setAttributes(
                [.posixPermissions: permissions], ofItemAtPath: target.path)
        }
    }

    private static func write(_ content: PublishedContent, to target: URL) throws {
        try Data().write(to: target)
        let file = try Foundation.FileHandle(forWritingTo: target)
        var failure: (any Error)?
        content.readPieces { piece, _ in
            do { try file.write(contentsOf: piece) } catch { failure = error }
            return failure == nil
        }
        try file.close()
        if let failure { throw failure }
    }
}
