import Foundation

/// Finds a program as a shell does.
package enum ProgramSearch {
    /// Path of the first executable file of this name in the folders of `PATH`; nil: there is none.
    package static func path(of program: String) -> String? {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        return folders.map { "\($0)/\(program)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
