import Foundation
import ScenarioLanguage

extension ScenarioResult {
    /// The result of the same file at another path: everything that names the file names the new path.
    func moved(to path: String) -> ScenarioResult {
        var result = self
        func moved(_ location: FileLocation) -> FileLocation {
            var location = location
            if location.file == file { location.file = path }
            return location
        }
        result.file = path
        // The file's own id is not one of its path.
        if id == ScenarioReader.id(of: file) {
            result.id = ScenarioReader.id(of: path)
            result.name = result.id + caseAndOrder
        }
        for index in failures.indices {
            result.failures[index].location = failures[index].location.map(moved)
            result.failures[index].reproduction = failures[index].reproduction.replacingOccurrences(
                of: ShellWord.quoted(file), with: ShellWord.quoted(path))
        }
        for index in diagnostics.indices {
            result.diagnostics[index].location = moved(diagnostics[index].location)
        }
        return result
    }
}
