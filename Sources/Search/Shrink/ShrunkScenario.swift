import Runner
import ScenarioLanguage

/// A scenario that was made smaller, and what that took.
package struct ShrunkScenario: Sendable {
    /// The file, in the layout of `otalab fmt`, with the failure as title and comment.
    package let text: String
    /// The failure as this scenario has it.
    package let signature: FailureSignature
    /// Steps with those in a `repeat`.
    package let stepsBefore: Int
    package let stepsAfter: Int
    package let runs: Int
    /// Whether no single change makes it smaller; false if the runs were used up.
    package let isComplete: Bool
    package let wall: Duration

    init(
        _ tree: PrintedValue, of original: Scenario, signature: FailureSignature, runs: Int,
        isComplete: Bool, wall: Duration
    ) {
        self.signature = signature
        self.runs = runs
        self.isComplete = isComplete
        self.wall = wall
        stepsBefore = NumberedStep.all(of: original).count
        stepsAfter = tree.locatedSteps.count
        text = ShrunkScenario.text(
            tree, of: original, signature, steps: (stepsBefore, stepsAfter))
    }

    /// `21 to 4 steps, 180 runs, 0.9 s`.
    package func summary(showsWall: Bool) -> String {
        let tenths = wall.components.seconds * 10 + wall.components.attoseconds / 100_000_000_000_000_000
        return "\(stepsBefore) to \(stepsAfter) steps, \(runs) runs"
            + (showsWall ? ", \(tenths / 10).\(tenths % 10) s" : "")
    }

    private static func text(
        _ tree: PrintedValue, of original: Scenario, _ signature: FailureSignature,
        steps: (before: Int, after: Int)
    ) -> String {
        var tree = tree
        let what = signature.clause ?? signature.rule
        tree["title"] = .text(title(signature))
        // What an expectation shows, the author of the scenario has said.
        let covers = what.map { [$0] } ?? original.covers.map(\.value)
        let known = covers.filter(RuleID.exists)
        if !known.isEmpty {
            let at = tree.pairs.firstIndex { $0.key == "id" } ?? tree.pairs.firstIndex { $0.key == "title" }
            var pairs = tree.pairs
            pairs.insert(
                PrintedValue.Pair("covers", .list(known.map { .text($0) })),
                at: (at ?? pairs.count - 1) + 1)
            tree = .object(pairs)
        }
        if let issue = original.issue?.value {
            var pairs = tree.pairs
            let at = pairs.firstIndex { $0.key == "covers" || $0.key == "device" } ?? pairs.count
            pairs.insert(PrintedValue.Pair("issue", .text(issue)), at: at)
            tree = .object(pairs)
        }
        let rule = what.map { "\($0): " } ?? ""
        let head =
            lines("Fails with \(signature.kind.shown): \(rule)\(signature.headline)")
            + lines("Shrunk from \(original.name), \(steps.before) to \(steps.after) steps.")
        return ScenarioDraft.text(tree.pairs.map { ScenarioDraft($0.key, $0.value) }, head: head)
    }

    private static let longestTitle = 100

    private static func title(_ signature: FailureSignature) -> String {
        // A headline lists all mismatches.
        let first = signature.headline.split(separator: ";", maxSplits: 1).first ?? ""
        let words = first.split(separator: " ")
        var title = ""
        for word in words {
            if title.count + word.count > longestTitle { return title + " …" }
            title += (title.isEmpty ? "" : " ") + word
        }
        return title.isEmpty ? "A failure" : title
    }

    /// Lines of a comment, broken between words.
    private static func lines(_ text: String) -> [String] {
        var lines = [""]
        for word in text.split(whereSeparator: \.isWhitespace) {
            if lines[lines.count - 1].count + word.count > 100 { lines.append("") }
            lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + word
        }
        return lines
    }
}

extension Failure.Kind {
    /// Noun after "fails with".
    fileprivate var shown: String {
        switch self {
        case .expectation: "an expectation"
        case .trigger: "a trigger"
        case .invariant: "an invariant"
        case .liveness: "liveness"
        case .unexpectedPass: "an unexpected pass"
        case .bound: "a limit"
        case .boundedStep: "a bounded step"
        case .determinism: "a difference between equal runs"
        case .metamorphic: "a change that must not matter"
        case .workerDied: "the end of its process"
        case .wallLimit: "the wall limit"
        }
    }
}
