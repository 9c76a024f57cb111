import Laboratory
import ScenarioLanguage

extension Program {
    /// The files that the paths name, and the profiles next to them.
    func found() throws -> (files: [ScenarioFile], profiles: ProfileSet) {
        let paths = arguments.paths.isEmpty ? ["Scenarios"] : arguments.paths
        do {
            let files = try ScenarioFile.find(paths)
            return (files, ProfileSet(folders: ProfileFolder.find(paths, files)))
        } catch {
            throw UsageError(
                message: "there is nothing at '\(error.path)'",
                help: "name a scenario file, file:line or folder, or run where Scenarios/ is")
        }
    }

    /// Files with a scenario that the flags ask for; unreadable ones stay, so that they are never silently
    /// missing.
    func selected(_ found: (files: [ScenarioFile], profiles: ProfileSet)) -> [ScenarioFile] {
        guard ["--match", "--rule", "--tag"].contains(where: arguments.has) else { return found.files }
        return found.files.filter { file in
            let reading = read(file, found.profiles)
            return reading.hasErrors
                || reading.scenarios.contains { scenario in
                    isMeant(
                        scenario.name, scenario.title.value, scenario.covers.map(\.value),
                        scenario.tags.map(\.value))
                }
        }
    }

    func isMeant(_ result: ScenarioResult) -> Bool {
        result.verdict == .invalid || isMeant(result.name, result.title, result.covers, result.tags)
    }

    func isMeant(_ name: String, _ title: String, _ covers: [String], _ tags: [String]) -> Bool {
        if let text = arguments.text("--match"), !name.contains(text), !title.contains(text) { return false }
        if let rule = arguments.text("--rule"), !covers.contains(rule) { return false }
        if let tag = arguments.text("--tag"), !tags.contains(tag) { return false }
        return true
    }

    func read(_ file: ScenarioFile, _ profiles: ProfileSet) -> ScenarioReading {
        file.read(devices: profiles.names)
    }
}
