import Backend

/// Counts which parts of a run's expectations could be judged, where an app does not show everything.
package struct Judgement: Sendable {
    /// Number of evaluated `expect` steps of which something was judged.
    package private(set) var judged = 0
    /// Number of evaluated `expect` steps of which nothing was.
    package private(set) var unjudged = 0
    /// Index of the last step of which nothing was judged.
    package private(set) var lastUnjudged: Int?
    /// Names of the parts that were not judged, each once, with the number of times.
    private var parts: [(name: String, count: Int)] = []

    /// - Parameter all: the parts of the step's expectation.
    mutating func count(_ all: [ExpectationPart], seeing visible: Visibility, step: Int) {
        let hidden = all.filter { !visible.isSuperset(of: $0.needs) }
        for part in hidden {
            if let index = parts.firstIndex(where: { $0.name == part.name }) {
                parts[index].count += 1
            } else {
                parts.append((part.name, 1))
            }
        }
        if hidden.count < all.count {
            judged += 1
        } else {
            unjudged += 1
            lastUnjudged = step
        }
    }

    private var text: String {
        parts.map { $0.count > 1 ? "\($0.name) (\($0.count) times)" : $0.name }.joined(separator: ", ")
    }

    /// What was not judged; nil: everything was.
    var note: RunNote? { parts.isEmpty ? nil : RunNote(.judgement, "not judged: \(text)") }
}
