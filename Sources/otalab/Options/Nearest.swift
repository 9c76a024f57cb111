/// Suggestions for "did you mean …?", by edit distance.
enum Nearest {
    /// The most similar candidate; nil if none differs in at most a third of the letters.
    static func to(_ text: String, among candidates: [String]) -> String? {
        let scored = candidates.map { (candidate: $0, distance: distance(text, $0)) }
        guard let best = scored.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, text.count / 3) ? best.candidate : nil
    }

    /// The number of letters inserted, deleted, replaced or swapped with their neighbour
    /// (Damerau-Levenshtein, optimal string alignment), ignoring case.
    static func distance(_ left: String, _ right: String) -> Int {
        let one = Array(left.lowercased().unicodeScalars)
        let other = Array(right.lowercased().unicodeScalars)
        var twoAbove: [Int] = []
        var above = Array(0...other.count)
        for (i, a) in one.enumerated() {
            var current = [i + 1]
            for (j, b) in other.enumerated() {
                var next = min(above[j + 1] + 1, current[j] + 1, above[j] + (a == b ? 0 : 1))
                if i > 0, j > 0, a == other[j - 1], one[i - 1] == b { next = min(next, twoAbove[j - 1] + 1) }
                current.append(next)
            }
            (twoAbove, above) = (above, current)
        }
        return above[other.count]
    }
}
