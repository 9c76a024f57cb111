/// "Did you mean": the most similar of several names.
package enum Suggestion {
    /// The candidate with the smallest edit distance (insert, delete, replace, swap neighbours); nil when
    /// none is similar enough: at most a third of its letters may differ, and none of a name with less than
    /// three letters, because `v9` is similar to any version.
    package static func nearest(to name: String, among candidates: [String]) -> String? {
        let written = Array(name.lowercased().unicodeScalars)
        var best: (name: String, distance: Int)?
        for candidate in candidates {
            let letters = Array(candidate.lowercased().unicodeScalars)
            let distance = distance(written, letters)
            let shorter = min(written.count, letters.count)
            if distance > (shorter < 3 ? 0 : max(1, shorter / 3)) { continue }
            if distance < best?.distance ?? Int.max { best = (candidate, distance) }
        }
        return best?.name
    }

    /// "did you mean 'x'?", or all candidates if there are at most 16.
    static func help(for name: String, among candidates: [String], choice: String) -> String? {
        if let nearest = nearest(to: name, among: candidates) { return "did you mean '\(nearest)'?" }
        if candidates.isEmpty || candidates.count > 16 { return nil }
        return choice + " " + candidates.joined(separator: ", ")
    }

    /// The optimal string alignment distance.
    static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var before: [Int] = []
        var above = Array(0...right.count)
        for row in left.indices {
            var line = [row + 1]
            for column in right.indices {
                let cost = left[row] == right[column] ? 0 : 1
                var value = min(line[column] + 1, above[column + 1] + 1, above[column] + cost)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    value = min(value, before[column - 1] + 1)
                }
                line.append(value)
            }
            before = above
            above = line
        }
        return above[right.count]
    }
}
