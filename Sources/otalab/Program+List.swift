import Core
import Runner
import ScenarioLanguage

extension Verb {
    static let list = Verb(
        name: "list", arguments: "[PATH[:LINE] | ID]…", summary: "list what would run: name, title, rules",
        options: Option.selection + [
            .failed, .shard, .shardCosts, .reportDir,
            Option("--rules", "the rules, each with the scenarios that name it in 'covers'"),
            Option("--json", "as JSON"),
        ]
    ) { program in try program.list() }
}

extension Program {
    func list() throws -> ExitCode {
        let selection = try Selection(arguments)
        let shard = try ShardCall(arguments, of: .scenario)
        var scenarios: [Scenario] = []
        var invalid: [String] = []
        for file in selection.files where file.error == nil {
            let reading = selection.read(file)
            if reading.hasErrors { invalid.append(file.path) }
            scenarios += reading.scenarios(atLine: file.line).filter { selection.holds($0) }
        }
        if let shard {
            let own = shard.shard.ids(among: scenarios.map(\.id), shard.costs)
            scenarios.removeAll { !own.contains($0.id) }
        }
        invalid += selection.files.filter { $0.error != nil }.map(\.path)
        if arguments.has("--json") {
            Output.result(json(scenarios, invalid))
        } else if arguments.has("--rules") {
            Output.result(rules(scenarios))
        } else {
            for path in invalid { Output.result("\(path)   (invalid file)\n") }
            for scenario in scenarios {
                let covers = scenario.covers.map(\.value).joined(separator: " ")
                Output.result("\(scenario.name)   \(scenario.title.value)   [\(covers)]\n")
            }
        }
        if !arguments.has("--json"), !arguments.has("--rules") {
            // Beside the list, so that its lines stay names.
            for rule in Rule.all where selection.rules.contains(rule.id) {
                Output.error(clausesWithoutCase(rule, scenarios))
            }
        }
        if scenarios.isEmpty, shard == nil { return nothing(selection) }
        return scenarios.isEmpty ? .nothingSelected : .passed
    }

    private func rules(_ scenarios: [Scenario]) -> String {
        var text = ""
        for rule in Rule.all {
            let covering = scenarios.filter { $0.covers(rule.id) }
            let id = rule.id + String(repeating: " ", count: max(1, 5 - rule.id.count))
            let note = rule.isInvariant ? " (checked after every event)" : ""
            text += "\(id)\(rule.title)\(note)\n"
            for scenario in covering { text += "       \(scenario.name)\n" }
            if covering.isEmpty, !rule.isInvariant { text += "       no scenario\n" }
            text += clausesWithoutCase(rule, scenarios)
        }
        return text
            + "\nWhat a rule requires: otalab help \(Rule.all[0].id); all of them: otalab help rules\n"
    }

    /// The clauses of a rule that no scenario names in `covers`, and the tests that show some of them.
    private func clausesWithoutCase(_ rule: Rule, _ scenarios: [Scenario]) -> String {
        let unnamed = rule.clauses.filter { clause in !scenarios.contains { $0.covers(clause.id) } }
        let open = unnamed.filter { $0.test == nil }
        var text = ""
        for clause in unnamed {
            if let test = clause.test {
                text += "       shown by a test: \(clause.id) (Tests/\(test).swift)\n"
            }
        }
        if open.isEmpty { return text }
        return text + "       without a case (\(open.count) of \(rule.clauses.count)): "
            + open.map(\.id).joined(separator: " ") + "\n"
    }

    private func json(_ scenarios: [Scenario], _ invalid: [String]) -> String {
        var json = JSONWriter(indent: 1)
        json.beginObject()
        json.member("schema", "otalab-list-1")
        json.key("scenarios")
        json.beginArray()
        for scenario in scenarios { self.json(scenario, &json) }
        json.endArray()
        json.member("invalid", invalid)
        if arguments.has("--rules") {
            json.key("rules")
            json.beginArray()
            for rule in Rule.all {
                json.beginObject()
                json.member("id", rule.id)
                json.member("title", rule.title)
                json.member("text", rule.text)
                json.member("invariant", rule.isInvariant)
                json.member("scenarios", scenarios.filter { $0.covers(rule.id) }.map(\.name))
                json.key("clauses")
                json.beginArray()
                for clause in rule.clauses {
                    json.beginObject()
                    json.member("id", clause.id)
                    json.member("text", clause.text)
                    json.member("scenarios", scenarios.filter { $0.covers(clause.id) }.map(\.name))
                    json.endObject()
                }
                json.endArray()
                json.endObject()
            }
            json.endArray()
        }
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self) + "\n"
    }

    private func json(_ scenario: Scenario, _ json: inout JSONWriter) {
        json.beginObject()
        json.member("id", scenario.id)
        json.member("name", scenario.name)
        json.member("file", scenario.source.path)
        let span = scenario.caseName?.span ?? scenario.title.span
        json.member("line", scenario.source.position(of: span.start).line)
        json.member("title", scenario.title.value)
        if let name = scenario.caseName { json.member("case", name.value) }
        json.member("covers", scenario.covers.map(\.value))
        json.member("tags", scenario.tags.map(\.value))
        if let reason = scenario.skip { json.member("skip", reason.value) }
        if let reason = scenario.xfail { json.member("xfail", reason.value) }
        json.endObject()
    }
}

extension Scenario {
    /// Whether the scenario names this rule or clause in `covers`; a clause covers its rule, too.
    func covers(_ id: String) -> Bool { covers.contains { RuleID.covers($0.value, id) } }
}
