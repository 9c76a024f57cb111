import Foundation
import Runner
import ScenarioLanguage
import Search

/// The scenarios that a call of `otalab explore` makes worlds of: those of its paths, or the library's
/// properties.
struct BasisCall {
    let bases: WorldBases
    let profiles: ProfileSet

    /// Folder of the properties that are run without a path.
    static let properties = "Scenarios/properties"

    init(_ arguments: Arguments) throws {
        let isNamed = !arguments.paths.isEmpty
        guard isNamed || FileManager.default.fileExists(atPath: BasisCall.properties) else {
            bases = WorldBases([], areAlone: false)
            profiles = ProfileSet(folders: ProfileFolder.find([], []))
            return
        }
        let selection = try Selection(
            arguments, paths: isNamed ? arguments.paths : [BasisCall.properties])
        var found: [WorldBasis] = []
        for file in selection.files {
            let reading = selection.read(file)
            if let fault = file.error { throw BasisCall.unreadable(file.path, fault) }
            if let error = reading.diagnostics.first(where: { $0.severity == .error }) {
                throw BasisCall.unreadable(file.path, error.message)
            }
            found += reading.scenarios(atLine: file.line).filter { selection.holds($0) }
                .compactMap { WorldBasis($0) }
        }
        if isNamed, found.isEmpty {
            throw UsageError(
                message: "no scenario of \(arguments.paths.joined(separator: ", ")) has a step that acts",
                help: "leave the path out to run worlds that nobody wrote")
        }
        bases = WorldBases(isNamed ? found : found.filter(\.isProperty), areAlone: isNamed)
        profiles = selection.profiles
    }

    private static func unreadable(_ path: String, _ why: String) -> UsageError {
        UsageError(message: "\(path): \(why)", help: "'otalab lint \(ShellWord.quoted(path))' shows where")
    }
}
