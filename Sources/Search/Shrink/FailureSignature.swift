import Runner
import ScenarioLanguage

/// What makes two failures the same: kind, rule, clause and kind of the violation, or the expectation with
/// the events that led to it. Times, numbers and names of versions that a smaller scenario can change don't
/// count.
///
/// An expectation that failed is also the wrong one in a scenario that leaves out the deploy that it is
/// about. So its failure has a course (``FailureIdentity/course``), which the other failure must contain.
package struct FailureSignature: Hashable, Sendable {
    package var kind: Failure.Kind
    package var rule: String?
    package var clause: String?
    /// ``FailureIdentity/pattern``, with the names of versions replaced.
    package var pattern: String
    /// ``FailureIdentity/course``, with the names of versions replaced.
    package var course: [String]
    /// Summary of the failure, for people; not compared.
    package var headline: String

    /// - Parameters:
    ///   - versions: names of the scenario's versions.
    ///   - embedded: names of those that a build embeds. No other version can take their place.
    package init(_ failure: Failure, versions: [String], embedded: [String] = []) {
        var names = VersionPlaceholders(versions, embedded: embedded)
        kind = failure.kind
        rule = failure.rule
        clause = failure.identity.clause
        headline = failure.headline
        var pattern = failure.identity.pattern
        if failure.kind == .workerDied {
            // The message of the trap: the signal alone is the same for all traps.
            let trap = failure.findings.first { $0.contains("rror:") } ?? ""
            pattern = failure.headline + "; " + trap
        }
        self.pattern = names.replaced(in: pattern)
        course = failure.identity.course.map { names.replaced(in: $0) }
    }

    /// The signature without the way on which the failure came about: what makes findings of a search equal.
    package var ofAnyCourse: FailureSignature {
        var signature = self
        (signature.course, signature.headline) = ([], "")
        return signature
    }

    /// The signature in a line, without its course: `invariant R2 R2.record-first: …`.
    package var key: String {
        ([kind.rawValue] + [rule, clause].compactMap(\.self)).joined(separator: " ") + ": " + pattern
    }

    /// The signatures of all failures of a result, the first failure first.
    package static func all(of result: ScenarioResult, in scenario: Scenario) -> [FailureSignature] {
        let versions = scenario.versions.map(\.name.value)
        let embedded = scenario.app.builds.compactMap(\.embeds?.value)
        return result.failures.map { FailureSignature($0, versions: versions, embedded: embedded) }
    }

    /// The failure that says most: one of a rule before one of an expectation, which is what an author wrote.
    package static func mostTelling(of failures: [FailureSignature]) -> FailureSignature? {
        failures.first { $0.kind == .workerDied || $0.kind == .invariant || $0.kind == .boundedStep }
            ?? failures.first
    }

    /// Whether a failure with this signature is the same as the one that is looked for.
    package func isSame(as wanted: FailureSignature) -> Bool {
        guard kind == wanted.kind, rule == wanted.rule, clause == wanted.clause, pattern == wanted.pattern
        else { return false }
        var rest = course[...]
        for event in wanted.course {
            guard let index = rest.firstIndex(of: event) else { return false }
            rest = rest[(index + 1)...]
        }
        return true
    }
}

/// Replaces names of versions by their order of appearance, because a smaller scenario can rename them.
private struct VersionPlaceholders {
    private let versions: [String]
    private let embedded: [String]
    private var seen: [String] = []

    init(_ versions: [String], embedded: [String]) {
        self.versions = versions
        self.embedded = embedded
    }

    mutating func replaced(in text: String) -> String {
        var result = ""
        var word = ""
        for character in text {
            if character.isLetter || character.isNumber || "._-+".contains(character) {
                word.append(character)
            } else {
                result += placeholder(of: word) + String(character)
                word = ""
            }
        }
        return result + placeholder(of: word)
    }

    private mutating func placeholder(of word: String) -> String {
        guard versions.contains(word) else { return word }
        if !seen.contains(word) { seen.append(word) }
        return "<\(embedded.contains(word) ? "embedded" : "version") \((seen.firstIndex(of: word) ?? 0) + 1)>"
    }
}
