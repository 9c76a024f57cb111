import Foundation
import Reporting
import Runner

/// Sees a run go on, from many threads: prints each result in its order as soon as those before it are
/// there, shows on a terminal how far the run is, and ends a run that hangs.
///
/// Promises: what it prints to the stream of results depends on the results alone; progress is drawn on
/// standard error, only where that is a terminal, and leaves nothing behind.
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
    func next(_ label: String) {
        lock.withLock {
            self.label = label
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
                if self.frame == nil {
                    self.frame = frame
                    if look.listsScenarios, count > 0 { say(look.report.opening(frame)) }
                }
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

    /// The name of a scenario that has run longer than `--wall-limit`.
    func overdue() -> String? {
        guard let wallLimit else { return nil }
        return lock.withLock {
            running.values.first { -$0.since.timeIntervalSinceNow > wallLimit }?.name
        }
    }

    /// What there is by now.
    func partial() -> RunResults? {
        lock.withLock {
            guard var results = frame else { return nil }
            results.scenarios = ended.sorted { $0.key < $1.key }.map(\.value)
            results.coverage = RuleCoverage.table(of: results.scenarios)
            results.isPartial = true
            return results
        }
    }
}
