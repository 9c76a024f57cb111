import Core
import Updater

/// Folds repeated rounds of a log. A device that fails for weeks logs the same entries again and again, until
/// the hundred entries of its log contain nothing else. Of at least three equal rounds in a row, two are
/// kept: the first one, because it may begin differently, and the second one for all others.
///
/// Guarantees: entries keep their order, and each removed entry belongs to exactly one fold. Limits: equal
/// rounds may have different causes; ``LogSteps`` tries whether a round can be repeated.
struct LogRounds {
    typealias Entry = ReportReading.Entry

    /// Equal rounds in a row, of which one represents the others.
    struct Fold: Hashable {
        /// Lines of the report with the round that represents those after it.
        var round: ClosedRange<Int>
        /// Number of rounds, including the representing one.
        var count: Int
        /// Lines of the removed entries.
        var lines: [Int]
        /// Whether the rounds are equal; false when folds within them have different counts.
        var isExact: Bool
    }

    /// Entries that are left.
    private(set) var entries: [Entry]
    private(set) var folds: [Fold] = []

    /// Most entries of a round, because people don't recognise longer ones.
    private static let maxRoundLength = 24

    /// Lines of the report whose rounds are not folded.
    private let unfoldable: [ClosedRange<Int>]

    init(_ entries: [Entry], unfoldable: [ClosedRange<Int>] = []) {
        self.entries = entries
        self.unfoldable = unfoldable
        let boots = LogRounds.bootChanges(entries)
        var signatures = entries.enumerated().map { LogRounds.signature($1, isNewBoot: boots[$0]) }
        // Rounds within a process first, then equal processes.
        fold(&signatures) { round in !round.contains { $0.isLaunch } }
        fold(&signatures) { round in round.first?.isLaunch == true }
    }

    // MARK: - Equality of entries

    private struct Signature: Hashable {
        var text: String
        var isLaunch: Bool
        var line: Int

        func isAlike(_ other: Signature) -> Bool { text == other.text }
    }

    /// The parts of an entry that depend on its cause; counters are ignored.
    private static func signature(_ entry: Entry, isNewBoot: Bool) -> Signature {
        var text = "\(entry.cause.rawValue) \(entry.version ?? "")"
        for name in ["moment", "status", "native", "front", "last-exit"] {
            if let value = entry.detail(name) { text += " \(name)=\(value)" }
        }
        if isNewBoot { text += " new boot" }
        return Signature(text: text, isLaunch: entry.cause == .launched, line: entry.line)
    }

    /// For each entry, whether it is the first launch after a boot.
    private static func bootChanges(_ entries: [Entry]) -> [Bool] {
        var last: String?
        return entries.map { entry in
            guard entry.cause == .launched, let boot = entry.detail("boot") else { return false }
            defer { last = boot }
            return last != nil && last != boot
        }
    }

    // MARK: - Folding

    private mutating func fold(
        _ signatures: inout [Signature], where isRound: (ArraySlice<Signature>) -> Bool
    ) {
        var index = 0
        while index < signatures.count {
            var best: (length: Int, count: Int)?
            for length in 1...LogRounds.maxRoundLength where index + 3 * length <= signatures.count {
                guard isRound(signatures[index..<(index + length)]) else { continue }
                let count = LogRounds.rounds(signatures, at: index, of: length)
                guard count >= 3, length * (count - 2) > (best.map { $0.length * ($0.count - 2) } ?? 0)
                else { continue }
                let lines = signatures[index].line...signatures[index + count * length - 1].line
                if unfoldable.contains(where: { $0.overlaps(lines) }) { continue }
                best = (length, count)
            }
            if let best {
                removeRounds(&signatures, at: index, best.length, best.count)
                index += 2 * best.length
            } else {
                index += 1
            }
        }
    }

    /// Number of equal rounds in a row.
    private static func rounds(_ signatures: [Signature], at index: Int, of length: Int) -> Int {
        var count = 1
        while index + (count + 1) * length <= signatures.count,
            (0..<length).allSatisfy({
                signatures[index + $0].isAlike(signatures[index + count * length + $0])
            })
        {
            count += 1
        }
        return count
    }

    /// Removes all but the first two rounds and appends their fold.
    private mutating func removeRounds(
        _ signatures: inout [Signature], at index: Int, _ length: Int, _ count: Int
    ) {
        let second = index + length
        let removedRange = (second + length)..<(index + count * length)
        var lines = removedRange.map { signatures[$0].line }
        let inner = (0..<(count - 1)).map { round in
            let begin = second + round * length
            let range = signatures[begin].line...signatures[begin + length - 1].line
            return folds.filter { range.contains($0.round.lowerBound) }.map(\.count)
        }
        // Folds within removed rounds are removed too.
        for fold in folds where lines.contains(fold.round.lowerBound) { lines += fold.lines }
        folds.removeAll { lines.contains($0.round.lowerBound) }
        lines.sort()
        folds.append(
            Fold(
                round: signatures[second].line...signatures[second + length - 1].line, count: count - 1,
                lines: lines, isExact: inner.allSatisfy { $0 == inner[0] }))
        // Later entries of the same process move forward by the time of the removed rounds.
        if !signatures[index].isLaunch, let lastTime = entries[removedRange.upperBound - 1].after,
            let keptTime = entries[removedRange.lowerBound - 1].after, lastTime > keptTime
        {
            let removed = lastTime - keptTime
            for later in removedRange.upperBound..<entries.count {
                if entries[later].cause == .launched { break }
                entries[later].after = entries[later].after.map { $0 > removed ? $0 - removed : .zero }
            }
        }
        entries.removeSubrange(removedRange)
        signatures.removeSubrange(removedRange)
    }
}
