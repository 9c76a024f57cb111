import Laboratory
import Reporting
import ScenarioLanguage

/// What the paths and flags of a call select.
///
/// Promises: a file that can't be read is always part of it, so that it is never silently missing; what
/// the flags name and nothing has is told with what was perhaps meant.
struct Selection: Sendable {
    var files: [ScenarioFile] = []
    var profiles = ProfileSet()
    private var tags: [TagExpression] = []
    private var texts: [String] = []
    private var rules: [String] = []
    /// Names of `--failed`; nil without it.
    private(set) var failed: [String]?
    /// Of files that only an id chose: what of them.
    private var chosen: [(path: String, id: String)] = []

    /// - Parameter paths: nil: those of the call.
    init(_ arguments: Arguments, paths: [String]? = nil) throws(UsageError) {
        for text in arguments.texts("--tag") { tags.append(try TagExpression(text)) }
        texts = arguments.texts("--match")
        rules = arguments.texts("--rule").flatMap { $0.split(separator: ",").map(String.init) }
        for rule in rules where Rule.named(rule) == nil {
            let near = Nearest.to(rule, among: Rule.all.map(\.id))
            throw UsageError(
                message: "there is no rule '\(rule)'",
                help: near.map { "did you mean '\($0)'?" } ?? "'otalab list --rules' lists them")
        }
        if arguments.has("--failed") {
            failed = try Selection.lastFailed(arguments.text("--report-dir") ?? "Reports")
        }
        let paths = paths ?? arguments.paths
        try find(paths.isEmpty ? ["Scenarios"] : paths)
        for path in arguments.texts("--exclude") { try exclude(path) }
    }

    private static func lastFailed(_ folder: String) throws(UsageError) -> [String] {
        let last: LastRun?
        do throws(ReportError) {
            last = try LastRun.read(folder)
        } catch {
            throw UsageError(message: "\(error.place): \(error.why)", help: "remove it and run again")
        }
        guard let last else {
            throw UsageError(
                message: "there is no last run in \(folder)",
                help: "'otalab run' writes \(folder)/\(LastRun.file); --report-dir names another folder")
        }
        return last.entries.filter { !$0.verdict.isGood }.map(\.name)
    }

    // MARK: - Files

    private mutating func find(_ paths: [String]) throws(UsageError) {
        var real: [String] = []
        for path in paths {
            if ScenarioFile.isThere(path) {
                real.append(path)
            } else if let file = try byID(path) {
                real.append(file)
                chosen.append((file, path))
            }
        }
        // A file that is also named as such is meant whole.
        chosen.removeAll { named in paths.contains { ScenarioFile.isThere($0) && $0 == named.path } }
        do throws(MissingPath) {
            files = try ScenarioFile.find(real)
            profiles = ProfileSet(folders: ProfileFolder.find(real, files))
        } catch {
            throw UsageError(message: "there is nothing at '\(error.path)'", help: Selection.way)
        }
    }

    private static let way = "name a file, file:line, folder or id, or run where Scenarios/ is"

    /// The file of the scenario with this id or name.
    private func byID(_ id: String) throws(UsageError) -> String? {
        var ids: [String] = []
        let all = (try? ScenarioFile.find(["Scenarios"])) ?? []
        // A story that names a device can only be read beside that device's profile.
        let devices = ProfileSet(folders: ProfileFolder.find(["Scenarios"], all)).names
        for file in all {
            for scenario in file.read(devices: devices).scenarios {
                if scenario.id == id || scenario.name == id { return file.path }
                ids.append(scenario.id)
            }
        }
        let near = Nearest.to(id, among: ids)
        throw UsageError(
            message: "there is nothing at '\(id)'",
            help: near.map { "did you mean '\($0)'?" } ?? Selection.way)
    }

    private mutating func exclude(_ path: String) throws(UsageError) {
        let folder = path.hasSuffix("/") ? path : path + "/"
        func isMeant(_ file: ScenarioFile) -> Bool {
            file.path == path || file.path.hasPrefix(folder) || ("./" + file.path).hasPrefix(folder)
                || file.path == path + ".json5" || file.path.hasSuffix("Scenarios/" + path + ".json5")
        }
        guard files.contains(where: isMeant) else {
            let near = Nearest.to(path, among: files.map(\.path))
            throw UsageError(
                message: "--exclude \(path) leaves nothing out",
                help: near.map { "did you mean '\($0)'?" } ?? "name a file, folder or id of the selection")
        }
        files.removeAll(where: isMeant)
    }

    // MARK: - Scenarios

    func holds(_ scenario: Scenario) -> Bool {
        let named = chosen.filter { $0.path == scenario.source.path }
        if !named.isEmpty, !named.contains(where: { $0.id == scenario.id || $0.id == scenario.name }) {
            return false
        }
        let title = scenario.title.value
        guard texts.allSatisfy({ scenario.name.contains($0) || title.contains($0) }) else { return false }
        guard rules.isEmpty || scenario.covers.contains(where: { rules.contains($0.value) }) else {
            return false
        }
        let own = scenario.tags.map(\.value)
        guard tags.allSatisfy({ $0.holds(own) }) else { return false }
        // Orders of one scenario stand behind its name: `name {order 2}`.
        return failed.map { names in
            names.contains { $0 == scenario.name || $0.hasPrefix(scenario.name + " {order ") }
        } ?? true
    }

    func read(_ file: ScenarioFile) -> ScenarioReading {
        file.read(devices: profiles.names)
    }

    // MARK: - Nothing selected

    /// What to say when no scenario is left.
    func emptiness() -> String {
        let scenarios = files.flatMap { read($0).scenarios }
        if files.isEmpty { return "error: there is no scenario file\n  = help: \(Selection.way)\n" }
        var lines: [String] = []
        for tag in unknownTags(scenarios) { lines.append(tag) }
        for text in texts where !scenarios.contains(where: { named($0, text) }) {
            let near = Nearest.to(text, among: scenarios.map(\.id))
            let help = near.map { "did you mean '\($0)'?" } ?? "'otalab list' shows what there is"
            lines.append("no name or title contains \"\(text)\"\n  = help: \(help)")
        }
        for rule in rules where !scenarios.contains(where: { $0.covers.contains { $0.value == rule } }) {
            lines.append(
                "no scenario covers \(rule)\n  = help: 'otalab list --rules' shows what covers which rule")
        }
        if lines.isEmpty {
            lines = ["no scenario was selected\n  = help: 'otalab list' shows what there is"]
        }
        return lines.map { "error: \($0)\n" }.joined()
    }

    private func named(_ scenario: Scenario, _ text: String) -> Bool {
        scenario.name.contains(text) || scenario.title.value.contains(text)
    }

    /// Tags of the expressions that no scenario has: a misspelt `not slwo` would leave nothing out.
    func unknownTags(_ scenarios: [Scenario]) -> [String] {
        let known = scenarios.flatMap { $0.tags.map(\.value) }
        var counts: [String: Int] = [:]
        for tag in known { counts[tag, default: 0] += 1 }
        return tags.flatMap(\.tags).filter { counts[$0] == nil }.map { tag in
            guard let near = Nearest.to(tag, among: counts.keys.sorted()) else {
                let all = counts.keys.sorted().joined(separator: ", ")
                return "no scenario has the tag '\(tag)'\n  = help: "
                    + (all.isEmpty ? "no scenario has any tag" : "there are \(all)")
            }
            let count = counts[near] ?? 0
            return "no scenario has the tag '\(tag)'\n  = help: did you mean '\(near)'? "
                + "\(count) \(count == 1 ? "scenario has" : "scenarios have") it"
        }
    }

    var namesTags: Bool { !tags.isEmpty }
}
