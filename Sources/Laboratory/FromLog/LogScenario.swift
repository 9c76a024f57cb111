import Core
import ScenarioLanguage
import Updater
import World

/// A scenario made from an error report: the file's text, and what a person has to know about it.
public struct LogScenario: Sendable {
    public var text: String
    /// Entries of the report, and how many of them the scenario brings about in their order.
    public var entries: Int
    public var told: Int
    /// What the report does not say and the scenario had to.
    public var guesses: [String]
    /// What of the report is not in the scenario.
    public var missing: [String]

    /// - Parameters:
    ///   - id: of the scenario.
    ///   - profiles: the devices that can be named.
    public static func make(
        _ bytes: [UInt8], id: String, profiles: [DeviceProfile] = [.plain]
    ) throws(ReportReading.Refusal) -> LogScenario {
        let reading = try ReportReading(bytes: bytes)
        let story = LogStory(reading, profiles: profiles.map(\.name))
        let title = LogScenario.title(of: reading, story)
        var search = LogSearch(story)
        let draft = story.text(id: id, title: title, steps: ["{ launch: true },"], head: [])
        guard let world = LogScenario.world(draft, profiles) else {
            throw ReportReading.Refusal(
                line: 1, message: "no app can be set up from what the report says of it",
                help: "check the lines 'app' and 'version'")
        }
        var found = search.search(world)
        if !search.leftOut.isEmpty {
            var second = LogSearch(story)
            second.allowsLoss = true
            let other = second.search(world)
            if second.leftOut.count < search.leftOut.count { (search, found) = (second, other) }
        }
        return LogScenario(story, search, found, id: id, title: title)
    }

    /// As `otalab run` would begin it.
    private static func world(_ text: String, _ profiles: [DeviceProfile]) -> World? {
        let read = ScenarioReader.read(
            path: "Scenarios/from-report.json5", bytes: Array(text.utf8), devices: profiles.map(\.name))
        guard let scenario = read.scenarios.first,
            let plan = StoryPlan.plans(for: scenario, seed: LogScenario.seed).first
        else { return nil }
        let compiler = StoryCompiler(scenario: scenario, profiles: profiles, readFolder: BuildFolder.read)
        do {
            return try World(try compiler.setup(seed: plan.worldSeed))
        } catch {
            return nil
        }
    }

    /// What `otalab run` takes where nobody says another.
    static let seed: UInt64 = 1

    private init(
        _ story: LogStory, _ search: LogSearch, _ found: LogSearch.State, id: String, title: String
    ) {
        entries = story.reading.entries.count
        told = found.met
        guesses =
            story.guesses
            + story.versions.compactMap { version in
                version.startupGuess.map { "\(version.name): \($0)" }
            }
        guesses.append("sizes and number of files")
        missing = search.leftOut.map { entry in
            "line \(entry.line): \(entry.cause.rawValue)\(entry.version.map { " of \($0)" } ?? "")"
        }
        let lost = found.met - found.told.count
        if lost > 0 {
            missing.append(
                "\(lost) entries came, and went with their process: the new log is shorter by them")
        }
        if story.reading.hostLines > 0 {
            missing.append("\(story.reading.hostLines) host lines (server, bridge): they are not looked for")
        }
        missing += story.reading.notes.map { note in
            note.line.map { "line \($0): \(note.text)" } ?? note.text
        }
        let launched = story.reading.entries.first?.cause == .launched
        if !launched { missing.append("what came before the log's first line") }
        var steps: [String] = []
        for line in LogScenario.joined(found.lines) {
            steps.append(line.move.text + "," + (line.guess.map { " // guess: \($0)" } ?? ""))
        }
        for line in found.lines where line.guess != nil {
            if let guess = line.guess, !guesses.contains(guess) { guesses.append(guess) }
        }
        steps += LogScenario.ends(story, found)
        var head = ["Made by 'otalab new --from-log' from an error report."]
        head.append("\(told) of its \(entries) log entries come about in their order.")
        if !missing.isEmpty {
            head.append("")
            head.append("Missing:")
            head += missing.map { "- \($0)" }
        }
        head.append("")
        head.append("Guessed, because the report does not say it:")
        head += guesses.map { "- \($0)" }
        head.append("")
        head.append("The last step says how it ended there. Write in its place how it should have ended.")
        text = story.text(id: id, title: title, steps: steps, head: head)
    }

    /// One wait for several in a row.
    private static func joined(_ lines: [LogSearch.Line]) -> [LogSearch.Line] {
        var all: [LogSearch.Line] = []
        for line in lines {
            if case .wait(let span) = line.move, case .wait(let former)? = all.last?.move {
                all[all.count - 1].move = .wait(former + span)
                all[all.count - 1].guess = all[all.count - 1].guess ?? line.guess
            } else {
                all.append(line)
            }
        }
        return all
    }

    /// How it ended, as far as the report says it and the world agrees.
    private static func ends(_ story: LogStory, _ found: LogSearch.State) -> [String] {
        guard found.world.errorReport() != nil, let status = found.world.view().status else {
            return ["{ expect: { process: \"gone\" } },"]
        }
        func name(_ key: VersionKey) -> String { story.name(ofID: key.id) ?? key.id }
        func list(_ keys: [VersionKey]) -> String {
            "[" + keys.map { story.quoted(name($0)) }.joined(separator: ", ") + "]"
        }
        var parts: [String] = []
        parts.append("pending: \(status.pending.map { story.quoted(name($0)) } ?? "null")")
        if let good = status.lastKnownGood { parts.append("lastKnownGood: \(story.quoted(name(good)))") }
        parts.append("blacklist: \(list(status.blacklist))")
        if !status.parked.isEmpty { parts.append("parked: \(list(status.parked))") }
        var causes: [String] = []
        for mark in found.told where !causes.contains(mark.cause.rawValue) {
            causes.append(mark.cause.rawValue)
        }
        let told = causes.map { "\"\($0)\"" }.joined(separator: ", ")
        return [
            "{ expect: { \(parts.joined(separator: ", ")) }, within: \"5s\" },",
            "{ expect: { log: { has: [\(told)] } }, within: \"5s\", since: \"start\" },",
        ]
    }

    /// What a person would call it: the gravest thing in the log.
    private static func title(of reading: ReportReading, _ story: LogStory) -> String {
        let gravest: [(LogCause, String)] = [
            (.nothingToRescueTo, "nothing is left that could be shown"),
            (.blacklistEntry, "is blacklisted"), (.parked, "is parked"),
            (.recordLost, "the record is lost"), (.contentDamaged, "has damaged content"),
            (.rescued, "takes over from one whose start failed"), (.startUnclear, "starts and ends unclear"),
            (.retriesExhausted, "can't be fetched"), (.transferFailed, "is fetched with trouble"),
            (.manifestUnreadable, "the manifest is refused"),
            (.storeUpdate, "the store brings another build"),
            (.becamePending, "becomes pending"),
        ]
        for (cause, words) in gravest {
            guard let entry = reading.entries.last(where: { $0.cause == cause }) else { continue }
            guard let id = entry.version, let name = story.name(ofID: id) else {
                return "As reported: \(words)"
            }
            return "As reported: \(name) \(words)"
        }
        return "As reported by a device"
    }
}
