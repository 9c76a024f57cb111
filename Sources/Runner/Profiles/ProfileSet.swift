import Backend
import Core
import Foundation
import ScenarioLanguage

/// The device profiles that scenarios can name: the files of `profiles` folders, and
/// ``World/DeviceProfile/plain`` unless a file defines it.
///
/// Guarantees: an invalid file is a separate result, and its name stays known, so that scenarios that use it
/// get no error about a misspelt name. The syntax of the files is in the language's field table.
package struct ProfileSet: Sendable {
    /// Valid profiles, sorted by name.
    package private(set) var profiles: [DeviceProfile] = []
    /// All files that were read, in the order found.
    package private(set) var files: [ScenarioFile] = []
    /// Profile names of invalid files.
    package private(set) var broken: [String] = []
    /// Diagnostics of the files that have any.
    package private(set) var diagnostics: [(file: ScenarioFile, diagnostics: [Diagnostic])] = []

    /// The set with `plain` alone.
    package init() { profiles = [.plain] }

    /// - Parameter folders: of several files of one name the first is used; the others get a diagnostic.
    package init(folders: [String]) {
        var files: [ScenarioFile] = []
        for folder in folders {
            for entry in FolderWalk.entries(folder, ending: ".json5") {
                switch FileReading.bytes(at: entry.path) {
                case .success(let bytes): files.append(ScenarioFile(path: entry.path, bytes: bytes))
                case .failure(let fault):
                    files.append(ScenarioFile(path: entry.path, bytes: [], error: fault.why))
                }
            }
        }
        self.init(files: files)
    }

    /// - Parameter files: of several files of one name the first is used; the others get a diagnostic.
    package init(files: [ScenarioFile]) {
        for file in files { add(file) }
        if !names.contains(DeviceProfile.plain.name) { profiles.append(.plain) }
        profiles.sort { $0.name < $1.name }
    }

    /// Names that a scenario may use for `device`.
    package var names: [String] { (profiles.map(\.name) + broken).sorted() }

    private mutating func add(_ file: ScenarioFile) {
        files.append(file)
        let reading = ProfileReader.read(path: file.path, bytes: file.bytes)
        var found = reading.diagnostics
        if names.contains(reading.name) {
            let first = files.first { ProfileReader.name(of: $0.path) == reading.name }?.path ?? ""
            found.append(
                Diagnostic(
                    .duplicateName, "a second profile '\(reading.name)'", label: "not taken",
                    file: reading.file, at: reading.profile?.title.span ?? SourceSpan(start: 0, end: 0),
                    help: "the first one is \(first)"))
        } else if let profile = reading.profile {
            profiles.append(DeviceProfile(profile))
        } else {
            broken.append(reading.name)
        }
        if !found.isEmpty { diagnostics.append((file, found)) }
    }

    /// One invalid result for each file that has diagnostics.
    package var results: [ScenarioResult] {
        diagnostics.map { file, found in
            let id = ScenarioReader.id(of: file.path)
            var result = ScenarioResult(id: id, name: id, file: file.path, title: "(device profile)")
            result.verdict = .invalid
            // Diagnostics of a file that could not be read would be about its empty text.
            result.diagnostics =
                file.error.map { [.unreadable(file.path, $0)] } ?? found.map { DiagnosticResult($0) }
            result.line = result.diagnostics.first?.location.line ?? 1
            return result
        }
    }
}
