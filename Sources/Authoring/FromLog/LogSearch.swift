import Core
import ScenarioLanguage
import Updater
import World

/// Searches for steps after which a simulated device has the same log as the report. For each entry, the
/// ``LogCandidates`` are tried in a copy of the world, depth first.
///
/// Guarantees: bounded work; every matched entry was observed in the log of the simulated device. An entry
/// that no candidate causes is removed and listed in ``unmatched``, and the search continues with the others.
struct LogSearch {
    /// The parts of a log entry that are compared.
    struct EntryKey: Hashable, Sendable {
        var cause: LogCause
        var version: String?
        /// Moment of a switch, because each needs another action: a reload, a call, a push, a launch.
        var moment: String?
    }

    /// A step of the scenario that is tried.
    struct CandidateStep: Sendable {
        var action: Action
        /// What the report does not say about the step; nil when it says everything.
        var guess: String?
        /// Line of the report whose entry the step was tried for.
        var entryLine = 0
    }

    /// A world with the steps that led to it.
    struct State: Sendable {
        var world: World
        var steps: [CandidateStep] = []
        /// Number of leading ``targets`` that the device's log matches.
        var matched = 0
        /// Highest value of ``matched`` so far, including entries that were lost with their process.
        var maxMatched = 0
        var launchedAt = Instant.zero
        var deployedVersions: [String] = []
        /// Installed native build.
        var build: String
        /// Whether answers arrive too late to appear in the log.
        var hasSlowAnswers = false
        /// Log of the simulated device at the last moment at which a process could report it.
        var log: [EntryKey] = []
    }

    let reconstruction: LogReconstruction
    /// Most copies of the world that are tried, for all entries together.
    var budget = 4_000
    /// Whether entries count as matched that were logged and then lost with their process.
    var allowsLostEntries = false
    /// Entries of the report to reproduce.
    private(set) var targets: [ReportReading.Entry]
    /// Entries that no candidate causes.
    private(set) var unmatched: [ReportReading.Entry] = []
    private var attempts = 0

    init(_ reconstruction: LogReconstruction, _ entries: [ReportReading.Entry]) {
        self.reconstruction = reconstruction
        targets = entries
    }

    /// - Parameter world: initial world of the scenario.
    mutating func search(_ world: World) -> State {
        var best = State(world: world, build: reconstruction.builds.first?.number ?? "")
        if targets.first?.cause != .launched {
            // The log begins in the middle of a process, so a launch without an entry comes first.
            let launch = CandidateStep(action: .launch(front: true), guess: "the log begins later")
            best = advanced(applied([launch], best), for: 0)
            best.matched = 0
        }
        while best.matched < targets.count {
            attempts = 0
            let found = deepest(from: best, depth: 0)
            if found.matched > best.matched { best = found }
            if best.matched >= targets.count { break }
            unmatched.append(targets.remove(at: best.matched))
        }
        return best
    }

    /// The state with the most matched entries, by a depth-first search.
    private mutating func deepest(from state: State, depth: Int) -> State {
        var best = state
        guard state.matched < targets.count, depth < 200 else { return best }
        for candidate in LogCandidates(self, state).all {
            if attempts > budget / max(1, targets.count) + 200 { return best }
            attempts += 1
            let next = advanced(applied(candidate, state), for: targets[state.matched].line)
            guard next.matched > state.matched, !hasUnexpectedEntries(next) else { continue }
            let end = deepest(from: next, depth: depth + 1)
            if end.matched > best.matched { best = end }
            if best.matched == targets.count { return best }
        }
        return best
    }

    /// Whether the device logged more entries than the report has, and they can't be lost with the process.
    private func hasUnexpectedEntries(_ state: State) -> Bool {
        if state.log.count <= state.matched
            || allowsLostEntries && state.log.last?.cause == targets[state.matched - 1].cause
        {
            return false
        }
        return state.matched >= targets.count || targets[state.matched].cause != .launched
    }

    // MARK: - Trying candidates

    /// The state after a candidate's steps.
    private func applied(_ steps: [CandidateStep], _ state: State) -> State {
        var state = state
        let line = targetLine(state)
        for var candidate in steps {
            candidate.entryLine = line
            state.steps.append(candidate)
            LogSearch.perform(candidate.action, step: state.steps.count, in: &state.world)
            switch candidate.action {
            case .launch: state.launchedAt = state.world.now
            case .deploy(let deploy): state.deployedVersions.append(deploy.version?.value ?? "")
            case .storeUpdate(let build): state.build = build.value
            case .fault(let fault) where fault.kind == .slowAnswers: state.hasSlowAnswers = true
            case .heal: state.hasSlowAnswers = false
            default: break
            }
        }
        return state
    }

    private func targetLine(_ state: State) -> Int {
        state.matched < targets.count ? targets[state.matched].line : 0
    }

    static func perform(_ action: Action, step: Int = 0, in world: inout World) {
        switch action {
        case .wait(let span): _ = world.run(until: world.now + span.value)
        // Equal faults get the same name and therefore replace each other.
        case .fault:
            world.perform(NamedAction(action, as: ScenarioPrinter.value(of: action).line), step: step)
        default: world.perform(NamedAction(action), step: step)
        }
    }

    /// The state after a wait until the next entry is logged, or until its time has passed.
    /// - Parameter line: line of the entry in the report.
    private func advanced(_ state: State, for line: Int) -> State {
        var state = state
        matchLog(&state)
        guard state.matched < targets.count else { return state }
        let entry = targets[state.matched]
        let start = state.world.now
        var limit = start + .seconds(65)
        if let after = entry.after { limit = max(start, state.launchedAt + after) + .seconds(5) }
        let matched = state.matched
        let log = state.log
        while let next = state.world.nextEventTime, next <= limit {
            guard case .happened = state.world.step() else { break }
            if state.world.errorReport() == nil { continue }
            matchLog(&state)
            if state.matched != matched || state.log != log { break }
        }
        let passed = state.world.now - start
        // Whole milliseconds, because people read the scenario.
        let span = TimeSpan.milliseconds((passed.microseconds + 999) / 1_000)
        if span > .zero || state.log != log {
            let span = max(span, .milliseconds(1))
            _ = state.world.run(until: start + span)
            state.steps.append(CandidateStep(action: .wait(Spanned(span)), entryLine: line))
            matchLog(&state)
        }
        return state
    }

    /// Updates the state from the log of the simulated device.
    private func matchLog(_ state: inout State) {
        guard let report = state.world.errorReport() else { return }
        state.log = LogSearch.keys(of: report)
        let offset = targets.first?.cause == .launched ? 0 : 1
        let keys = state.log.dropFirst(offset)
        let matched = matchedCount(keys, maxMatched: state.maxMatched)
        if offset == 1, matched < state.matched { return }
        state.matched = matched
        state.maxMatched = max(state.maxMatched, matched)
        if offset == 1 { state.log = Array(keys) }
    }

    /// Number of leading targets that the device's log has in the same order.
    private func matchedCount(_ keys: ArraySlice<EntryKey>, maxMatched: Int) -> Int {
        var matched = 0
        for key in keys {
            guard matched < targets.count else { break }
            if LogSearch.matches(key, targets[matched]) {
                matched += 1
                continue
            }
            // Entries can be lost with the process, because the last ones are stored with its next write.
            let next = targets[matched...].firstIndex { $0.cause == .launched }
            guard allowsLostEntries, key.cause == .launched, let next, next <= maxMatched else { break }
            matched = next + 1
        }
        return matched
    }

    /// Whether an entry is the one of the report; a report without versions matches any version.
    static func matches(_ key: EntryKey, _ entry: ReportReading.Entry) -> Bool {
        key.cause == entry.cause && (entry.version == nil || key.version == entry.version)
            && (entry.moment == nil || key.moment == entry.moment)
    }

    /// The log of a report; empty when it has no entry yet.
    static func keys(of report: String) -> [EntryKey] {
        guard let reading = try? ReportReading(bytes: Array(report.utf8)) else { return [] }
        return reading.entries.map { EntryKey(cause: $0.cause, version: $0.version, moment: $0.moment) }
    }
}
