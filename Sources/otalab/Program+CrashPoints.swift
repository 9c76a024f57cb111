import Core
import Foundation
import Laboratory
import Reporting
import ScenarioLanguage

extension Verb {
    static let crashpoints = Verb(
        name: "crashpoints", arguments: "[PATH[:LINE]…]",
        summary: "every scenario again with a kill and a power cut at each disk operation",
        options: Option.selection + [
            .jobs, .seed,
            Option("--depth", value: "N", "1: single crashes; 2: a second one in the recovery (default)"),
            Option(
                "--second", value: "N",
                "first crashes of a story that second ones follow, spread over it, or all (default 8)"
            ),
            Option(
                "--outcomes", value: "N",
                "outcomes at one operation: the kill, one power cut of each class, then others, or all"
                    + " (default \(CrashLimits.classes): each class)"),
            Option(
                "--every", value: "N",
                "only each N-th operation of a story and of a recovery; the others are counted"),
            Option(
                "--report-dir", value: "DIR", offer: .folders,
                "where crashpoints/results.json and scenarios of failures go (default Reports)"),
            Option("--no-report", "write no results and no scenarios of failures"),
            .noTimings,
        ]
    ) { program in try await program.crashPoints() }
}

extension Program {
    /// `otalab crashpoints`: one line a scenario and device, then the sum, then what was found, and what was
    /// left out with its reason.
    func crashPoints() async throws -> ExitCode {
        var search = CrashPointsRun()
        let seed = try arguments.number("--seed", in: 0...UInt64.max) ?? 1
        if let jobs = try arguments.number("--jobs", in: 1...256) { search.jobs = Int(jobs) }
        if let depth = try arguments.number("--depth", in: 1...2) { search.limits.depth = Int(depth) }
        search.limits.second = try arguments.limit("--second", search.limits.second, in: 0...1_000_000)
        search.limits.outcomes = try arguments.limit("--outcomes", search.limits.outcomes, in: 1...1_000_000)
        if let every = try arguments.number("--every", in: 1...1_000_000) {
            search.limits.every = Int(every)
        }
        let selection = try Selection(arguments)
        search.profiles = selection.profiles.profiles
        let chosen = CrashSelection(selection, arguments.paths, seed: seed)
        if chosen.plans.isEmpty, chosen.leftOut.isEmpty { return nothing(selection) }
        if chosen.plans.isEmpty {
            for story in chosen.leftOut { Output.result("left out: \(story.name): \(story.reason)\n") }
            return nothingSearched(chosen)
        }
        Output.result(CrashTable.head)
        let began = Date()
        let processorBegan = StopWatch.processorSeconds
        let clock = StopWatch()
        let isTimed = !arguments.has("--no-timings")
        search.progress = { report in
            let span = clock.lap()
            Output.result(CrashTable.row(report.name, report.tally, report.problem, isTimed ? span : nil))
            Output.result(CrashTable.classes(report.tally))
        }
        let reports = await search.run(chosen.plans)
        let sum = reports.reduce(CrashTally()) { $0 + $1.tally }
        let all = Int64(Date().timeIntervalSince(began) * 1_000_000)
        Output.result(CrashTable.row(CrashTable.all, sum, nil, isTimed ? all : nil))
        Output.result(CrashTable.classes(sum))
        let processor = isTimed ? StopWatch.processorSeconds - processorBegan : nil
        Output.result(CrashTable.summary(sum, isTimed ? all : nil, processor, chosen.leftOut.count))
        for story in chosen.leftOut { Output.result("left out: \(story.name): \(story.reason)\n") }
        let (isWritten, commands) = tell(reports)
        var codes: [ExitCode] = []
        if sum.failures > 0 { codes.append(.failed) }
        if chosen.hasInvalid || reports.contains(where: { $0.problem != nil }) { codes.append(.invalid) }
        let isKept = arguments.has("--no-report") || keep(reports, commands, chosen.leftOut, seed)
        if !isWritten || !isKept { codes.append(.reportNotWritten) }
        codes += tellEmpty(chosen, reports)
        return ExitCode.first(of: codes)
    }

    /// A call that leaves no story has no figures to tell: "0 points, no failure" would read like a result.
    private func nothingSearched(_ chosen: CrashSelection) -> ExitCode {
        var codes = tellEmpty(chosen, [])
        if chosen.hasInvalid { codes.append(.invalid) }
        return ExitCode.first(of: codes.isEmpty ? [.nothingSelected] : codes)
    }

    private func tellEmpty(_ chosen: CrashSelection, _ reports: [CrashReport]) -> [ExitCode] {
        chosen.empty(reports).map { fault in
            Output.error("error: \(fault.message)\n  = help: \(fault.help)\n")
            return .nothingSelected
        }
    }

    private var crashFolder: String { (arguments.text("--report-dir") ?? "Reports") + "/crashpoints" }

    private func keep(
        _ reports: [CrashReport], _ commands: [String], _ leftOut: [CrashSelection.LeftOut], _ seed: UInt64
    ) -> Bool {
        let path = crashFolder + "/results.json"
        var results = CrashResults()
        results.toolVersion = Laboratory.version
        results.commandLine = arguments.canonical
        results.seed = seed
        results.all = reports.reduce(CrashTally()) { $0 + $1.tally }
        var commands = commands[...]
        for report in reports {
            let own = commands.prefix(report.findings.count)
            commands = commands.dropFirst(own.count)
            results.stories.append(CrashResults.Story(report, commands: Array(own)))
        }
        results.leftOut = leftOut.map { CrashResults.LeftOut($0.name, $0.reason) }
        do throws(ReportError) {
            try ReportFolder.write(CrashResultsJSON.bytes(results), to: path)
            return true
        } catch {
            Output.error("error: the results could not be written to \(error.place): \(error.why)\n")
            return false
        }
    }

    /// Each finding with the file that shows it again.
    /// - Returns: false where a file could not be written; each finding's command, empty without one.
    private func tell(_ reports: [CrashReport]) -> (isWritten: Bool, commands: [String]) {
        var isWritten = true
        var commands: [String] = []
        let folder = crashFolder
        for report in reports {
            for (number, finding) in report.findings.enumerated() {
                var text = "\nFAIL \(report.name)   [\(finding.rule)] \(finding.headline)\n"
                for place in finding.places { text += "  crash     \(place)\n" }
                text += "  expected  \(finding.expected)\n  actual    \(finding.actual)\n"
                commands.append("")
                if !arguments.has("--no-report") {
                    let path = "\(folder)/\(CrashTable.fileName(report.name))-\(number + 1).json5"
                    do {
                        try FileManager.default.createDirectory(
                            atPath: folder, withIntermediateDirectories: true)
                        try report.scenario(of: finding).write(
                            toFile: path, atomically: true, encoding: .utf8)
                        commands[commands.count - 1] = report.command(path: path)
                        text += "  repro     \(report.command(path: path))\n"
                    } catch {
                        isWritten = false
                        text += "  the scenario could not be written to \(path): \(error)\n"
                    }
                }
                Output.result(text)
            }
        }
        return (isWritten, commands)
    }
}

/// Wall-clock microseconds between two calls, from whatever thread.
final class StopWatch: @unchecked Sendable {
    private let lock = NSLock()
    private var last = Date()

    /// Of all threads of this process.
    static var processorSeconds: Double { Double(clock()) / Double(CLOCKS_PER_SEC) }

    func lap() -> Int64 {
        lock.withLock {
            let now = Date()
            defer { last = now }
            return Int64(now.timeIntervalSince(last) * 1_000_000)
        }
    }
}

/// The text of a search over crash points.
enum CrashTable {
    /// The name of the sum's row.
    static let all = "all"

    static let head =
        pad("scenario", 58) + right("points", 8) + right("exact", 8) + right("sampled", 8)
        + right("states", 10) + right("merged", 10) + right("failed", 8) + right("states/s", 10) + "\n"

    static func row(_ name: String, _ tally: CrashTally, _ problem: String?, _ microseconds: Int64?)
        -> String
    {
        if let problem { return pad(name, 58) + "  \(problem)\n" }
        if tally.points + tally.pointsLeftOut == 0, name != all {
            return pad(name, 58) + "  no disk operation to stop at\n"
        }
        let rate = microseconds.map { Int64(tally.states) * 1_000_000 / max($0, 1) }
        return pad(name, 58) + right("\(tally.points)", 8) + right("\(tally.exactPoints)", 8)
            + right("\(tally.sampledPoints)", 8) + right("\(tally.states)", 10)
            + right("\(tally.merged)", 10) + right("\(tally.failures)", 8)
            + right(rate.map { "\($0)" } ?? "-", 10) + "\n"
    }

    /// The classes of outcomes, each with the points at which it exists, and where it was not tried at all of
    /// them at how many it was.
    static func classes(_ tally: CrashTally) -> String {
        let rows = tally.classes.rows.filter { $0.existing > 0 }
        if rows.isEmpty { return "" }
        let texts = rows.map { row in
            "\(row.kind.name) \(row.met == row.existing ? "" : "\(row.met) of ")\(row.existing)"
        }
        return "  " + texts.joined(separator: ", ") + "\n"
    }

    /// The rate is by processor time, which is one core's and which other programs don't change.
    static func summary(
        _ sum: CrashTally, _ microseconds: Int64?, _ processor: Double?, _ leftOut: Int
    ) -> String {
        let share = sum.points == 0 ? 100 : sum.exactPoints * 100 / sum.points
        var text = "\(sum.firstPoints) points of a first crash, \(sum.secondPoints) of a second one within"
        text += " the recovery from \(sum.secondTried) of \(sum.secondTried + sum.secondLeftOut);"
        text +=
            " \(sum.exactPoints) points exact (\(share) %), \(sum.sampledPoints) sampled;"
            + " \(sum.launched) states launched, \(sum.used) used on"
        if sum.pointsLeftOut > 0 { text += "; \(sum.pointsLeftOut) points left out" }
        if let microseconds, let processor {
            let rate = Int64(Double(sum.states) / max(processor, 0.001))
            text += " in \(microseconds / 1_000_000) s, \(Int64(processor)) s of processor time: "
            text += "\(rate) states a second of it"
        }
        if leftOut > 0 { text += "; \(leftOut) \(leftOut == 1 ? "story" : "stories") left out" }
        return text + "; " + (sum.failures == 0 ? "no failure" : "\(sum.failures) FAILURES") + "\n"
    }

    static func fileName(_ name: String) -> String {
        String(name.map { $0.isLetter || $0.isNumber || $0 == "-" ? $0 : "-" })
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }

    private static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(1, width - text.count)) + text
    }
}
