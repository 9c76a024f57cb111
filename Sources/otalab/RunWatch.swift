import Foundation
import Reporting
import Runner

/// Sees a run go on, from many threads: prints each result in its order as soon as those before it are
/// there, shows on a terminal how far the run is, and ends a run that hangs.
///
/// VerificationSummary: what it prints to the stream of results depends on the results alone; progress is
/// drawn on standard error, only where that is a terminal, and leaves nothing behind.
final class RunWatch: @unchecked Sendable {
    struct Look: Sendable {
        var human: Human
        var report: TerminalReport
        /// A line for each scenario.
        var listsScenarios: Bool
        var showsProgress: Bool
    }

    private let lock = NSLock()
    private let look: Look
    private let wallLimit: TimeInterval?
    private let failLimit: Int?
    private var frame: RunResults?
    /// Runs of the same selection for other seeds.
    private var earlier: [RunResults] = []
    /// Of this run.
    private var began = Date()
    private var total = 0
    private var ended: [Int: ScenarioResult] = [:]
    private var printed = 0
    private var running: [Int: (name: String, since: Date)] = [:]
    /// Names of those that were not good.
    private var failing: Set<String> = []
    private var line: ProgressLine
    /// Before the name, where one run is one of several.
    private var label = ""
    private var isOver = false
    /// Cancels the run.
    private var stop: (@Sendable () -> Void)?

    init(_ look: Look, wallLimit: TimeInterval?, failLimit: Int?) {
        self.look = look
        line = ProgressLine(isShown: look.showsProgress)
        self.wallLimit = wallLimit
        self.failLimit = failLimit
    }

    func onStop(_ stop: @escaping @Sendable () -> Void) { lock.withLock { self.stop = stop } }

    /// A further run of the same selection begins.
    func next(_ label: String, after runs: [RunResults]) {
        lock.withLock {
            // Runs that are made after the end are of workers that are gone.
            guard !isOver else { return }
            self.label = label
            earlier = runs
            ended = [:]
            running = [:]
        }
    }

    func take(_ progress: Laboratory.Progress) {
        lock.withLock {
            guard !isOver else { return }
            switch progress {
            case .selected(let count, let frame):
                total = count
                let isFirst = self.frame == nil
                self.frame = frame
                began = Date()
                if isFirst, look.listsScenarios, count > 0 { say(look.report.opening(frame)) }
            case .began(let number, let name):
                running[number] = (name, Date())
            case .ended(let number, let result):
                running[number] = nil
                ended[number] = result
                took(number, result)
            }
            draw()
        }
    }

    private func took(_ number: Int, _ result: ScenarioResult) {
        if look.listsScenarios {
            while let next = ended[printed] {
                say(look.report.line(next) + "\n")
                printed += 1
            }
        }
        guard !result.verdict.isGood else { return }
        let isFirst = failing.insert(result.name).inserted
        // The line of a scenario that others hold up, or that has no line, is shown at once.
        if look.showsProgress, isFirst, !look.listsScenarios || number >= printed {
            line.erase()
            Output.error(look.report.line(result) + "\(label)\n")
        }
        if let failLimit, failing.count >= failLimit { stop?() }
    }

    // MARK: - Progress

    private func say(_ text: String) {
        line.erase()
        look.human.tell(text)
    }

    private func draw() {
        if !isOver { line.draw(standing) }
    }

    private var standing: String {
        let name = running.min { $0.value.since < $1.value.since }?.value.name ?? ""
        let failed = failing.isEmpty ? "" : "  \(failing.count) not good"
        return "  \(ended.count)/\(total)\(label)\(failed)  \(name)"
    }

    /// Nothing is printed any more.
    func end() {
        lock.withLock {
            line.erase()
            isOver = true
        }
    }

    // MARK: - Runs that don't end by themselves

    /// The number of a scenario that has run longer than `--wall-limit`.
    func overdue() -> Int? {
        guard let wallLimit else { return nil }
        return lock.withLock {
            running.first { -$0.value.since.timeIntervalSinceNow > wallLimit }?.key
        }
    }

    /// What there is by now, one run for each seed that was begun; what is missing is named.
    ///
    /// - Parameter hung: the scenario that ended the run, and the limit that it was over.
    func partial(_ reason: NotRun.Reason, hung: (number: Int, limit: String)? = nil) -> [RunResults] {
        lock.withLock {
            guard var results = frame else { return earlier }
            let planned = results.notRun
            if let hung, planned.indices.contains(hung.number) {
                ended[hung.number] = ScenarioResult(
                    planned[hung.number], over: hung.limit, seed: results.seed)
            }
            results.scenarios = ended.sorted { $0.key < $1.key }.map(\.value)
            results.notRun = planned.indices.filter { ended[$0] == nil }.map { planned[$0] }
            results.endedEarly(reason)
            results.coverage = RuleCoverage.table(of: results.scenarios)
            results.isPartial = true
            results.wall = WallTimes(microseconds: Int64(-began.timeIntervalSinceNow * 1_000_000))
            return earlier + [results]
        }
    }
}
