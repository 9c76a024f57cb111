import Backend
import Core
import Runner
import ScenarioLanguage
import Updater
import World

/// A scenario made from an error report: the text of the file, and its differences from the report.
package struct LogScenario: Sendable {
    package var text: String
    /// Number of entries in the report.
    package var entryCount: Int
    /// Number of entries that the scenario reproduces in order.
    package var reproduced: Int
    /// Number of entries in repeated rounds that a comment replaces.
    package var foldedCount: Int
    /// What the scenario contains and the report does not say.
    package var guesses: [String]
    /// What the report says and the scenario does not contain.
    package var missing: [String]

    /// - Parameters:
    ///   - bytes: the error report.
    ///   - id: id of the scenario.
    ///   - profiles: known device profiles.
    package static func make(
        _ bytes: [UInt8], id: String, profiles: [DeviceProfile] = [.plain]
    ) throws(ReportReading.Refusal) -> LogScenario {
        let reading = try ReportReading(bytes: bytes)
        let reconstruction = LogReconstruction(reading, profiles: profiles.map(\.name))
        let title = LogScenario.title(of: reading, reconstruction)
        let draft = reconstruction.text(
            id: id, title: title, steps: [ScenarioDraft(["launch": true])], head: [])
        guard let world = LogScenario.world(draft, profiles) else {
            throw ReportReading.Refusal(
                line: 1, message: "no app can be set up from what the report says of it",
                help: "check the lines 'app' and 'version'")
        }
        var rounds = LogRounds(reading.entries)
        var (search, found) = LogScenario.bestSearch(reconstruction, rounds.entries, world)
        // The number of rounds can matter, for example when the last attempt has another outcome. Rounds
        // before such an entry are searched without folding.
        var unfoldable: [ClosedRange<Int>] = []
        while unfoldable.count < 4, let lost = search.unmatched.first?.line,
            let fold = rounds.folds.last(where: { $0.round.lowerBound < lost }), let end = fold.lines.last,
            fold.lines.count <= LogScenario.smallLog
        {
            unfoldable.append(fold.round.lowerBound...end)
            let others = LogRounds(reading.entries, unfoldable: unfoldable)
            let (other, state) = LogScenario.bestSearch(reconstruction, others.entries, world)
            if other.unmatched.count >= search.unmatched.count { break }
            (rounds, search, found) = (others, other, state)
        }
        var steps = LogSteps(reading.entries, rounds.folds, search, found, world)
        if !rounds.folds.isEmpty, steps.foldedCount > 0 || !search.unmatched.isEmpty,
            reading.entries.count <= LogScenario.smallLog
        {
            // A small log is readable without folding.
            let (other, state) = LogScenario.bestSearch(reconstruction, reading.entries, world)
            if other.unmatched.count <= search.unmatched.count {
                (search, found) = (other, state)
                steps = LogSteps(reading.entries, [], search, found, world)
            }
        }
        let made = LogScenario(reconstruction, search, found, steps, id: id, title: title)
        guard let failure = LogScenario.failure(made.text, profiles) else { return made }
        return LogScenario(reconstruction, search, found, steps, id: id, title: title, failure: failure)
    }

    /// Runs the file, so that no scenario is returned untested.
    /// - Returns: how the run failed; nil when it passed.
    private static func failure(_ text: String, _ profiles: [DeviceProfile]) -> String? {
        guard let plan = plan(text, profiles) else { return "the file can't be run" }
        let result = ScenarioRunner(profiles: profiles).run(plan)
        if result.verdict == .passed { return nil }
        return
            "run as it stands it does not pass: \(result.failures.first?.headline ?? result.verdict.rawValue)"
    }

    /// Most entries of a log that is readable without folding.
    private static let smallLog = 40

    /// The search that leaves fewer entries out: without or with lost entries.
    private static func bestSearch(
        _ reconstruction: LogReconstruction, _ entries: [ReportReading.Entry], _ world: World
    ) -> (LogSearch, LogSearch.State) {
        var search = LogSearch(reconstruction, entries)
        let found = search.search(world)
        if search.unmatched.isEmpty { return (search, found) }
        var second = LogSearch(reconstruction, entries)
        second.allowsLostEntries = true
        let other = second.search(world)
        return second.unmatched.count < search.unmatched.count ? (second, other) : (search, found)
    }

    /// The initial world of `otalab run`; nil when the file has errors.
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

    /// Default seed of `otalab run`.
    package static let seed: UInt64 = 1

    private init(
        _ reconstruction: LogReconstruction, _ search: LogSearch, _ found: LogSearch.State,
        _ logSteps: LogSteps,
        id: String, title: String, failure: String? = nil
    ) {
        entryCount = reconstruction.reading.entries.count
        foldedCount = logSteps.foldedCount
        let lost = search.unmatched + logSteps.missed
        reproduced = entryCount - foldedCount - lost.count
        guesses =
            reconstruction.guesses
            + reconstruction.versions.compactMap { version in
                version.startupGuess.map { "\(version.name): \($0)" }
            }
        guesses.append("sizes and number of files")
        missing = LogScenario.named(lost.sorted { $0.line < $1.line })
        let gone = found.matched - found.log.count
        if gone > 0 {
            missing.append(
                "\(gone) entries came, and went with their process: the new log is shorter by them")
        }
        if reconstruction.reading.hostLines > 0 {
            missing.append(
                "\(reconstruction.reading.hostLines) host lines (server, bridge): they are not looked for")
        }
        missing += reconstruction.reading.notes.map { note in
            note.line.map { "line \($0): \(note.text)" } ?? note.text
        }
        let launched = reconstruction.reading.entries.first?.cause == .launched
        if !launched { missing.append("what came before the log's first line") }
        if let failure { missing.append(failure) }
        for line in found.steps where line.guess != nil {
            if let guess = line.guess, !guesses.contains(guess) { guesses.append(guess) }
        }
        var ends = LogScenario.ends(reconstruction, logSteps)
        ends[0].above = logSteps.trailingComments
        let steps = logSteps.steps + ends
        var head = ["Made by 'otalab new --from-log' from an error report."]
        head.append("\(reproduced) of its \(entryCount) log entries come about in their order.")
        if foldedCount > 0 {
            head.append("\(foldedCount) more are rounds like others: left out where a comment says so.")
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
        text = reconstruction.text(id: id, title: title, steps: steps, head: head)
    }

    /// Descriptions of entries, those with the same cause and version joined.
    private static func named(_ entries: [ReportReading.Entry]) -> [String] {
        var groups: [(text: String, lines: [Int])] = []
        for entry in entries {
            let text = entry.cause.rawValue + (entry.version.map { " of \($0)" } ?? "")
            if let index = groups.firstIndex(where: { $0.text == text }) {
                groups[index].lines.append(entry.line)
            } else {
                groups.append((text, [entry.line]))
            }
        }
        return groups.map { text, lines in
            if lines.count == 1 { return "line \(lines[0]): \(text)" }
            let shown = lines.prefix(lines.count > 4 ? 3 : 4).map(String.init).joined(separator: ", ")
            return "lines \(shown)\(lines.count > 4 ? " and \(lines.count - 3) more" : ""): \(text)"
        }
    }

    /// Steps that expect the device's final state.
    private static func ends(_ reconstruction: LogReconstruction, _ logSteps: LogSteps) -> [ScenarioDraft] {
        let world = worldAtReport(logSteps.world, reconstruction.reading)
        guard world.errorReport() != nil, let status = world.view().status else {
            return [ScenarioDraft(["expect": ["process": "gone"]])]
        }
        func name(_ key: VersionKey) -> PrintedValue { .text(reconstruction.name(ofID: key.id) ?? key.id) }
        var parts = [PrintedValue.Pair("pending", status.pending.map(name) ?? .null)]
        if let good = status.lastKnownGood { parts.append(.init("lastKnownGood", name(good))) }
        parts.append(.init("blacklist", .list(status.blacklist.map(name))))
        if !status.parked.isEmpty { parts.append(.init("parked", .list(status.parked.map(name)))) }
        var causes: [String] = []
        for key in logSteps.log where !causes.contains(key.cause.rawValue) {
            causes.append(key.cause.rawValue)
        }
        let log = PrintedValue.list(causes.map { .text($0) })
        return [
            ScenarioDraft(["expect": .object(parts), "within": "5s"]),
            ScenarioDraft(["expect": ["log": ["has": log]], "within": "5s", "since": "start"]),
        ]
    }

    /// The world at the moment of the report. The device's status can change some steps after its last log
    /// entry.
    private static func worldAtReport(_ end: World, _ reading: ReportReading) -> World {
        var world = end
        let tolerance = TimeSpan.milliseconds(100)
        if reading.versions.isEmpty {
            _ = world.run(until: end.now + tolerance)
            return world
        }
        let pending = reading.versions.first { line in
            (line["roles"] ?? "").split(separator: ",").contains("pending")
        }
        func hasReportedPending() -> Bool { world.view().status?.pending?.id == pending?["id"] }
        let limit = end.now + tolerance
        while !hasReportedPending() {
            guard let next = world.nextEventTime, next <= limit, case .happened = world.step() else {
                return end
            }
        }
        return world
    }

    /// Title from the most serious entry of the log.
    private static func title(of reading: ReportReading, _ reconstruction: LogReconstruction) -> String {
        for (cause, phrase) in gravest {
            guard let index = reading.entries.lastIndex(where: { $0.cause == cause }) else { continue }
            let entry = reading.entries[index]
            let name = entry.version.flatMap { reconstruction.name(ofID: $0) }
            switch phrase {
            case .ofDevice(let text): return "As reported: \(text)"
            case .ofVersion(let text):
                return "As reported: " + (name.map { "\($0) \(text)" } ?? "a version \(text)")
            case .rescue:
                // The entry names the version that takes over; the failed one is that of the last start.
                let start = reading.entries[..<index].last { $0.cause == .startMarked && $0.version != nil }
                let failed = start?.version.flatMap { reconstruction.name(ofID: $0) }
                return "As reported: \(failed ?? "a version") does not start, and "
                    + "\(name ?? "another one") takes over"
            }
        }
        return "As reported by a device"
    }

    private enum Phrase {
        /// About the version that the entry names.
        case ofVersion(String)
        case ofDevice(String)
        case rescue
    }

    private static let gravest: [(LogCause, Phrase)] = [
        (.nothingToRescueTo, .ofDevice("nothing is left that could be shown")),
        (.blacklistEntry, .ofVersion("is blacklisted")), (.parked, .ofVersion("is parked")),
        (.recordLost, .ofDevice("the record is lost")), (.contentDamaged, .ofVersion("has damaged content")),
        (.rescued, .rescue), (.startUnclear, .ofVersion("starts and ends unclear")),
        (.retriesExhausted, .ofVersion("can't be fetched")),
        (.transferFailed, .ofVersion("is fetched with trouble")),
        (.manifestUnreadable, .ofDevice("the manifest is refused")),
        (.storeUpdate, .ofDevice("the store brings another build")),
        (.becamePending, .ofVersion("becomes pending")),
    ]
}
