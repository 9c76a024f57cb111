import Core
import ScenarioLanguage
import Updater
import World

/// The steps of a scenario, from the result of a search, with equal rounds written once.
///
/// Guarantees: `repeat` is used only if the simulated device logged all of the rounds; otherwise a comment
/// gives their number. Deliberately not here: a search for other causes of a round than the one that was
/// found.
struct LogSteps {
    /// The file's steps.
    private(set) var steps: [ScenarioDraft] = []
    /// Comments after the last step.
    private(set) var trailingComments: [String] = []
    /// World after the steps.
    private(set) var world: World
    /// Log of the device after the steps.
    private(set) var log: [LogSearch.EntryKey]
    /// Number of entries in rounds that a comment replaces.
    private(set) var foldedCount = 0
    /// Entries of rounds of which none was reproduced.
    private(set) var missed: [LogRounds.Entry] = []

    /// A step, or a round with the steps within it.
    private indirect enum Item {
        case line(LogSearch.CandidateStep)
        case rounds(LogRounds.Fold, [Item])
    }

    private let entries: [LogRounds.Entry]
    private let folds: [LogRounds.Fold]
    private let missing: [Int]

    /// - Parameter initial: world before the first step.
    init(
        _ entries: [LogRounds.Entry], _ folds: [LogRounds.Fold], _ search: LogSearch,
        _ found: LogSearch.State, _ initial: World
    ) {
        self.entries = entries
        self.folds = folds.sorted { $0.round.count > $1.round.count }
        missing = search.unmatched.map(\.line)
        world = found.world
        log = found.log
        let items = LogSteps.items(found.steps[...], self.folds[...])
        var repeated = self.folds.filter(\.isExact)
        if !repeated.isEmpty, !reproduces(items, repeated, initial) {
            let candidates = repeated
            repeated = []
            for fold in candidates where reproduces(items, repeated + [fold], initial) {
                repeated.append(fold)
            }
        }
        for fold in self.folds where !repeated.contains(fold) {
            if found.steps.contains(where: { fold.round.contains($0.entryLine) }) {
                foldedCount += fold.lines.count
            } else {
                missed += entries.filter { fold.lines.contains($0.line) }
            }
        }
        (steps, trailingComments) = LogSteps.drafts(items, repeated)
    }

    /// Groups the steps into rounds; the steps of a round are those that were found for its entries.
    private static func items(
        _ lines: ArraySlice<LogSearch.CandidateStep>, _ folds: ArraySlice<LogRounds.Fold>
    )
        -> [Item]
    {
        guard let fold = folds.first else { return lines.map { .line($0) } }
        let others = folds.dropFirst()
        guard let begin = lines.firstIndex(where: { fold.round.contains($0.entryLine) }) else {
            return items(lines, others)
        }
        let end = lines[begin...].firstIndex { !fold.round.contains($0.entryLine) } ?? lines.endIndex
        return items(lines[..<begin], others) + [.rounds(fold, items(lines[begin..<end], others))]
            + items(lines[end...], others)
    }

    // MARK: - Check of repeated rounds

    /// Performs all steps in a copy of the initial world.
    /// - Returns: whether the log equals the report's, except for rounds that are not repeated.
    private mutating func reproduces(_ items: [Item], _ repeated: [LogRounds.Fold], _ initial: World) -> Bool
    {
        var world = initial
        for line in LogSteps.lines(items, repeated) { LogSearch.perform(line.action, in: &world) }
        guard let report = world.errorReport() else { return false }
        let keys = LogSearch.keys(of: report)
        let out = missing + folds.filter { !repeated.contains($0) }.flatMap(\.lines)
        let wanted = entries.filter { !out.contains($0.line) }
        // If the log begins in the middle of a process, the steps have a launch before it.
        let before = entries.first?.cause == .launched ? 0 : 1
        guard keys.count - wanted.count == before,
            zip(keys.dropFirst(before), wanted).allSatisfy({ LogSearch.matches($0, $1) })
        else { return false }
        (self.world, log) = (world, Array(keys.dropFirst(before)))
        return true
    }

    private static func lines(_ items: [Item], _ repeated: [LogRounds.Fold]) -> [LogSearch.CandidateStep] {
        items.flatMap { item -> [LogSearch.CandidateStep] in
            switch item {
            case .line(let line): return [line]
            case .rounds(let fold, let inner):
                let round = lines(inner, repeated)
                let count = repeated.contains(fold) ? fold.count : 1
                return Array(repeatElement(round, count: count).joined())
            }
        }
    }

    // MARK: - As steps of a file

    /// A step, or a comment between steps.
    private enum Part {
        case line(LogSearch.CandidateStep)
        case rounds(ScenarioDraft)
        case comment(String)
    }

    private static func drafts(_ items: [Item], _ repeated: [LogRounds.Fold]) -> (
        [ScenarioDraft], trailingComments: [String]
    ) {
        var drafts: [ScenarioDraft] = []
        var above: [String] = []
        for part in joined(parts(items, repeated)) {
            switch part {
            case .comment(let comment):
                above.append(comment)
                continue
            case .line(let line):
                let step = ScenarioPrinter.value(of: line.action)
                drafts.append(ScenarioDraft(step, above: above, behind: line.guess.map { "guess: \($0)" }))
            case .rounds(var rounds):
                rounds.above = above + rounds.above
                drafts.append(rounds)
            }
            above = []
        }
        return (drafts, above)
    }

    private static func parts(_ items: [Item], _ repeated: [LogRounds.Fold]) -> [Part] {
        items.flatMap { item -> [Part] in
            switch item {
            case .line(let line): return [.line(line)]
            case .rounds(let fold, let inner) where repeated.contains(fold):
                let head = "\(fold.count) rounds alike, lines \(fold.round.lowerBound) to \(end(fold)):"
                let (steps, trailingComments) = drafts(inner, repeated)
                let fields = [
                    ScenarioDraft("repeat", .number(Int64(fold.count))),
                    ScenarioDraft("steps", .list(steps, rest: trailingComments)),
                ]
                return [.rounds(ScenarioDraft(nil, .object(fields), above: [head]))]
            case .rounds(let fold, let inner):
                let count = fold.count - 1
                let rounds = count == 1 ? "1 more round" : "\(count) more rounds"
                let lines = "lines \(fold.lines.first ?? 0) to \(end(fold)) of the report"
                return parts(inner, repeated) + [
                    .comment("\(rounds) like the last one left out: \(lines)")
                ]
            }
        }
    }

    private static func end(_ fold: LogRounds.Fold) -> Int { fold.lines.last ?? fold.round.upperBound }

    /// Joins consecutive waits.
    private static func joined(_ parts: [Part]) -> [Part] {
        var all: [Part] = []
        for part in parts {
            if case .line(let line) = part, case .wait(let span) = line.action,
                case .line(var previous)? = all.last, case .wait(let before) = previous.action
            {
                previous.action = .wait(Spanned(before.value + span.value))
                previous.guess = previous.guess ?? line.guess
                all[all.count - 1] = .line(previous)
            } else {
                all.append(part)
            }
        }
        return all
    }
}
