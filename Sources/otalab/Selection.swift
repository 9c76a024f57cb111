import Authoring
import Oracle
import Reporting
import Runner
import ScenarioLanguage

/// What the paths and flags of a call select.
///
/// VerificationSummary: a file that can't be read is always part of it, so that it is never silently
/// missing; what the flags name and nothing has is told with what was perhaps meant.
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
    /// What failed when it was last run and is no file any more.
    private(set) var gone: [String] = []

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
        var usual = ["Scenarios"]
        if arguments.has("--failed") {
            let last = try Selection.lastFailed(arguments.text("--report-dir") ?? "Reports")
            // An entry whose file is gone fails nobody any more.
            let isThere = { (entry: LastRun.Entry) in entry.file.map(ScenarioFile.isThere) ?? true }
            gone = last.filter { !isThere($0) }.map(\.name)
            let left = last.filter(isThere)
            failed = left.map(\.name)
            // What failed may lie elsewhere.
            let files = left.compactMap(\.file)
            if !files.isEmpty { usual = files.sorted() }
        }
        let paths = paths ?? arguments.paths
        if let number = paths.first(where: { UInt64($0) != nil }), arguments.has("--fail-fast"),
            !ScenarioFile.isThere(number)
        {
            throw UsageError(
                message: "there is nothing at '\(number)'", help: "for a number write --fail-fast=\(number)")
        }
        try find(paths.isEmpty ? usual : paths)
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
        // A file that is also named as such is meant whole.
        chosen.removeAll { named in paths.contains { ScenarioFile.isThere($0) && $0 == named.path } }
        do throws(MissingPath) {
            files = try ScenarioFile.find(real)
            profiles = ProfileSet(folders: ProfileFolder.find(real, files))
        } catch {
            throw UsageError(message: "there is nothing at '\(error.path)'", help: Selection.way)
        }
    }

    /// `file:999` of a file of 14 lines is a slip, not the whole file.
    private func checkLine(_ path: String) throws(UsageError) {
        guard let (file, line) = ScenarioFile.withLine(path) else { return }
        guard case .success(let bytes) = FileReading.bytes(at: file) else { return }
        let lines = bytes.count { $0 == 0x0A } + (bytes.last == 0x0A ? 0 : 1)
        guard line > lines else { return }
        throw UsageError(
            message: "\(file) has no line \(line)",
            help: "it has \(Quoting.count(lines, "line")); the line of a case chooses that case")
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
        throw UsageError(
            message: "there is nothing at '\(id)'",
            help: meant(id, ids, all.map(\.path)).map { "did you mean '\($0)'?" } ?? Selection.way)
    }

    /// An id, file or folder that is written nearly so: a slip of the keyboard, capitals, another ending, the
    /// folder left out.
    private func meant(_ text: String, _ ids: [String], _ files: [String]) -> String? {
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
        let isMeant = { (candidate: String) in
            let other = candidate.lowercased()
            let stem = other.hasSuffix(".json5") ? String(other.dropLast(6)) : other
            return stem == same || stem.hasSuffix("/" + same)
        }
        return ids.first(where: isMeant) ?? all.first(where: isMeant) ?? Nearest.to(bare, among: all)
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
