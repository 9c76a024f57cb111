import Core
import Updater

/// A device that is ill for weeks says the same again and again, until its log of a hundred entries holds
/// nothing else. Rounds that are equal, at least three in a row, are looked for twice: the first may begin
/// otherwise than those after it, and the second stands for the rest.
///
/// Guarantees: entries keep their order, and every one that is left out belongs to one fold. What
/// can go wrong: rounds that read alike came about in different ways; whether one can be repeated is for
/// ``LogScenario`` to try.
struct LogRounds {
    typealias Entry = ReportReading.Entry

    /// Equal rounds in a row, of which two stay.
    struct Fold: Hashable {
        /// Lines of the report: the round that stands for those after it.
        var round: ClosedRange<Int>
        /// How many rounds that is, itself too.
        var count: Int
        /// Lines of the entries that are left out.
        var lines: [Int]
        /// Equal in all, or in what they say but not in how often it is said in them.
        var isExact: Bool
    }

    private(set) var entries: [Entry]
    private(set) var folds: [Fold] = []

    /// A round of more entries is no round to a reader.
    private static let longest = 24

    /// Lines of the report whose rounds stay as they are.
    private let whole: [ClosedRange<Int>]

    init(_ entries: [Entry], whole: [ClosedRange<Int>] = []) {
        self.entries = entries
        self.whole = whole
        let boots = LogRounds.bootChanges(entries)
        var marks = entries.enumerated().map { LogRounds.mark($1, isNewBoot: boots[$0]) }
        // What is said again within a process, then processes that go alike.
        fold(&marks) { round in !round.contains { $0.isLaunch } }
        fold(&marks) { round in round.first?.isLaunch == true }
    }

    // MARK: - What makes two entries alike

    private struct Mark: Hashable {
        var text: String
        var isLaunch: Bool
        var line: Int

        func isAlike(_ other: Mark) -> Bool { text == other.text }
    }

    /// Entries that are brought about in the same way: facts that count up are not looked at.
    private static func mark(_ entry: Entry, isNewBoot: Bool) -> Mark {
        var text = "\(entry.cause.rawValue) \(entry.version ?? "")"
        for fact in ["moment", "status", "native", "front", "last-exit"] {
            if let value = entry.fact(fact) { text += " \(fact)=\(value)" }
        }
        if isNewBoot { text += " new boot" }
        return Mark(text: text, isLaunch: entry.cause == .launched, line: entry.line)
    }

    private static func bootChanges(_ entries: [Entry]) -> [Bool] {
        var last: String?
        return entries.map { entry in
            guard entry.cause == .launched, let boot = entry.fact("boot") else { return false }
            defer { last = boot }
            return last != nil && last != boot
        }
    }

    // MARK: - Folding

    private mutating func fold(_ marks: inout [Mark], where isRound: (ArraySlice<Mark>) -> Bool) {
        var place = 0
        while place < marks.count {
            var best: (length: Int, count: Int)?
            for length in 1...LogRounds.longest where place + 3 * length <= marks.count {
                guard isRound(marks[place..<(place + length)]) else { continue }
                let count = LogRounds.rounds(marks, at: place, of: length)
                guard count >= 3, length * (count - 2) > (best.map { $0.length * ($0.count - 2) } ?? 0)
                else { continue }
                let lines = marks[place].line...marks[place + count * length - 1].line
                if whole.contains(where: { $0.overlaps(lines) }) { continue }
                best = (length, count)
            }
            if let best {
                drop(&marks, at: place, best.length, best.count)
                place += 2 * best.length
            } else {
                place += 1
            }
        }
    }

    private static func rounds(_ marks: [Mark], at place: Int, of length: Int) -> Int {
        var count = 1
        while place + (count + 1) * length <= marks.count,
            (0..<length).allSatisfy({ marks[place + $0].isAlike(marks[place + count * length + $0]) })
        {
            count += 1
        }
        return count
    }

    private mutating func drop(_ marks: inout [Mark], at place: Int, _ length: Int, _ count: Int) {
        let second = place + length
        let left = (second + length)..<(place + count * length)
        var lines = left.map { marks[$0].line }
        let inner = (0..<(count - 1)).map { round in
            let begin = second + round * length
            let range = marks[begin].line...marks[begin + length - 1].line
            return folds.filter { range.contains($0.round.lowerBound) }.map(\.count)
        }
        // Rounds within rounds that go, go with them.
        for fold in folds where lines.contains(fold.round.lowerBound) { lines += fold.lines }
        folds.removeAll { lines.contains($0.round.lowerBound) }
        lines.sort()
        folds.append(
            Fold(
                round: marks[second].line...marks[second + length - 1].line, count: count - 1,
                lines: lines, isExact: inner.allSatisfy { $0 == inner[0] }))
        // What follows in the same process comes so much sooner.
        if !marks[place].isLaunch, let late = entries[left.upperBound - 1].after,
            let last = entries[left.lowerBound - 1].after, late > last
        {
            let gone = late - last
            for later in left.upperBound..<entries.count {
                if entries[later].cause == .launched { break }
                entries[later].after = entries[later].after.map { $0 > gone ? $0 - gone : .zero }
            }
        }
        entries.removeSubrange(left)
        marks.removeSubrange(left)
    }
}
