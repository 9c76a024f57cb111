import Foundation
import Reporting
import Runner

/// Follows a run, from many threads: prints each result as soon as all before it are printed, draws the
/// progress on a terminal, and finds a scenario that hangs.
///
/// Guarantees: what it prints to the stream of results depends on the results alone; progress is drawn on
/// standard error, only if that is a terminal, and leaves nothing behind.
final class RunWatch: @unchecked Sendable {
    struct Style: Sendable {
        var output: TextOutput
        var report: TerminalReport
        /// Whether a line is printed for each scenario.
        var listsScenarios: Bool
        var showsProgress: Bool
    }

    private let lock = NSLock()
    private let style: Style
    private let wallLimit: TimeInterval?
    private let failLimit: Int?
    private var frame: RunResults?
    /// Finished runs of the same selection for other seeds.
    private var earlier = FoldedRuns()
    /// The start of the current run.
    private var began = Date()
    private var total = 0
    private var ended: [Int: ScenarioSuite.KeptResult] = [:]
    /// Results that wait for the line of an earlier one.
    private var unprinted: [Int: ScenarioResult] = [:]
    private var printed = 0
    private var running: [Int: (name: String, since: Date)] = [:]
    /// Names of the scenarios without a good verdict.
    private var failing: Set<String> = []
    private var line: ProgressLine
    /// Text before the name if this is one of several runs.
    private var label = ""
    private var isOver = false
    /// Cancels the run.
    private var stop: (@Sendable () -> Void)?

    init(_ style: Style, wallLimit: TimeInterval?, failLimit: Int?) {
        self.style = style
        line = ProgressLine(isShown: style.showsProgress)
        self.wallLimit = wallLimit
        self.failLimit = failLimit
    }

    func onStop(_ stop: @escaping @Sendable () -> Void) { lock.withLock { self.stop = stop } }

    /// Starts the next run of the same selection.
    func next(_ label: String, after runs: FoldedRuns) {
        lock.withLock {
            // After the end the workers are gone, and so are their results.
            guard !isOver else { return }
            self.label = label
            earlier = runs
            ended = [:]
            unprinted = [:]
            running = [:]
        }
    }

    func take(_ progress: ScenarioSuite.Progress) {
        lock.withLock {
            guard !isOver else { return }
            switch progress {
            case .selected(let count, let frame):
                total = count
                let isFirst = self.frame == nil
                self.frame = frame
                began = Date()
                if isFirst, style.listsScenarios, count > 0 { print(style.report.opening(frame)) }
            case .began(let index, let name):
                running[index] = (name, Date())
            case .ended(let index, let result, let kept):
                running[index] = nil
                ended[index] = kept
                record(index, result)
            }
            draw()
        }
    }

    private func record(_ index: Int, _ result: ScenarioResult) {
        if style.listsScenarios {
            unprinted[index] = result
            while let next = unprinted.removeValue(forKey: printed) {
                print(style.report.line(next) + "\n")
                printed += 1
            }
        }
        guard !result.verdict.isGood else { return }
        let isFirst = failing.insert(result.name).inserted
        // A failure whose line has to wait for earlier ones, or that has no line, is shown at once.
        if style.showsProgress, isFirst, !style.listsScenarios || index >= printed {
            line.erase()
            Output.error(style.report.line(result) + "\(label)\n")
        }
        if let failLimit, failing.count >= failLimit { stop?() }
    }

    // MARK: - Progress

    private func print(_ text: String) {
        line.erase()
        style.output.write(text)
    }

    private func draw() {
        if !isOver { line.draw(progressText) }
    }

    private var progressText: String {
        let name = running.min { $0.value.since < $1.value.since }?.value.name ?? ""
        let failed = failing.isEmpty ? "" : "  \(failing.count) not good"
        return "  \(ended.count)/\(total)\(label)\(failed)  \(name)"
    }

    /// Ends the watch; nothing is printed after it.
    func end() {
        lock.withLock {
            line.erase()
            isOver = true
        }
    }

    // MARK: - Runs that hang

    /// The index of a scenario that has run longer than `--wall-limit`.
    func overdue() -> Int? {
        guard let wallLimit else { return nil }
        return lock.withLock {
            running.first { -$0.value.since.timeIntervalSinceNow > wallLimit }?.key
        }
    }

    /// The results so far, one run for each seed that was begun; they name what was not run.
    ///
    /// - Parameter hung: the index of the scenario that ended the run, and the limit that it exceeded.
    func partial(_ reason: NotRun.Reason, hung: (index: Int, limit: String)? = nil) -> FoldedRuns {
        lock.withLock {
            guard var results = frame else { return earlier }
            let planned = results.notRun
            if let hung, planned.indices.contains(hung.index) {
                ended[hung.index] = ScenarioSuite.KeptResult(
                    ScenarioResult(planned[hung.index], over: hung.limit, seed: results.seed))
            }
            results.scenarios = ended.sorted { $0.key < $1.key }.map(\.value.result)
            results.notRun = planned.indices.filter { ended[$0] == nil }.map { planned[$0] }
            results.endedEarly(reason)
            results.coverage = RuleCoverage.table(of: results.scenarios)
            results.isPartial = true
            results.wall = WallTimes(microseconds: Int64(-began.timeIntervalSinceNow * 1_000_000))
            var runs = earlier
            runs.add(results)
            return runs
        }
    }
}
