import Core
import ScenarioLanguage
import Updater
import World

/// The steps of a scenario from what a search found, with rounds that are equal written once.
///
/// Guarantees: `repeat` stands only where a device that was led so has logged the rounds, all of
/// them; elsewhere a comment says how many more there were. It does not look for other ways to bring a round
/// about than the one that was found for it.
struct LogSteps {
    /// The file's steps.
    private(set) var steps: [ScenarioDraft] = []
    /// Comments behind the last of them.
    private(set) var rest: [String] = []
    /// The device after them, and its log.
    private(set) var world: World
    private(set) var told: [LogSearch.Mark]
    /// Entries of rounds that a comment stands for.
    private(set) var saidAgain = 0
    /// Entries of rounds of which not even one came about.
    private(set) var missed: [LogRounds.Entry] = []

    private indirect enum Item {
        case line(LogSearch.Line)
        case rounds(LogRounds.Fold, [Item])
    }

    private let entries: [LogRounds.Entry]
    private let folds: [LogRounds.Fold]
    private let missing: [Int]

    /// - Parameter fresh: the world before the first step.
    init(
        _ entries: [LogRounds.Entry], _ folds: [LogRounds.Fold], _ search: LogSearch,
        _ found: LogSearch.State, _ fresh: World
    ) {
        self.entries = entries
        self.folds = folds.sorted { $0.round.count > $1.round.count }
        missing = search.leftOut.map(\.line)
        world = found.world
        told = found.told
        let items = LogSteps.items(found.lines[...], self.folds[...])
        var repeated = self.folds.filter(\.isExact)
        if !repeated.isEmpty, !retell(items, repeated, fresh) {
            let candidates = repeated
            repeated = []
            for fold in candidates where retell(items, repeated + [fold], fresh) { repeated.append(fold) }
        }
        for fold in self.folds where !repeated.contains(fold) {
            if found.lines.contains(where: { fold.round.contains($0.entry) }) {
                saidAgain += fold.lines.count
            } else {
                missed += entries.filter { fold.lines.contains($0.line) }
            }
        }
        (steps, rest) = LogSteps.drafts(items, repeated)
    }

    /// The rounds of a fold are what was done for its entries.
    private static func items(_ lines: ArraySlice<LogSearch.Line>, _ folds: ArraySlice<LogRounds.Fold>)
        -> [Item]
    {
        guard let fold = folds.first else { return lines.map { .line($0) } }
        let rest = folds.dropFirst()
        guard let begin = lines.firstIndex(where: { fold.round.contains($0.entry) }) else {
            return items(lines, rest)
        }
        let end = lines[begin...].firstIndex { !fold.round.contains($0.entry) } ?? lines.endIndex
        return items(lines[..<begin], rest) + [.rounds(fold, items(lines[begin..<end], rest))]
            + items(lines[end...], rest)
    }

    // MARK: - Trying whether a round can be repeated

    /// Does all of it in a fresh world.
    /// - Returns: whether its log is the report's, but for rounds that are not repeated.
    private mutating func retell(_ items: [Item], _ repeated: [LogRounds.Fold], _ fresh: World) -> Bool {
        var world = fresh
        for line in LogSteps.lines(items, repeated) { LogSearch.perform(line.move, in: &world) }
        guard let text = world.errorReport(), let report = ErrorReport(text: text) else { return false }
        let marks = LogSearch.marks(report)
        let out = missing + folds.filter { !repeated.contains($0) }.flatMap(\.lines)
        let wanted = entries.filter { !out.contains($0.line) }
        // A log that begins later has a launch before it here.
        let before = entries.first?.cause == .launched ? 0 : 1
        guard marks.count - wanted.count == before,
            zip(marks.dropFirst(before), wanted).allSatisfy({ LogSearch.isSame($0, $1) })
        else { return false }
        (self.world, told) = (world, Array(marks.dropFirst(before)))
        return true
    }

    private static func lines(_ items: [Item], _ repeated: [LogRounds.Fold]) -> [LogSearch.Line] {
        items.flatMap { item -> [LogSearch.Line] in
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
        case line(LogSearch.Line)
        case rounds(ScenarioDraft)
        case comment(String)
    }

    private static func drafts(_ items: [Item], _ repeated: [LogRounds.Fold]) -> (
        [ScenarioDraft], rest: [String]
    ) {
        var drafts: [ScenarioDraft] = []
        var above: [String] = []
        for part in joined(parts(items, repeated)) {
            switch part {
            case .comment(let words):
                above.append(words)
                continue
            case .line(let line):
                let step = ScenarioPrinter.value(of: line.move)
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
                let (steps, rest) = drafts(inner, repeated)
                let words = [
                    ScenarioDraft("repeat", .number(Int64(fold.count))),
                    ScenarioDraft("steps", .list(steps, rest: rest)),
                ]
                return [.rounds(ScenarioDraft(nil, .object(words), above: [head]))]
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

    /// One wait for several in a row.
    private static func joined(_ parts: [Part]) -> [Part] {
        var all: [Part] = []
        for part in parts {
            if case .line(let line) = part, case .wait(let span) = line.move,
                case .line(var former)? = all.last, case .wait(let before) = former.move
            {
                former.move = .wait(Spanned(before.value + span.value))
                former.guess = former.guess ?? line.guess
                all[all.count - 1] = .line(former)
            } else {
                all.append(part)
            }
        }
        return all
    }
}
