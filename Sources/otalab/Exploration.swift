import Core
import Foundation
import Reporting
import Runner
import ScenarioLanguage
import Search

/// A search by rounds of worlds, and what was found in them: a call of `otalab explore`, or of `otalab sweep`
/// with somebody else's updater.
///
/// Promises: with `--runs` and the project's own updater what is printed and written depends on the seeds
/// alone, not on the number of workers, because a round is planned from the outcomes of earlier rounds, and
/// outcomes are taken in the order of the round; a world that kills its worker or exceeds the wall limit is a
/// finding; a finding's files are on disk when its line is printed, so that Ctrl-C loses nothing.
final class Exploration: @unchecked Sendable {
    private let worlds: any WorldSource
    private let deadline: Date?
    /// Number of kinds of findings after which the search ends, at the end of a round; nil: it continues.
    private let findingLimit: Int?
    private let folder: String
    private let isTimed: Bool
    private let coverage: CoverageCall
    private let arguments: Arguments

    // Changed between the rounds, by one task.
    private var kept: KeptWorlds
    private var findings = Findings()
    private var sum = ExplorationSum()
    /// By the index of their finding.
    private var shrunk: [Int: ShrunkScenario] = [:]
    /// How often the file of a finding failed when it was run again, by the index of the finding.
    private var frequencies: [Int: String] = [:]
    private var nextSeed: UInt64 = 0
    /// Why no scenario came of the first such world.
    private var firstNotDrawn: String?
    private var writeFault: ReportError?

    // Used by the tasks of a round and by the handler of signals.
    private let lock = NSLock()
    private var line: ProgressLine
    private var isStopped = false
    private var wasInterrupted = false
    private var done = 0
    private let began = Date()

    /// - Parameter folder: for what was found, below the report folder.
    init(_ arguments: Arguments, _ worlds: any WorldSource, folder: String) throws {
        self.worlds = worlds
        deadline = try RunCall.time(arguments, "--for").map {
            Date(timeIntervalSinceNow: TimeInterval($0.microseconds) / 1e6)
        }
        findingLimit = try RunCall.failLimit(arguments)
        self.folder = (arguments.text("--report-dir") ?? "Reports") + "/" + folder
        isTimed = !arguments.has("--no-timings")
        line = ProgressLine(isShown: arguments.showsProgress)
        coverage = try CoverageCall(arguments)
        self.arguments = arguments
        kept = KeptWorlds(seed: worlds.seeds.seed(0) ?? worlds.seeds.first)
    }

    func run() async throws -> ExitCode {
        StopSignals.onFirst { [self] in
            lock.withLock { (isStopped, wasInterrupted) = (true, true) }
            // Not here: the handler's thread must not wait for the workers.
            Thread.detachNewThread { self.worlds.stop() }
        }
        while !isOver {
            let planned = plan()
            if planned.isEmpty { break }
            let new = take(await replies(to: planned), planned)
            if !arguments.has("--no-shrink") { await each(new) { await self.shrink($0) } }
            if let findingLimit, findings.all.count >= findingLimit { break }
        }
        worlds.stop()
        return try await end()
    }

    // MARK: - Rounds

    private var isOver: Bool {
        lock.withLock { isStopped } || deadline.map { $0 < Date() } ?? false
    }

    private func plan() -> [KeptWorlds.Planned] {
        let left = worlds.seeds.count(after: UInt64(sum.counts[.worlds]))
        return kept.plan(min(worlds.round, left)) {
            nextSeed += 1
            return worlds.seeds.seed(nextSeed - 1).map { worlds.recipe($0) }
        }
    }

    /// The replies in the order of the round; none for a world that was not begun, because the search ends.
    private func replies(to planned: [KeptWorlds.Planned]) async -> [WorldReply] {
        var replies = [WorldReply](repeating: .stopped, count: planned.count)
        await withTaskGroup(of: [(Int, WorldReply)].self) { group in
            var next = 0
            func addSiblings() {
                guard next < planned.count, !isOver else { return }
                let first = next
                repeat { next += 1 } while next < planned.count && planned[next].isSibling(of: planned[first])
                group.addTask { [siblings = first..<next] in
                    var replies: [(Int, WorldReply)] = []
                    // One after the other, so that one worker has the copy of their beginning.
                    for index in siblings where !self.isOver {
                        replies.append((index, await self.reply(to: planned[index].recipe)))
                    }
                    return replies
                }
            }
            for _ in 0..<worlds.jobs { addSiblings() }
            for await ended in group {
                for (index, reply) in ended { replies[index] = reply }
                addSiblings()
            }
        }
        return replies
    }

    private func reply(to recipe: WorldRecipe) async -> WorldReply {
        let reply = await worlds.reply(to: recipe)
        drawProgress()
        return reply
    }

    private func drawProgress() {
        lock.withLock {
            done += 1
            let reached = worlds.subject == nil ? "  \(kept.reached.count) reached" : ""
            line.draw("  \(done) worlds  \(findings.all.count) findings" + reached)
        }
    }

    /// Calls `body` for each item, for several at the same time.
    private func each(_ items: [Int], _ body: @escaping @Sendable (Int) async -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            for item in items { group.addTask { await body(item) } }
        }
    }

    /// Takes in a round.
    /// - Returns: the indices of new findings that can be shrunk.
    private func take(_ replies: [WorldReply], _ planned: [KeptWorlds.Planned]) -> [Int] {
        var new: [Int] = []
        var outcomes: [(planned: KeptWorlds.Planned, outcome: WorldOutcome)] = []
        for (planned, reply) in zip(planned, replies) {
            switch reply {
            case .stopped: continue
            case .ended(let kind, let headline):
                sum.addWorld()
                let result = died(planned.recipe, kind, headline)
                if let index = found(result, planned.recipe) { new.append(index) }
            case .outcome(let outcome):
                sum.add(outcome)
                outcomes.append((planned, outcome))
                switch outcome.end {
                case .passed, .unfinished: break
                case .notDrawn(let why):
                    if firstNotDrawn == nil { firstNotDrawn = "\(worlds.name(of: outcome.recipe)): \(why)" }
                case .found(let result):
                    if let index = found(result, outcome.recipe) { new.append(index) }
                }
            }
        }
        kept.record(outcomes)
        return new
    }

    /// The result of a world whose worker ended.
    private func died(_ recipe: WorldRecipe, _ kind: Failure.Kind, _ headline: String) -> ScenarioResult {
        let name = recipe.basis.map { "\($0)/\(recipe.seed)" } ?? "world-\(recipe.seed)"
        var result = ScenarioResult(
            id: name, name: name, file: DrawnWorld.path(recipe.seed), title: "World \(recipe.seed)")
        result.verdict = .inconclusive
        result.source = worlds.text(of: recipe)
        result.failures = [Failure(kind: kind, headline: headline, at: .zero)]
        return result
    }

    // MARK: - Findings

    /// Writes and prints a finding of a new kind.
    /// - Returns: its index if it can be shrunk.
    private func found(_ result: ScenarioResult, _ recipe: WorldRecipe) -> Int? {
        sum.addFailure()
        guard let index = findings.add(result, recipe, ordinal: sum.counts[.worlds]) else { return nil }
        let path = path(of: index, "world")
        write(result.source ?? "", to: path)
        lock.withLock { line.erase() }
        let failure = result.failures.first
        let rule = failure?.rule.map { "\($0)  " } ?? ""
        Output.result(
            "\(index + 1)  \(worlds.name(of: recipe))  \(rule)\(failure?.headline ?? result.verdict.rawValue)\n"
        )
        for finding in failure?.findings ?? [] { Output.result("     \(finding)\n") }
        let flag = failure?.kind == .metamorphic ? " --metamorphic" : ""
        Output.result("     otalab run \(ShellWord.quoted(path))\(flag)\(worlds.flags)\n")
        // A single run shows neither that two differ nor that one does not end.
        return [.determinism, .wallLimit].contains(failure?.kind) ? nil : index
    }

    /// Makes the world of a finding smaller and writes the file.
    private func shrink(_ finding: Int) async {
        let result = findings.all[finding].result
        guard let scenario = scenario(result.source ?? "", path(of: finding, "world")) else { return }
        var options = ScenarioSuite.Options.ofSearch(worlds.profiles)
        let isOfChanges = result.failures.first?.kind == .metamorphic
        options.makeRun = { [worlds] in
            isOfChanges ? await worlds.resultWithChanges(of: $0) : await worlds.result(of: $0)
        }
        var shrinker = Shrinker(path: path(of: finding, "shrunk"), trial: Shrinker.trial(options))
        // Findings of one round are shrunk side by side.
        shrinker.jobs = 1
        shrinker.devices = worlds.profiles.names
        shrinker.maxRuns = worlds.runsOfShrinking
        if let first = findings.all[finding].worlds.first {
            shrinker.accepts = { [worlds] in
                worlds.accepts($0, asSmaller: first.recipe, of: result.failures.first)
            }
        }
        guard let small = await shrinker.shrink(scenario) else {
            if isOver { return }
            let often = worlds.repetitions > 0 ? "sometimes: " : ""
            lock.withLock { frequencies[finding] = "\(often)it did not fail when it was run again" }
            return
        }
        lock.withLock {
            shrunk[finding] = small
            write(small.text, to: path(of: finding, "shrunk"))
        }
        await repeatRuns(of: small, finding)
    }

    /// Says how often the file fails, where runs differ.
    private func repeatRuns(of small: ShrunkScenario, _ finding: Int) async {
        guard worlds.repetitions > 0, let scenario = scenario(small.text, path(of: finding, "shrunk")) else {
            return
        }
        let plan = RunPlan.plans(for: scenario, seed: SearchReport.seedOfFiles)[0]
        var failed = 0
        for _ in 0..<worlds.repetitions where !isOver {
            if await worlds.result(of: PlannedRun(plan)).verdict == .failed { failed += 1 }
        }
        let sometimes = failed < worlds.repetitions ? "sometimes: " : ""
        lock.withLock {
            frequencies[finding] = "\(sometimes)it fails in \(failed) of \(worlds.repetitions) runs"
        }
    }

    /// The scenario of a finding's file; nil: the reader refuses it.
    private func scenario(_ text: String, _ path: String) -> Scenario? {
        ScenarioReader.read(path: path, bytes: Array(text.utf8), devices: worlds.profiles.names)
            .scenarios.first
    }

    private func path(of finding: Int, _ name: String) -> String { "\(folder)/\(finding + 1)/\(name).json5" }

    /// A file that can't be written ends the search with what there is.
    private func write(_ text: String, to path: String) {
        guard writeFault == nil else { return }
        do throws(ReportError) {
            try ReportFolder.write(Array(text.utf8), to: path)
        } catch {
            writeFault = error
            isStopped = true
        }
    }

    // MARK: - The end

    private var summary: SearchSummary {
        var summary = SearchSummary(worlds.kind)
        if worlds.kind == .explore { summary.seeds = [worlds.seeds.range(drawn: nextSeed)] }
        summary.counts = sum.counts + worlds.counts
        summary.findings = findings.all.enumerated().map { index, finding in
            let failure = finding.result.failures.first
            let rule = failure?.rule.map { "[\($0)] " } ?? ""
            return SearchFinding(
                key: finding.signature.key,
                headline: rule + (failure?.headline ?? finding.result.verdict.rawValue),
                file: "\(index + 1)/\(shrunk[index] == nil ? "world" : "shrunk").json5",
                count: finding.worlds.count,
                earliest: finding.worlds.map { .init(ordinal: $0.ordinal, worlds.shortName(of: $0.recipe)) })
        }
        return summary
    }

    /// - Returns: the path of the page; nil without findings, or if it could not be written.
    private func report(_ summary: SearchSummary) async throws -> String? {
        if writeFault != nil { return nil }
        var report = SearchReport(
            summary, arguments, folder: folder, profiles: worlds.profiles, seed: worlds.seeds.first,
            isTimed: isTimed)
        report.results.shard = worlds.seeds.shard
        report.results.subject = worlds.subject
        report.makeRun = worlds.runOfReport
        report.results.isPartial = wasInterrupted
        report.results.cells = sum.cells.entries
        report.results.startedAt = Int64(began.timeIntervalSince1970)
        report.results.wall = WallTimes(microseconds: Int64(-began.timeIntervalSinceNow * 1e6))
        let failures = findings.all.map { finding in
            finding.result.failures.first
                ?? Failure(kind: .bound, headline: finding.result.verdict.rawValue, at: .zero)
        }
        do {
            return try await report.write(failures, jobs: worlds.jobs)
        } catch let fault as ReportError {
            writeFault = fault
            return nil
        }
    }

    private func end() async throws -> ExitCode {
        lock.withLock { line.erase() }
        let summary = summary
        for (index, finding) in summary.findings.enumerated() {
            Output.result("\(index + 1)  \(summary.note(on: finding))\n")
            if let small = shrunk[index] {
                Output.result("   \(small.summary(showsWall: isTimed)): \(path(of: index, "shrunk"))\n")
            }
            if let often = frequencies[index] { Output.result("   \(often)\n") }
        }
        let text = SearchText(
            summary, cells: sum.cells, seconds: isTimed ? -began.timeIntervalSinceNow : nil)
        Output.result(text.sum)
        if worlds.subject == nil {
            let pairs = kept.reached.count { !CoverageDiscovery.isCell($0) }
            Output.result(
                text.coverage(
                    ", \(pairs) pairs of causes that follow each other; \(kept.count) beginnings kept"))
        }
        if let page = try await report(summary) { Output.result("Report: \(page)\n") }
        if let firstNotDrawn { Output.error("warning: not drawn: \(firstNotDrawn)\n") }
        if let writeFault {
            Output.notWritten(writeFault)
            return .reportNotWritten
        }
        if wasInterrupted { return .interrupted }
        return ExitCode.first(of: coverage.end(sum.cells) + [findings.all.isEmpty ? .passed : .failed])
    }
}
