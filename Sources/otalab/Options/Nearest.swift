/// Did you mean …? By edit distance, when it is near enough.
enum Nearest {
    static func to(_ word: String, among words: [String]) -> String? {
        let scored = words.map { (word: $0, distance: distance(word, $0)) }
        guard let best = scored.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, word.count / 3) ? best.word : nil
    }

    /// Letters inserted, deleted, replaced or swapped with their neighbour; capitals count as small ones.
    static func distance(_ left: String, _ right: String) -> Int {
        let one = Array(left.lowercased().unicodeScalars)
        let other = Array(right.lowercased().unicodeScalars)
        var before: [Int] = []
        var above = Array(0...other.count)
        for (i, a) in one.enumerated() {
            var row = [i + 1]
            for (j, b) in other.enumerated() {
                var next = min(above[j + 1] + 1, row[j] + 1, above[j] + (a == b ? 0 : 1))
                if i > 0, j > 0, a == other[j - 1], one[i - 1] == b { next = min(next, before[j - 1] + 1) }
                row.append(next)
            }
            (before, above) = (above, row)
        }
        return above[other.count]
    }
}
