import Core
import Foundation
import Reporting
import Runner
import ScenarioLanguage
import Search

/// One call of `otalab explore`: worlds in rounds, run in workers, and what was found in them.
///
/// Promises: with `--runs` what is printed and written depends on the seeds alone, not on the number of
/// workers, because a round is planned from the outcomes of earlier rounds, and outcomes are taken in the
/// order of the round; a world that kills its worker or exceeds the wall limit is a finding; a finding's
/// files are on disk when its line is printed, so that Ctrl-C loses nothing.
final class Exploration: @unchecked Sendable {
    private let seeds: ExplorationSeeds
    private let deadline: Date?
    /// Number of kinds of findings after which the search ends, at the end of a round; nil: it continues.
    private let findingLimit: Int?
    private let jobs: Int
    private let folder: String
    private let isTimed: Bool
    private let wallLimit: (seconds: TimeInterval, text: String)
    private let profiles: ProfileSet
    private let properties: PropertySet
    private let coverage: CoverageCall
    private let arguments: Arguments

    // Changed between the rounds, by one task.
    private var kept: KeptWorlds
    private var findings = Findings()
    private var sum = ExplorationSum()
    /// By the index of their finding.
    private var shrunk: [Int: ShrunkScenario] = [:]
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

    /// Worlds in a round: many, so that workers seldom wait for its last one, and few, so that what one finds
    /// is soon built upon.
    private static let round = 64

    init(_ arguments: Arguments) throws {
        seeds = ExplorationSeeds(
            first: try arguments.number("--seed", in: 0...UInt64.max) ?? 1,
            count: try arguments.number("--runs", in: 1...1_000_000_000),
            shard: try arguments.text("--shard").map {
                try Shard(option: $0, environment: Output.variable)
            })
        deadline = try RunCall.time(arguments, "--for").map {
            Date(timeIntervalSinceNow: TimeInterval($0.microseconds) / 1e6)
        }
        findingLimit = try RunCall.failLimit(arguments)
        wallLimit = try RunCall.wallLimit(arguments) ?? RunCall.wallLimitOfWorlds
        jobs =
            try arguments.number("--jobs", in: 1...256).map { Int($0) }
            ?? ProcessInfo.processInfo.activeProcessorCount
        folder = (arguments.text("--report-dir") ?? "Reports") + "/explore/\(seeds.first)"
        isTimed = !arguments.has("--no-timings")
        line = ProgressLine(isShown: arguments.showsProgress)
        let call = try PropertyCall(arguments)
        (profiles, properties) = (call.profiles, call.properties)
        coverage = try CoverageCall(arguments)
        self.arguments = arguments
        kept = KeptWorlds(seed: seeds.seed(0) ?? seeds.first)
    }

    private var options: ScenarioSuite.Options { .ofSearch(profiles) }

    func run() async throws -> ExitCode {
        signal(SIGINT, SIG_IGN)
        let pool = try WorkerPool(options, limit: jobs, wallLimit: wallLimit)
        StopSignals.onFirst { [self] in
            lock.withLock { (isStopped, wasInterrupted) = (true, true) }
            // Not here: the handler's thread must not wait for the pool.
            Thread.detachNewThread { pool.stop() }
        }
        while !isOver {
            let planned = plan()
            if planned.isEmpty { break }
            let new = take(await replies(to: planned, pool), planned)
            await each(new) { await self.shrink($0, pool) }
            if let findingLimit, findings.all.count >= findingLimit { break }
        }
        pool.stop()
        return try await end()
    }

    // MARK: - Rounds

    private var isOver: Bool {
        lock.withLock { isStopped } || deadline.map { $0 < Date() } ?? false
    }

    private func plan() -> [KeptWorlds.Planned] {
        let left = seeds.count(after: UInt64(sum.counts[.worlds]))
        return kept.plan(min(Exploration.round, left)) {
            nextSeed += 1
            return seeds.seed(nextSeed - 1).map { properties.recipe($0) }
        }
    }

    /// The replies in the order of the round; none for a world that was not begun, because the search ends.
    private func replies(to planned: [KeptWorlds.Planned], _ pool: WorkerPool) async -> [WorldReply] {
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
                        replies.append((index, await self.reply(to: planned[index].recipe, pool)))
                    }
                    return replies
                }
            }
            for _ in 0..<jobs { addSiblings() }
            for await ended in group {
                for (index, reply) in ended { replies[index] = reply }
                addSiblings()
            }
        }
        return replies
    }

    private func reply(to recipe: WorldRecipe, _ pool: WorkerPool) async -> WorldReply {
        let reply = await pool.reply(to: WorkerMessage.world(recipe, properties.property(of: recipe)))
        drawProgress()
        return WorldReply(reply, wallLimit.text)
    }

    private func drawProgress() {
        lock.withLock {
            done += 1
            line.draw("  \(done) worlds  \(findings.all.count) findings  \(kept.reached.count) reached")
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
                    if firstNotDrawn == nil { firstNotDrawn = "world \(outcome.recipe.text): \(why)" }
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
        let name = recipe.property.map { "\($0)/\(recipe.seed)" } ?? "world-\(recipe.seed)"
        var result = ScenarioResult(
            id: name, name: name, file: DrawnWorld.path(recipe.seed), title: "World \(recipe.seed)")
        result.verdict = .inconclusive
        let property = properties.property(of: recipe)
        result.source = DrawnWorld(recipe, of: property, profiles: profiles.names)?.text
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
            "\(index + 1)  world \(recipe.text)  \(rule)\(failure?.headline ?? result.verdict.rawValue)\n")
        for finding in failure?.findings ?? [] { Output.result("     \(finding)\n") }
        let flag = failure?.kind == .metamorphic ? " --metamorphic" : ""
        Output.result("     otalab run \(ShellWord.quoted(path))\(flag)\n")
        // A single run shows neither that two differ nor that one does not end.
        return [.determinism, .metamorphic, .wallLimit].contains(failure?.kind) ? nil : index
    }

    /// Makes the world of a finding smaller and writes the file.
    private func shrink(_ finding: Int, _ pool: WorkerPool) async {
        let result = findings.all[finding].result
        let reading = ScenarioReader.read(
            path: path(of: finding, "world"), bytes: Array((result.source ?? "").utf8),
            devices: profiles.names)
        guard let scenario = reading.scenarios.first else { return }
        var options = options
        options.makeRun = { await pool.result(of: $0) }
        var shrinker = Shrinker(path: path(of: finding, "shrunk"), trial: Shrinker.trial(options))
        // Findings of one round are shrunk side by side.
        shrinker.jobs = 1
        shrinker.devices = profiles.names
        // Without a step of the property, its expectations would fail for another reason.
        if let first = findings.all[finding].worlds.first,
            let property = properties.property(of: first.recipe)
        {
            shrinker.accepts = { property.isFilled(by: $0) }
        }
        guard let small = await shrinker.shrink(scenario) else { return }
        lock.withLock {
            shrunk[finding] = small
            write(small.text, to: path(of: finding, "shrunk"))
        }
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
        var summary = SearchSummary(.explore)
        summary.seeds = [seeds.range(drawn: nextSeed)]
        summary.counts = sum.counts
        summary.findings = findings.all.enumerated().map { index, finding in
            let failure = finding.result.failures.first
            let rule = failure?.rule.map { "[\($0)] " } ?? ""
            return SearchFinding(
                key: finding.signature.key,
                headline: rule + (failure?.headline ?? finding.result.verdict.rawValue),
                file: "\(index + 1)/\(shrunk[index] == nil ? "world" : "shrunk").json5",
                count: finding.worlds.count,
                earliest: finding.worlds.map { .init(ordinal: $0.ordinal, $0.recipe.text) })
        }
        return summary
    }

    /// - Returns: the path of the page; nil without findings, or if it could not be written.
    private func report(_ summary: SearchSummary) async throws -> String? {
        if writeFault != nil { return nil }
        var report = SearchReport(
            summary, arguments, folder: folder, profiles: profiles, seed: seeds.first, isTimed: isTimed)
        report.results.shard = seeds.shard
        report.results.isPartial = wasInterrupted
        report.results.cells = sum.cells.entries
        report.results.startedAt = Int64(began.timeIntervalSince1970)
        report.results.wall = WallTimes(microseconds: Int64(-began.timeIntervalSinceNow * 1e6))
        let failures = findings.all.map { finding in
            finding.result.failures.first
                ?? Failure(kind: .bound, headline: finding.result.verdict.rawValue, at: .zero)
        }
        do {
            return try await report.write(failures, jobs: jobs)
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
            guard let small = shrunk[index] else { continue }
            Output.result("   \(small.summary(showsWall: isTimed)): \(path(of: index, "shrunk"))\n")
        }
        let text = SearchText(
            summary, cells: sum.cells, seconds: isTimed ? -began.timeIntervalSinceNow : nil)
        Output.result(text.sum)
        let pairs = kept.reached.count { !CoverageDiscovery.isCell($0) }
        Output.result(
            text.coverage(", \(pairs) pairs of causes that follow each other; \(kept.count) beginnings kept"))
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
