import Foundation
import ScenarioLanguage

/// A scenario file as it was found: its path as people know it, and its bytes or why there are none.
package struct ScenarioFile: Hashable, Sendable {
    package var path: String
    package var bytes: [UInt8]
    /// It is there and can't be read.
    package var error: String?
    /// Only the scenario, or the cases, that this line belongs to.
    package var line: Int?

    package init(path: String, bytes: [UInt8], error: String? = nil, line: Int? = nil) {
        self.path = path
        self.bytes = bytes
        self.error = error
        self.line = line
    }
}

/// A path that names nothing: a mistake of the command line.
package struct MissingPath: Error, Hashable, Sendable {
    package var path: String
}

extension ScenarioFile {
    /// All scenario files at these paths: a file, `file:line`, or a folder with everything below it;
    /// sorted by path, each once. Device profiles live among the scenarios and are none.
    package static func find(_ paths: [String]) throws(MissingPath) -> [ScenarioFile] {
        var found: [ScenarioFile] = []
        for path in paths {
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) {
                found += isFolder.boolValue ? folder(path) : [read(path, line: nil)]
            } else if let (file, line) = withLine(path), FileManager.default.fileExists(atPath: file) {
                found.append(read(file, line: line))
            } else {
                throw MissingPath(path: path)
            }
        }
        var once: [ScenarioFile] = []
        found.removeAll { ProfileFolder.holds($0.path) }
        for file in found.sorted(by: { ($0.path, $0.line ?? 0) < ($1.path, $1.line ?? 0) })
        where !once.contains(where: { $0.path == file.path && $0.line == file.line }) {
            once.append(file)
        }
        return once
    }

    /// Whether a path of the command line names something: a file, `file:line` or a folder.
    package static func isThere(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: withoutLine(path))
    }

    /// Its scenarios, with the files that it uses.
    package func read(devices: [String]) -> ScenarioReading {
        ScenarioReader.read(path: path, bytes: bytes, devices: devices, used: ScenarioFile.used)
    }

    /// As ``ScenarioReader`` asks for a file that a scenario uses.
    package static func used(_ path: String) -> [UInt8]? {
        switch FileReading.bytes(at: path) {
        case .success(let bytes): bytes
        case .failure: nil
        }
    }

    /// Folders of this name hold what scenarios use, and no scenarios.
    package static let sharedName = "shared"

    /// Whether it is for `use`, which only the call can have named.
    package var isShared: Bool {
        let folders = path.split(separator: "/").dropLast()
        guard let root = folders.lastIndex(of: "Scenarios") else {
            return folders.last == Substring(Self.sharedName)
        }
        return folders[root...].contains(Substring(Self.sharedName))
    }

    private static func folder(_ path: String) -> [ScenarioFile] {
        var files: [ScenarioFile] = []
        for entry in FolderWalk.entries(path, ending: ".json5") {
            let folders = entry.path.dropFirst(path.count).split(separator: "/").dropLast()
            if folders.contains(Substring(ProfileFolder.name)) { continue }
            if folders.contains(Substring(sharedName)) { continue }
            files.append(
                entry.fault.map { ScenarioFile(path: entry.path, bytes: [], error: $0) }
                    ?? read(entry.path, line: nil))
        }
        return files
    }

    private static func read(_ path: String, line: Int?) -> ScenarioFile {
        switch FileReading.bytes(at: path) {
        case .success(let bytes): ScenarioFile(path: path, bytes: bytes, line: line)
        case .failure(let fault): ScenarioFile(path: path, bytes: [], error: fault.why, line: line)
        }
    }

    /// `file:line` without its line.
    package static func withoutLine(_ path: String) -> String {
        FileManager.default.fileExists(atPath: path) ? path : withLine(path)?.0 ?? path
    }

    /// The file and the line of `file:line`; nil where it is none.
    package static func withLine(_ path: String) -> (String, Int)? {
        guard let colon = path.lastIndex(of: ":"), let line = Int(path[path.index(after: colon)...]),
            line > 0, !FileManager.default.fileExists(atPath: path)
        else { return nil }
        return (String(path[..<colon]), line)
    }
}

extension ScenarioReading {
    /// The line where a case begins chooses that case; any other line the whole file.
    package func meant(_ line: Int?) -> [Scenario] {
        guard let line else { return scenarios }
        let chosen = scenarios.filter { scenario in
            scenario.caseName.map { scenario.source.position(of: $0.span.start).line == line } ?? true
        }
        return chosen.isEmpty ? scenarios : chosen
    }
}
