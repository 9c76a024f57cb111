import Core
import ScenarioLanguage
import Updater
import World

/// Looks for steps after which a simulated device has written the same log: entry by entry, by trying in a
/// copy of the world what could have brought the next one.
///
/// Guarantees: bounded work; what it says is told was seen to come about. An entry that nothing
/// brings is left out and named, and the search goes on with the rest.
struct LogSearch {
    struct Mark: Hashable, Sendable {
        var cause: LogCause
        var version: String?
    }

    /// A line of the story, and what it is a guess about.
    struct Line: Sendable {
        var move: LogMove
        var guess: String?
        /// Line of the report whose entry it was tried for.
        var entry = 0
    }

    struct State: Sendable {
        var world: World
        var lines: [Line] = []
        /// Entries of the report that have come, of those that are looked for.
        var met = 0
        /// The most that were met so far, also by a process that took them with it.
        var seen = 0
        var launchedAt = Instant.zero
        var deployed: [String] = []
        var build: String
        /// Answers come too late to be told.
        var isSlow = false
        /// Of the device's own log, while a process can tell it.
        var told: [Mark] = []
    }

    let story: LogReconstruction
    /// Most copies of the world that are tried.
    var budget = 4_000
    /// Entries that came, and that a process took with it when it ended, count as told.
    var allowsLoss = false
    private(set) var wanted: [ReportReading.Entry]
    private(set) var leftOut: [ReportReading.Entry] = []
    private var tries = 0

    init(_ story: LogReconstruction, _ entries: [ReportReading.Entry]) {
        self.story = story
        wanted = entries
    }

    /// - Parameter world: fresh, of the story's setup.
    mutating func search(_ world: World) -> State {
        var best = State(world: world, build: story.builds.first?.number ?? "")
        if wanted.first?.cause != .launched {
            // The log begins in the middle of a process: the device has to be somewhere.
            let launch = Line(move: .launch(front: true), guess: "the log begins later")
            best = advanced(tried([launch], best), for: 0)
            best.met = 0
        }
        while best.met < wanted.count {
            tries = 0
            let found = deepest(from: best, depth: 0)
            if found.met > best.met { best = found }
            if best.met >= wanted.count { break }
            leftOut.append(wanted.remove(at: best.met))
        }
        return best
    }

    /// Depth first; gives the state that came farthest.
    private mutating func deepest(from state: State, depth: Int) -> State {
        var best = state
        guard state.met < wanted.count, depth < 200 else { return best }
        for candidate in LogCandidates(self, state).all {
            if tries > budget / max(1, wanted.count) + 200 { return best }
            tries += 1
            let next = advanced(tried(candidate, state), for: wanted[state.met].line)
            guard next.met > state.met, !isSpoilt(next) else { continue }
            let end = deepest(from: next, depth: depth + 1)
            if end.met > best.met { best = end }
            if best.met == wanted.count { return best }
        }
        return best
    }

    /// More was logged than the report has, and it can't go with the process.
    private func isSpoilt(_ state: State) -> Bool {
        if state.told.count <= state.met
            || allowsLoss && state.told.last?.cause == wanted[state.met - 1].cause
        {
            return false
        }
        return state.met >= wanted.count || wanted[state.met].cause != .launched
    }

    // MARK: - Trying

    private func tried(_ lines: [Line], _ state: State) -> State {
        var state = state
        let entry = entry(state)
        for var line in lines {
            line.entry = entry
            state.lines.append(line)
            LogSearch.perform(line.move, step: state.lines.count, in: &state.world)
            switch line.move {
            case .launch: state.launchedAt = state.world.now
            case .deploy(let deploy): state.deployed.append(deploy.version?.value ?? "")
            case .storeUpdate(let build): state.build = build.value
            case .fault(let fault) where fault.kind == .slowAnswers: state.isSlow = true
            case .heal: state.isSlow = false
            default: break
            }
        }
        return state
    }

    private func entry(_ state: State) -> Int { state.met < wanted.count ? wanted[state.met].line : 0 }

    static func perform(_ move: LogMove, step: Int = 0, in world: inout World) {
        switch move {
        case .wait(let span): _ = world.run(until: world.now + span.value)
        // Two that are equal are one.
        case .fault:
            world.perform(NamedAction(move, as: ScenarioPrinter.value(of: move).line), step: step)
        default: world.perform(NamedAction(move), step: step)
        }
    }

    /// Lets time pass until the next entry comes, or it would be too late for it.
    /// - Parameter line: of the entry that is looked for.
    private func advanced(_ state: State, for line: Int) -> State {
        var state = state
        look(&state)
        guard state.met < wanted.count else { return state }
        let entry = wanted[state.met]
        let begun = state.world.now
        var limit = begun + .seconds(65)
        if let after = entry.after { limit = max(begun, state.launchedAt + after) + .seconds(5) }
        let met = state.met
        let told = state.told
        while let next = state.world.nextEventTime, next <= limit {
            guard case .happened = state.world.step() else { break }
            if state.world.errorReport() == nil { continue }
            look(&state)
            if state.met != met || state.told != told { break }
        }
        let passed = state.world.now - begun
        // A scenario is read by people: whole milliseconds.
        let span = TimeSpan.milliseconds((passed.microseconds + 999) / 1_000)
        if span > .zero || state.told != told {
            let span = max(span, .milliseconds(1))
            _ = state.world.run(until: begun + span)
            state.lines.append(Line(move: .wait(Spanned(span)), entry: line))
            look(&state)
        }
        return state
    }

    /// How far the device's own log agrees with the report's.
    private func look(_ state: inout State) {
        guard let text = state.world.errorReport(), let report = ErrorReport(text: text) else { return }
        state.told = LogSearch.marks(report)
        let offset = wanted.first?.cause == .launched ? 0 : 1
        let rows = state.told.dropFirst(offset)
        let met = agreement(rows, seen: state.seen)
        if offset == 1, met < state.met { return }
        state.met = met
        state.seen = max(state.seen, met)
        if offset == 1 { state.told = Array(rows) }
    }

    /// How many entries of the report the device's log agrees with, in their order.
    private func agreement(_ rows: ArraySlice<Mark>, seen: Int) -> Int {
        var met = 0
        for mark in rows {
            guard met < wanted.count else { break }
            if LogSearch.isSame(mark, wanted[met]) {
                met += 1
                continue
            }
            // Entries that were seen went with the process: what is logged last travels with the next write.
            let next = wanted[met...].firstIndex { $0.cause == .launched }
            guard allowsLoss, mark.cause == .launched, let next, next <= seen else { break }
            met = next + 1
        }
        return met
    }

    /// Other updaters may leave versions out.
    static func isSame(_ own: Mark, _ told: ReportReading.Entry) -> Bool {
        own.cause == told.cause && (told.version == nil || own.version == told.version)
    }

    static func marks(_ report: ErrorReport) -> [Mark] {
        report.lines(.log).compactMap { line in
            line["cause"].flatMap(LogCause.init(rawValue:)).map { Mark(cause: $0, version: line["version"]) }
        }
    }
}
