import Laboratory
import ScenarioLanguage

extension Verb {
    static let list = Verb(
        name: "list", arguments: "[PATH[:LINE]…]", summary: "what would run: name, title, rules",
        options: Option.selection
    ) { program in try program.list() }
}

extension Program {
    func list() throws -> ExitCode {
        var count = 0
        let found = try found()
        for file in selected(found) {
            let reading = read(file, found.profiles)
            if reading.hasErrors { Output.result("\(file.path)   (invalid file)\n") }
            for scenario in reading.scenarios {
                let rules = scenario.covers.map(\.value)
                guard isMeant(scenario.name, scenario.title.value, rules, scenario.tags.map(\.value)) else {
                    continue
                }
                count += 1
                Output.result(
                    "\(scenario.name)   \(scenario.title.value)   [\(rules.joined(separator: " "))]\n")
            }
        }
        return count == 0 ? .nothingSelected : .passed
    }
}
