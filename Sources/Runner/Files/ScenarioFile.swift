import Foundation
import ScenarioLanguage
import World

/// A scenario file: its path as the user gave it, and its bytes or the reason why it can't be read.
package struct ScenarioFile: Hashable, Sendable {
    package var path: String
    package var bytes: [UInt8]
    /// Reason why the file can't be read; nil: it was read.
    package var error: String?
    /// Line of the case to run, from `file:line`; nil: all cases.
    package var line: Int?
    /// Digest of the bytes that ``withoutBytes()`` removed.
    private var removed: UInt64?

    package init(path: String, bytes: [UInt8], error: String? = nil, line: Int? = nil) {
        self.path = path
        self.bytes = bytes
        self.error = error
        self.line = line
    }

    /// The file without its bytes, for a run of so many files that their texts should not stay in memory.
    /// A file that can't be read twice, for example a pipe, keeps them.
    package func withoutBytes() -> ScenarioFile {
        var status = stat()
        guard error == nil, removed == nil, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG
        else { return self }
        var file = self
        file.removed = ScenarioFile.digest(bytes)
        file.bytes = []
        return file
    }

    /// The file with its bytes, which are read again if ``withoutBytes()`` removed them; with an error if
    /// they are not the same any more.
    package func withBytes() -> ScenarioFile {
        guard let removed else { return self }
        switch FileReading.bytes(at: path) {
        case .success(let bytes) where ScenarioFile.digest(bytes) == removed:
            return ScenarioFile(path: path, bytes: bytes, line: line)
        case .success:
            return ScenarioFile(path: path, bytes: [], error: "it was changed during the run", line: line)
        case .failure(let fault):
            return ScenarioFile(path: path, bytes: [], error: fault.why, line: line)
        }
    }

    private static func digest(_ bytes: [UInt8]) -> UInt64 {
        var digest = RollingDigest()
        digest.mix(bytes: bytes)
        return digest.value
    }
}

/// A path of the command line that does not exist.
package struct MissingPath: Error, Hashable, Sendable {
    package var path: String
}

extension ScenarioFile {
    /// All scenario files at these paths: a file, `file:line`, or a folder with everything below it;
    /// sorted by path, each once. Device profiles lie among the scenarios and are left out.
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
        where once.last.map({ $0.path != file.path || $0.line != file.line }) ?? true {
            once.append(file)
        }
        return once
    }

    /// Whether a path of the command line exists: a file, `file:line` or a folder.
    package static func isThere(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: withoutLine(path))
    }

    /// Parses the file with the files that it includes.
    package func read(devices: [String]) -> ScenarioReading {
        ScenarioReader.read(path: path, bytes: withBytes().bytes, devices: devices, used: ScenarioFile.used)
    }

    /// Reads an included file for ``ScenarioReader``; nil if it can't be read.
    package static func used(_ path: String) -> [UInt8]? {
        switch FileReading.bytes(at: path) {
        case .success(let bytes): bytes
        case .failure: nil
        }
    }

    /// Name of folders with files that scenarios include; they contain no scenarios.
    package static let sharedName = "shared"

    /// Whether the file is in a shared folder; such a file is found only if the command line names it.
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
                    ?? read(entry.path))
        }
        return files
    }

    /// The file of a path, or the reason why it can't be read.
    package static func read(_ path: String, line: Int? = nil) -> ScenarioFile {
        switch FileReading.bytes(at: path) {
        case .success(let bytes): ScenarioFile(path: path, bytes: bytes, line: line)
        case .failure(let fault): ScenarioFile(path: path, bytes: [], error: fault.why, line: line)
        }
    }

    /// `file:line` without its line.
    package static func withoutLine(_ path: String) -> String {
        FileManager.default.fileExists(atPath: path) ? path : withLine(path)?.0 ?? path
    }

    /// File and line of `file:line`; nil for another form.
    package static func withLine(_ path: String) -> (String, Int)? {
        guard let colon = path.lastIndex(of: ":"), let line = Int(path[path.index(after: colon)...]),
            line > 0, !FileManager.default.fileExists(atPath: path)
        else { return nil }
        return (String(path[..<colon]), line)
    }
}

extension ScenarioReading {
    /// The scenarios that `file:line` selects: the line where a case begins selects that case, any other line
    /// the whole file.
    package func scenarios(atLine line: Int?) -> [Scenario] {
        guard let line else { return scenarios }
        let chosen = scenarios.filter { scenario in
            scenario.caseName.map { scenario.source.position(of: $0.span.start).line == line } ?? true
        }
        return chosen.isEmpty ? scenarios : chosen
    }
}
