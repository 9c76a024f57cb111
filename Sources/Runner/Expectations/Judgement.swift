import Backend

/// Counts which parts of a run's expectations could be judged, where an app does not show everything.
package struct Judgement: Sendable {
    /// Number of evaluated `expect` steps of which something was judged.
    package private(set) var judged = 0
    /// Number of evaluated `expect` steps of which nothing was.
    package private(set) var unjudged = 0
    /// Index of the last step of which nothing was judged.
    package private(set) var lastUnjudged: Int?
    /// Names of the parts that were not judged, each once, with the steps, numbered from 1 as in a report.
    private var parts: [(name: String, steps: [Int])] = []

    /// - Parameter all: the parts of the step's expectation.
    mutating func count(_ all: [ExpectationPart], seeing visible: Visibility, step: Int) {
        let hidden = all.filter { !visible.isSuperset(of: $0.needs) }
        for part in hidden {
            if let index = parts.firstIndex(where: { $0.name == part.name }) {
                if parts[index].steps.last != step + 1 { parts[index].steps.append(step + 1) }
            } else {
                parts.append((part.name, [step + 1]))
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
        parts.map { "\($0.name) (\(Judgement.text(ofSteps: $0.steps)))" }.joined(separator: ", ")
    }

    private static func text(ofSteps steps: [Int]) -> String {
        if steps.count == 1 { return "step \(steps[0])" }
        let shown = steps.prefix(5).map { "\($0)" }.joined(separator: ", ")
        return "steps \(shown)" + (steps.count > 5 ? " and \(steps.count - 5) more" : "")
    }

    /// What was not judged; nil: everything was.
    var note: RunNote? { parts.isEmpty ? nil : RunNote(.judgement, "not judged: \(text)") }
}
