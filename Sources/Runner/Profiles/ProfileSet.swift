import Backend
import Core
import Foundation
import ScenarioLanguage

/// The devices that scenarios can name: the files of `profiles` folders, and ``World/DeviceProfile/plain``
/// where no file says what that is.
///
/// Guarantees: the files are the source; one that is wrong is a result of its own, and its name
/// stays known, so that scenarios that use it are not told that they misspelt it. Deliberately not here:
/// what a file may say (the language's field table).
package struct ProfileSet: Sendable {
    /// Sorted by name.
    package private(set) var profiles: [DeviceProfile] = []
    /// The files as they were found, sorted by path.
    package private(set) var files: [ScenarioFile] = []
    /// Names of files that are wrong.
    package private(set) var broken: [String] = []
    /// By file, for those with something to say.
    package private(set) var diagnostics: [(file: ScenarioFile, told: [Diagnostic])] = []

    /// `plain` alone.
    package init() { profiles = [.plain] }

    /// - Parameter folders: of several files of one name the first counts; the others are told.
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

    /// - Parameter files: read already; of several files of one name the first counts.
    package init(files: [ScenarioFile]) {
        for file in files { add(file) }
        if !names.contains(DeviceProfile.plain.name) { profiles.append(.plain) }
        profiles.sort { $0.name < $1.name }
    }

    /// All that a scenario may say for `device`.
    package var names: [String] { (profiles.map(\.name) + broken).sorted() }

    private mutating func add(_ file: ScenarioFile) {
        files.append(file)
        let reading = ProfileReader.read(path: file.path, bytes: file.bytes)
        var told = reading.diagnostics
        if names.contains(reading.name) {
            let first = files.first { ProfileReader.name(of: $0.path) == reading.name }?.path ?? ""
            told.append(
                Diagnostic(
                    .duplicateName, "a second profile '\(reading.name)'", label: "not taken",
                    file: reading.file, at: reading.profile?.title.span ?? SourceSpan(start: 0, end: 0),
                    help: "the first one is \(first)"))
        } else if let profile = reading.profile {
            profiles.append(DeviceProfile(profile))
        } else {
            broken.append(reading.name)
        }
        if !told.isEmpty { diagnostics.append((file, told)) }
    }

    /// One for each file that is wrong.
    package var results: [ScenarioResult] {
        diagnostics.map { file, told in
            let id = ScenarioReader.id(of: file.path)
            var result = ScenarioResult(id: id, name: id, file: file.path, title: "(device profile)")
            result.verdict = .invalid
            // Nothing is known of what a file says that could not be read.
            result.diagnostics =
                file.error.map { [.unreadable(file.path, $0)] } ?? told.map { DiagnosticResult($0) }
            result.line = result.diagnostics.first?.place.line ?? 1
            return result
        }
    }
}
