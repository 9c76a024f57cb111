import Core
import Foundation
import Reporting
import Runner
import ScenarioLanguage
import Search

/// One call of `otalab explore`: worlds by their seeds, run in workers, and what was found in them.
///
/// Promises: what is printed and written depends on the seeds alone, not on the number of workers, because
/// outcomes are taken in the order of the seeds; a world that kills its worker or exceeds the wall limit is a
/// finding; a finding's files are on disk when its line is printed, so that Ctrl-C loses nothing.
final class Exploration: @unchecked Sendable {
    private let seeds: Seeds
    private let deadline: Date?
    private let jobs: Int
    private let folder: String
    private let isTimed: Bool
    private let wallLimit: (seconds: TimeInterval, text: String)
    private let profiles: ProfileSet

    private let lock = NSLock()
    private var line: ProgressLine
    private var findings = Findings()
    private var sum = Sum()
    /// Outcomes that wait for those of earlier seeds.
    private var early: [UInt64: Reply] = [:]
    /// Indices of findings that are to be shrunk.
    private var unshrunk: [Int] = []
    /// By the index of their finding.
    private var shrunk: [Int: ShrunkScenario] = [:]
    /// Index of the next outcome to take, and number of worlds that workers have begun.
    private var next: UInt64 = 0
    private var begun: UInt64 = 0
    private var isStopped = false
    private var wasInterrupted = false
    /// Why no scenario came of the first such seed.
    private var firstNotDrawn: String?
    private var writeFault: ReportError?
    private let began = Date()

    /// Numbers of worlds by their ends.
    private struct Sum {
        var worlds = 0
        var events = 0
        var found = 0
        var unfinished = 0
        var notDrawn = 0
        var leftOut = 0
    }

    private enum Reply: Sendable {
        case outcome(WorldOutcome)
        /// The worker ended: how, and what to do about it.
        case ended(Failure.Kind, String)
        case stopped
    }

    /// The seeds of a shard, in order.
    struct Seeds: Sendable {
        var first: UInt64
        /// nil: until the search is stopped.
        var count: UInt64?
        var shard: Shard?

        func seed(_ index: UInt64) -> UInt64? {
            let step = UInt64(shard?.count ?? 1)
            let (offset, isOver) = index.multipliedReportingOverflow(by: step)
            let number = offset &+ UInt64((shard?.ordinal ?? 1) - 1)
            if isOver || count.map({ number >= $0 }) ?? false || number > UInt64.max - first { return nil }
            return first + number
        }
    }

    init(_ arguments: Arguments) throws {
        seeds = Seeds(
            first: try arguments.number("--seed", in: 0...UInt64.max) ?? 1,
            count: try arguments.number("--runs", in: 1...1_000_000_000),
            shard: try arguments.text("--shard").map {
                try Shard(option: $0, environment: Output.variable)
            })
        deadline = try RunCall.time(arguments, "--for").map {
            Date(timeIntervalSinceNow: TimeInterval($0.microseconds) / 1e6)
        }
        let limit = try RunCall.time(arguments, "--wall-limit") ?? TimeSpan(microseconds: 60_000_000)
        wallLimit = (TimeInterval(limit.microseconds) / 1e6, arguments.text("--wall-limit") ?? "60s")
        jobs =
            try arguments.number("--jobs", in: 1...256).map { Int($0) }
            ?? ProcessInfo.processInfo.activeProcessorCount
        folder = (arguments.text("--report-dir") ?? "Reports") + "/explore/\(seeds.first)"
        isTimed = !arguments.has("--no-timings")
        line = ProgressLine(isShown: arguments.showsProgress)
        profiles = ProfileSet(folders: ProfileFolder.find([], []))
    }

    /// For single runs: what is known of a failure without a second run is enough.
    private var options: ScenarioSuite.Options {
        var options = ScenarioSuite.Options()
        options.profiles = profiles
        options.explains = false
        options.moments = .none
        return options
    }

    func run() async throws -> ExitCode {
        signal(SIGINT, SIG_IGN)
        let pool = try WorkerPool(options, limit: jobs, wallLimit: wallLimit)
        StopSignals.onFirst { [self] in
            lock.withLock { (isStopped, wasInterrupted) = (true, true) }
            // Not here: the handler's thread must not wait for the pool.
            Thread.detachNewThread { pool.stop() }
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<jobs { group.addTask { await self.serve(pool) } }
        }
        pool.stop()
        return end()
    }

    // MARK: - Worlds

    /// Runs worlds one after the other until there are no more.
    private func serve(_ pool: WorkerPool) async {
        while let (index, seed) = take() {
            let reply = Exploration.reply(await pool.reply(to: WorkerMessage.world(seed)), wallLimit.text)
            lock.withLock { record(reply, index) }
            while let finding = lock.withLock({ unshrunk.popLast() }) { await shrink(finding, pool) }
        }
    }

    /// Makes the world of a finding smaller and writes the file.
    private func shrink(_ finding: Int, _ pool: WorkerPool) async {
        let result = lock.withLock { findings.all[finding].result }
        let reading = ScenarioReader.read(
            path: path(of: finding, "world"), bytes: Array((result.source ?? "").utf8),
            devices: profiles.names)
        guard let scenario = reading.scenarios.first else { return }
        var options = options
        options.makeRun = { await pool.result(of: $0) }
        var shrinker = Shrinker(path: path(of: finding, "shrunk"), trial: Shrinker.trial(options))
        // The other workers go on with other worlds.
        shrinker.jobs = 1
        shrinker.devices = profiles.names
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

    private func take() -> (index: UInt64, seed: UInt64)? {
        lock.withLock {
            if isStopped || deadline.map({ $0 < Date() }) ?? false { return nil }
            guard let seed = seeds.seed(begun) else { return nil }
            begun += 1
            return (begun - 1, seed)
        }
    }

    private static func reply(_ outcome: WorkerPool.Outcome, _ limit: String) -> Reply {
        switch outcome {
        case .result(let frame):
            do throws(ResultsFault) {
                return .outcome(try WorkerMessage.outcome(frame))
            } catch {
                return .ended(
                    .workerDied, "The worker process sent an outcome that can't be read: \(error.why)")
            }
        case .died(let end): return .ended(.workerDied, "The worker process died: \(end.text)")
        case .noFrame: return .ended(.workerDied, "The worker process sent something that is not an outcome")
        case .notStarted(let why): return .ended(.workerDied, "No worker process could be started: \(why)")
        case .overdue: return .ended(.wallLimit, ScenarioResult.tookTooLong(limit))
        case .stopped: return .stopped
        }
    }

    private func record(_ reply: Reply, _ index: UInt64) {
        early[index] = reply
        while let reply = early.removeValue(forKey: next) {
            if let seed = seeds.seed(next) { count(reply, seed) }
            next += 1
        }
        line.draw("  \(sum.worlds) worlds  \(findings.all.count) findings")
    }

    private func count(_ reply: Reply, _ seed: UInt64) {
        switch reply {
        case .stopped: return
        case .ended(let kind, let headline):
            sum.worlds += 1
            var result = ScenarioResult(
                id: "world-\(seed)", name: "world-\(seed)", file: DrawnWorld.path(seed),
                title: "World \(seed)")
            result.verdict = .inconclusive
            result.source = DrawnWorld(seed: seed, profiles: profiles.names)?.text
            result.failures = [Failure(kind: kind, headline: headline, at: .zero)]
            found(result, seed)
        case .outcome(let outcome):
            sum.worlds += 1
            sum.events += outcome.events
            sum.leftOut += outcome.leftOut
            switch outcome.end {
            case .passed: break
            case .unfinished: sum.unfinished += 1
            case .notDrawn(let why):
                sum.notDrawn += 1
                if firstNotDrawn == nil { firstNotDrawn = "world \(seed): \(why)" }
            case .found(let result): found(result, seed)
            }
        }
    }

    // MARK: - Findings

    private func found(_ result: ScenarioResult, _ seed: UInt64) {
        sum.found += 1
        guard let index = findings.add(result, seed: seed) else { return }
        let number = index + 1
        let path = path(of: index, "world")
        write(result.source ?? "", to: path)
        // A single run shows neither that two differ nor that one does not end.
        let kind = result.failures.first?.kind
        if ![.determinism, .metamorphic, .wallLimit].contains(kind) { unshrunk.append(index) }
        line.erase()
        let failure = result.failures.first
        let rule = failure?.rule.map { "\($0)  " } ?? ""
        Output.result("\(number)  world \(seed)  \(rule)\(failure?.headline ?? result.verdict.rawValue)\n")
        for finding in failure?.findings ?? [] { Output.result("     \(finding)\n") }
        let flag = kind == .metamorphic ? " --metamorphic" : ""
        Output.result("     otalab run \(ShellWord.quoted(path))\(flag)\n")
    }

    private func end() -> ExitCode {
        lock.withLock {
            line.erase()
            for (index, finding) in findings.all.enumerated() {
                let seeds = finding.seeds.prefix(8).map { "\($0)" }.joined(separator: " ")
                Output.result("\(index + 1)  in \(Quoting.count(finding.seeds.count, "world")): \(seeds)\n")
                guard let small = shrunk[index] else { continue }
                Output.result("   \(small.summary(showsWall: isTimed)): \(path(of: index, "shrunk"))\n")
            }
            let span = -began.timeIntervalSinceNow
            let speed =
                isTimed ? String(format: ", %.0f worlds/s", Double(sum.worlds) / max(span, 0.001)) : ""
            Output.result(
                "\(sum.worlds) worlds, \(sum.events) events, \(sum.found) with a failure of "
                    + "\(findings.all.count) kinds, \(sum.unfinished) at the limit of events, "
                    + "\(sum.notDrawn) not drawn, \(sum.leftOut) steps left out\(speed)\n")
            if let firstNotDrawn { Output.error("warning: not drawn: \(firstNotDrawn)\n") }
            if let writeFault {
                Output.error("error: \(writeFault.path) could not be written: \(writeFault.why)\n")
                return .reportNotWritten
            }
            if wasInterrupted { return .interrupted }
            return findings.all.isEmpty ? .passed : .failed
        }
    }
}
