import Foundation

/// Descriptors of this process, on Linux.
enum OpenDescriptors {
    /// Number of those into a folder; other tests open files elsewhere meanwhile.
    static func count(_ folder: URL) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
            // A descriptor that was closed meanwhile has no target.
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
            return target?.hasPrefix(folder.path) ?? false
        }
    }
}
