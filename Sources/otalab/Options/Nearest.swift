/// Did you mean …? By edit distance, when it is near enough.
enum Nearest {
    static func to(_ word: String, among words: [String]) -> String? {
        let scored = words.map { (word: $0, distance: distance(word, $0)) }
        guard let best = scored.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, word.count / 3) ? best.word : nil
    }

    static func distance(_ left: String, _ right: String) -> Int {
        let one = Array(left.unicodeScalars)
        let other = Array(right.unicodeScalars)
        var row = Array(0...other.count)
        for (i, a) in one.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, b) in other.enumerated() {
                let next = min(row[j] + 1, row[j + 1] + 1, diagonal + (a == b ? 0 : 1))
                diagonal = row[j + 1]
                row[j + 1] = next
            }
        }
        return row[other.count]
    }
}
