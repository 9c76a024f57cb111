import Foundation
import Runner
import ScenarioLanguage
import Search

/// The properties of a call of `otalab explore`: those of its paths, or of the library.
struct PropertyCall {
    let properties: PropertySet
    let profiles: ProfileSet

    /// Folder of the properties that are run without a path.
    static let folder = "Scenarios/properties"

    init(_ arguments: Arguments) throws {
        let isNamed = !arguments.paths.isEmpty
        guard isNamed || FileManager.default.fileExists(atPath: PropertyCall.folder) else {
            properties = PropertySet([], areAlone: false)
            profiles = ProfileSet(folders: ProfileFolder.find([], []))
            return
        }
        let selection = try Selection(arguments, paths: isNamed ? arguments.paths : [PropertyCall.folder])
        var found: [Property] = []
        for file in selection.files {
            let reading = selection.read(file)
            if let fault = file.error { throw PropertyCall.unreadable(file.path, fault) }
            if let error = reading.diagnostics.first(where: { $0.severity == .error }) {
                throw PropertyCall.unreadable(file.path, error.message)
            }
            found += reading.scenarios(atLine: file.line).filter { selection.holds($0) }
                .compactMap { Property($0) }
        }
        if isNamed, found.isEmpty {
            throw UsageError(
                message: "no scenario of \(arguments.paths.joined(separator: ", ")) has a gap",
                help: "put { gap: { without: [\"deploy\"] } } where anything else may happen, "
                    + "or leave the path out to run worlds that nobody wrote")
        }
        properties = PropertySet(found, areAlone: isNamed)
        profiles = selection.profiles
    }

    private static func unreadable(_ path: String, _ why: String) -> UsageError {
        UsageError(message: "\(path): \(why)", help: "'otalab lint \(ShellWord.quoted(path))' shows where")
    }
}
