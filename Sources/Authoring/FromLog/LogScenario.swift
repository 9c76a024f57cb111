import Backend
import Core
import Runner
import ScenarioLanguage
import Updater
import World

/// A scenario made from an error report: the file's text, and what a person has to know about it.
package struct LogScenario: Sendable {
    package var text: String
    /// Entries of the report, and how many of them the scenario brings about in their order.
    package var entries: Int
    package var told: Int
    /// Entries of rounds like others, which are left out with a comment in their place.
    package var saidAgain: Int
    /// What the report does not say and the scenario had to.
    package var guesses: [String]
    /// What of the report is not in the scenario.
    package var missing: [String]

    /// - Parameters:
    ///   - id: of the scenario.
    ///   - profiles: the devices that can be named.
    package static func make(
        _ bytes: [UInt8], id: String, profiles: [DeviceProfile] = [.plain]
    ) throws(ReportReading.Refusal) -> LogScenario {
        let reading = try ReportReading(bytes: bytes)
        let story = LogReconstruction(reading, profiles: profiles.map(\.name))
        let title = LogScenario.title(of: reading, story)
        let draft = story.text(id: id, title: title, steps: [ScenarioDraft(["launch": true])], head: [])
        guard let world = LogScenario.world(draft, profiles) else {
            throw ReportReading.Refusal(
                line: 1, message: "no app can be set up from what the report says of it",
                help: "check the lines 'app' and 'version'")
        }
        var rounds = LogRounds(reading.entries)
        var (search, found) = LogScenario.searched(story, rounds.entries, world)
        // How often it was can matter: the eighth try ends in another word. Such rounds are looked for
        // one by one.
        var whole: [ClosedRange<Int>] = []
        while whole.count < 4, let lost = search.leftOut.first?.line,
            let fold = rounds.folds.last(where: { $0.round.lowerBound < lost }), let end = fold.lines.last,
            fold.lines.count <= LogScenario.short
        {
            whole.append(fold.round.lowerBound...end)
            let others = LogRounds(reading.entries, whole: whole)
            let (other, state) = LogScenario.searched(story, others.entries, world)
            if other.leftOut.count >= search.leftOut.count { break }
            (rounds, search, found) = (others, other, state)
        }
        var steps = LogSteps(reading.entries, rounds.folds, search, found, world)
        if !rounds.folds.isEmpty, steps.saidAgain > 0 || !search.leftOut.isEmpty,
            reading.entries.count <= LogScenario.short
        {
            // So few entries can stand there each by itself.
            let (other, state) = LogScenario.searched(story, reading.entries, world)
            if other.leftOut.count <= search.leftOut.count {
                (search, found) = (other, state)
                steps = LogSteps(reading.entries, [], search, found, world)
            }
        }
        let made = LogScenario(story, search, found, steps, id: id, title: title)
        guard let flaw = LogScenario.flaw(made.text, profiles) else { return made }
        return LogScenario(story, search, found, steps, id: id, title: title, flaw: flaw)
    }

    /// Nothing is claimed of a file that was not run.
    /// - Returns: how it ends when it does not pass.
    private static func flaw(_ text: String, _ profiles: [DeviceProfile]) -> String? {
        guard let plan = plan(text, profiles) else { return "the file can't be run" }
        let result = ScenarioRunner(profiles: profiles).run(plan)
        if result.verdict == .passed { return nil }
        return
            "run as it stands it does not pass: \(result.failures.first?.headline ?? result.verdict.rawValue)"
    }

    /// Entries that a person reads through.
    private static let short = 40

    private static func searched(
        _ story: LogReconstruction, _ entries: [ReportReading.Entry], _ world: World
    ) -> (LogSearch, LogSearch.State) {
        var search = LogSearch(story, entries)
        let found = search.search(world)
        if search.leftOut.isEmpty { return (search, found) }
        var second = LogSearch(story, entries)
        second.allowsLoss = true
        let other = second.search(world)
        return second.leftOut.count < search.leftOut.count ? (second, other) : (search, found)
    }

    /// As `otalab run` would begin it.
    private static func world(_ text: String, _ profiles: [DeviceProfile]) -> World? {
        guard let plan = plan(text, profiles) else { return nil }
        let compiler = ScenarioCompiler(
            scenario: plan.scenario, profiles: profiles, readFolder: BuildFolder.read)
        do {
            return try World(try compiler.setup(seed: plan.worldSeed))
        } catch {
            return nil
        }
    }

    private static func plan(_ text: String, _ profiles: [DeviceProfile]) -> RunPlan? {
        let read = ScenarioReader.read(
            path: "Scenarios/from-report.json5", bytes: Array(text.utf8), devices: profiles.map(\.name))
        return read.scenarios.first.flatMap { RunPlan.plans(for: $0, seed: LogScenario.seed).first }
    }

    /// What `otalab run` takes where nobody says another.
    package static let seed: UInt64 = 1

    private init(
        _ story: LogReconstruction, _ search: LogSearch, _ found: LogSearch.State, _ retold: LogSteps,
        id: String,
        title: String, flaw: String? = nil
    ) {
        entries = story.reading.entries.count
        saidAgain = retold.saidAgain
        let lost = search.leftOut + retold.missed
        told = entries - saidAgain - lost.count
        guesses =
            story.guesses
            + story.versions.compactMap { version in
                version.startupGuess.map { "\(version.name): \($0)" }
            }
        guesses.append("sizes and number of files")
        missing = LogScenario.named(lost.sorted { $0.line < $1.line })
        let gone = found.met - found.told.count
        if gone > 0 {
            missing.append(
                "\(gone) entries came, and went with their process: the new log is shorter by them")
        }
        if story.reading.hostLines > 0 {
            missing.append("\(story.reading.hostLines) host lines (server, bridge): they are not looked for")
        }
        missing += story.reading.notes.map { note in
            note.line.map { "line \($0): \(note.text)" } ?? note.text
        }
        let launched = story.reading.entries.first?.cause == .launched
        if !launched { missing.append("what came before the log's first line") }
        if let flaw { missing.append(flaw) }
        for line in found.lines where line.guess != nil {
            if let guess = line.guess, !guesses.contains(guess) { guesses.append(guess) }
        }
        var ends = LogScenario.ends(story, retold)
        ends[0].above = retold.rest
        let steps = retold.steps + ends
        var head = ["Made by 'otalab new --from-log' from an error report."]
        head.append("\(told) of its \(entries) log entries come about in their order.")
        if saidAgain > 0 {
            head.append("\(saidAgain) more are rounds like others: left out where a comment says so.")
        }
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

    /// Entries that nothing brought, each word once.
    private static func named(_ entries: [ReportReading.Entry]) -> [String] {
        var words: [(text: String, lines: [Int])] = []
        for entry in entries {
            let text = entry.cause.rawValue + (entry.version.map { " of \($0)" } ?? "")
            if let place = words.firstIndex(where: { $0.text == text }) {
                words[place].lines.append(entry.line)
            } else {
                words.append((text, [entry.line]))
            }
        }
        return words.map { text, lines in
            if lines.count == 1 { return "line \(lines[0]): \(text)" }
            let shown = lines.prefix(lines.count > 4 ? 3 : 4).map(String.init).joined(separator: ", ")
            return "lines \(shown)\(lines.count > 4 ? " and \(lines.count - 3) more" : ""): \(text)"
        }
    }

    /// How it ended, as far as the report says it and the world agrees.
    private static func ends(_ story: LogReconstruction, _ retold: LogSteps) -> [ScenarioDraft] {
        let world = rested(retold.world, story.reading)
        guard world.errorReport() != nil, let status = world.view().status else {
            return [ScenarioDraft(["expect": ["process": "gone"]])]
        }
        func name(_ key: VersionKey) -> PrintedValue { .text(story.name(ofID: key.id) ?? key.id) }
        var parts = [PrintedValue.Pair("pending", status.pending.map(name) ?? .null)]
        if let good = status.lastKnownGood { parts.append(.init("lastKnownGood", name(good))) }
        parts.append(.init("blacklist", .list(status.blacklist.map(name))))
        if !status.parked.isEmpty { parts.append(.init("parked", .list(status.parked.map(name)))) }
        var causes: [String] = []
        for mark in retold.told where !causes.contains(mark.cause.rawValue) {
            causes.append(mark.cause.rawValue)
        }
        let told = PrintedValue.list(causes.map { .text($0) })
        return [
            ScenarioDraft(["expect": .object(parts), "within": "5s"]),
            ScenarioDraft(["expect": ["log": ["has": told]], "within": "5s", "since": "start"]),
        ]
    }

    /// Where the report was written: the device's status comes some steps behind its log.
    private static func rested(_ told: World, _ reading: ReportReading) -> World {
        var world = told
        let moment = TimeSpan.milliseconds(100)
        if reading.versions.isEmpty {
            _ = world.run(until: told.now + moment)
            return world
        }
        let pending = reading.versions.first { line in
            (line["roles"] ?? "").split(separator: ",").contains("pending")
        }
        func isThere() -> Bool { world.view().status?.pending?.id == pending?["id"] }
        let limit = told.now + moment
        while !isThere() {
            guard let next = world.nextEventTime, next <= limit, case .happened = world.step() else {
                return told
            }
        }
        return world
    }

    /// What a person would call it: the gravest thing in the log.
    private static func title(of reading: ReportReading, _ story: LogReconstruction) -> String {
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
