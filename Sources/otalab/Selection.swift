import Authoring
import Oracle
import Reporting
import Runner
import ScenarioLanguage

/// The files and scenarios that the paths and flags of a call select.
///
/// Guarantees: a file that can't be read is always part of the selection, so that it is never silently
/// missing. If a flag matches nothing, the error suggests what was perhaps meant.
struct Selection: Sendable {
    var files: [ScenarioFile] = []
    var profiles = ProfileSet()
    private var tags: [TagExpression] = []
    private var texts: [String] = []
    private(set) var rules: [String] = []
    /// Names of the scenarios that `--failed` selects; nil without the flag.
    private(set) var failed: [String]?
    /// Files that were selected by an id alone, each with that id.
    private var chosen: [(path: String, id: String)] = []
    /// Names of scenarios that failed in the last run and whose file no longer exists.
    private(set) var deleted: [String] = []

    /// - Parameter paths: nil for those of the call.
    init(_ arguments: Arguments, paths: [String]? = nil) throws(UsageError) {
        for text in arguments.texts("--tag") { tags.append(try TagExpression(text)) }
        texts = arguments.texts("--match")
        rules = arguments.texts("--rule").flatMap { $0.split(separator: ",").map(String.init) }
        for rule in rules where !RuleID.exists(rule) {
            let near = Nearest.to(rule, among: RuleID.all)
            throw UsageError(
                message: "there is no rule '\(rule)'",
                help: near.map { "did you mean '\($0)'?" } ?? "'otalab list --rules' lists them")
        }
        var defaultPaths = ["Scenarios"]
        if arguments.has("--failed") {
            let last = try Selection.lastFailed(arguments.text("--report-dir") ?? "Reports")
            // A scenario whose file was deleted can't fail any more.
            let exists = { (entry: LastRun.Entry) in entry.file.map(ScenarioFile.isThere) ?? true }
            deleted = last.filter { !exists($0) }.map(\.name)
            let left = last.filter(exists)
            failed = left.map(\.name)
            // Scenarios that failed may be outside of Scenarios/.
            let files = left.compactMap(\.file)
            if !files.isEmpty { defaultPaths = files.sorted() }
        }
        let paths = paths ?? arguments.paths
        if let number = paths.first(where: { UInt64($0) != nil }), arguments.has("--fail-fast"),
            !ScenarioFile.isThere(number)
        {
            throw UsageError(
                message: "there is nothing at '\(number)'", help: "for a number write --fail-fast=\(number)")
        }
        do throws(UsageError) {
            try find(paths.isEmpty ? defaultPaths : paths)
        } catch {
            let wrong = paths.first { error.message == "there is nothing at '\($0)'" }
            throw UsageError(
                message: error.message, help: wrong.flatMap(arguments.helpForMissing) ?? error.help)
        }
        for path in arguments.texts("--exclude") { try exclude(path) }
    }

    private static func lastFailed(_ folder: String) throws(UsageError) -> [LastRun.Entry] {
        let last: LastRun?
        do throws(ReportError) {
            last = try LastRun.read(folder)
        } catch {
            throw UsageError(message: "\(error.path): \(error.why)", help: "remove it and run again")
        }
        guard let last else {
            throw UsageError(
                message: "there is no last run in \(folder)",
                help: "'otalab run' writes \(folder)/\(LastRun.file); --report-dir names another folder")
        }
        return last.entries.filter { !$0.verdict.isGood }
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
        for path in real { try checkLine(path) }
        // A file that is also named by its path is selected as a whole.
        chosen.removeAll { named in paths.contains { ScenarioFile.isThere($0) && $0 == named.path } }
        do throws(MissingPath) {
            files = try ScenarioFile.find(real)
            profiles = ProfileSet(folders: ProfileFolder.find(real, files))
        } catch {
            throw UsageError(message: "there is nothing at '\(error.path)'", help: Selection.help)
        }
    }

    /// `file:999` for a file of 14 lines is an error; it does not select the whole file.
    private func checkLine(_ path: String) throws(UsageError) {
        guard let (file, line) = ScenarioFile.withLine(path) else { return }
        guard case .success(let bytes) = FileReading.bytes(at: file) else { return }
        let lines = bytes.count { $0 == 0x0A } + (bytes.last == 0x0A ? 0 : 1)
        guard line > lines else { return }
        throw UsageError(
            message: "\(file) has no line \(line)",
            help: "it has \(Quoting.count(lines, "line")); the line of a case chooses that case")
    }

    private static let help = "name a file, file:line, folder or id, or run where Scenarios/ is"

    /// The file of the scenario with this id or name.
    private func byID(_ id: String) throws(UsageError) -> String? {
        var ids: [String] = []
        let all = (try? ScenarioFile.find(["Scenarios"])) ?? []
        // A scenario that names a device can only be read with that device's profile.
        let devices = ProfileSet(folders: ProfileFolder.find(["Scenarios"], all)).names
        for file in all {
            for scenario in file.read(devices: devices).scenarios {
                if scenario.isCalled(id) { return file.path }
                ids.append(scenario.id)
            }
        }
        throw UsageError(
            message: "there is nothing at '\(id)'",
            help: suggestion(id, ids, all.map(\.path)).map { "did you mean '\($0)'?" } ?? Selection.help)
    }

    /// Calls `missing` for each of these ids or names that no scenario of the selection or the project has,
    /// with an error that suggests another one.
    func check(_ names: [String], missing: (_ name: String, UsageError) throws -> Void) rethrows {
        if names.isEmpty { return }
        let scenarios = files.flatMap { read($0).scenarios }
        for name in names where !scenarios.contains(where: { $0.isCalled(name) }) {
            do throws(UsageError) {
                _ = try byID(name)
            } catch {
                try missing(name, error)
            }
        }
    }

    /// The id, file or folder that is most similar: a typo, other capitals, another file extension, the
    /// folder left out.
    private func suggestion(_ text: String, _ ids: [String], _ files: [String]) -> String? {
        var bare = text.hasSuffix("/") ? String(text.dropLast()) : text
        for ending in [".json5", ".json", ".jsonc"] where bare.hasSuffix(ending) {
            bare = String(bare.dropLast(ending.count))
        }
        var folders: [String] = []
        for file in files {
            var folder = file
            while let slash = folder.lastIndex(of: "/") {
                folder = String(folder[..<slash])
                if !folders.contains(folder) { folders.append(folder) }
            }
        }
        let same = bare.lowercased()
        let all = files + folders + ids
        let matches = { (candidate: String) in
            let other = candidate.lowercased()
            let stem = other.hasSuffix(".json5") ? String(other.dropLast(6)) : other
            return stem == same || stem.hasSuffix("/" + same)
        }
        return ids.first(where: matches) ?? all.first(where: matches) ?? Nearest.to(bare, among: all)
    }

    private mutating func exclude(_ path: String) throws(UsageError) {
        let folder = path.hasSuffix("/") ? path : path + "/"
        func matches(_ file: ScenarioFile) -> Bool {
            file.path == path || file.path.hasPrefix(folder) || ("./" + file.path).hasPrefix(folder)
                || file.path == path + ".json5" || file.path.hasSuffix("Scenarios/" + path + ".json5")
        }
        guard files.contains(where: matches) else {
            let near = Nearest.to(path, among: files.map(\.path))
            throw UsageError(
                message: "--exclude \(path) matches nothing",
                help: near.map { "did you mean '\($0)'?" } ?? "name a file, folder or id of the selection")
        }
        files.removeAll(where: matches)
    }

    // MARK: - Scenarios

    func holds(_ scenario: Scenario) -> Bool {
        let named = chosen.filter { $0.path == scenario.source.path }
        if !named.isEmpty, !named.contains(where: { scenario.isCalled($0.id) }) {
            return false
        }
        let title = scenario.title.value
        guard texts.allSatisfy({ scenario.name.contains($0) || title.contains($0) }) else { return false }
        guard rules.isEmpty || rules.contains(where: { scenario.covers($0) }) else { return false }
        let own = scenario.tags.map(\.value)
        guard tags.allSatisfy({ $0.holds(own) }) else { return false }
        // The order of a scenario's run follows its name: `name {order 2}`.
        return failed.map { names in
            names.contains { $0 == scenario.name || $0.hasPrefix(scenario.name + " {order ") }
        } ?? true
    }

    func read(_ file: ScenarioFile) -> ScenarioReading {
        file.read(devices: profiles.names)
    }

    /// Bytes of all files above which their texts do not stay in memory. Below it, a file that is edited
    /// during a run is no error.
    private static let mostBytes = 4 << 20

    /// Removes the texts if they are many; each file is read again when its turn comes.
    mutating func releaseManyTexts() {
        guard files.reduce(0, { $0 + $1.bytes.count }) > Selection.mostBytes else { return }
        for index in files.indices { files[index] = files[index].withoutBytes() }
    }

    // MARK: - Nothing selected

    /// The error text for a selection without scenarios.
    func reasonForEmptiness() -> String {
        let scenarios = files.flatMap { read($0).scenarios }
        if files.isEmpty { return "error: there is no scenario file\n  = help: \(Selection.help)\n" }
        var lines: [String] = []
        for tag in unknownTags(scenarios) { lines.append(tag) }
        for text in texts where !scenarios.contains(where: { named($0, text) }) {
            let near = Nearest.to(text, among: scenarios.map(\.id))
            let help = near.map { "did you mean '\($0)'?" } ?? "'otalab list' shows what there is"
            lines.append("no name or title contains \"\(text)\"\n  = help: \(help)")
        }
        for rule in rules where !scenarios.contains(where: { $0.covers(rule) }) {
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

    /// Errors for tags that no scenario has, because a misspelt `not slwo` would exclude nothing.
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

extension Scenario {
    fileprivate func isCalled(_ name: String) -> Bool { id == name || self.name == name }
}
