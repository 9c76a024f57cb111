import Core
import Foundation
import Runner

/// Failures of a subject that its owner knows of, from a file: `otalab run --subject ADAPTER --xfails FILE`.
///
/// ```
/// # What follows a # at the begin of a line is a comment.
/// any/hangs-at-start   R3   # left only after three starts, see issue 41
/// any/captive-portal [as the index]   # served until the next update
/// ```
///
/// A line has the scenario's name, a rule or the word `expect` where only that failure is known, and the
/// reason. A scenario of the file that passes is a failure, so that the list stays true.
///
/// Throws ``ExpectedFailures/Fault`` for the first line that can't be read. Whether a name exists is the
/// caller's to check (``entries``).
package struct ExpectedFailures: Sendable {
    package struct Entry: Hashable, Sendable {
        /// Name or id of a scenario.
        package var name: String
        /// Id of the rule that it breaks, or `expect`; nil: any failure.
        package var what: String?
        package var reason: String
        /// From 1.
        package var line: Int
    }

    package struct Fault: Error, Hashable {
        package var message: String
        package var help: String
        package var line: Int
    }

    package private(set) var entries: [Entry] = []

    package init(_ text: String) throws(Fault) {
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .enumerated()
        {
            let line = line.trimmingCharacters(in: .whitespaces)
            if line.isEmpty || line.hasPrefix("#") { continue }
            let entry = try ExpectedFailures.entry(line, index + 1)
            if let before = entries.first(where: { $0.name == entry.name }) {
                throw Fault(
                    message: "'\(entry.name)' is there already, in line \(before.line)",
                    help: "leave one of the two out", line: entry.line)
            }
            entries.append(entry)
        }
    }

    private static func entry(_ line: String, _ number: Int) throws(Fault) -> Entry {
        let help = "write NAME [RULE] # REASON, such as: any/hangs-at-start R3 # left after three starts"
        guard let mark = line.firstRange(of: " #") ?? line.firstRange(of: "\t#") else {
            throw Fault(message: "an expected failure without a reason", help: help, line: number)
        }
        let reason = line[mark.upperBound...].trimmingCharacters(in: .whitespaces)
        guard !reason.isEmpty else {
            throw Fault(message: "an expected failure without a reason", help: help, line: number)
        }
        var name = line[..<mark.lowerBound].trimmingCharacters(in: .whitespaces)
        var what: String?
        if let blank = name.lastIndex(of: " ") {
            var last = name[name.index(after: blank)...]
            // `[R4]` is meant as the rule: no case has such a name.
            if last.hasPrefix("["), last.hasSuffix("]"), isRule(last.dropFirst().dropLast()) {
                last = last.dropFirst().dropLast()
            }
            if last == "expect" || ExpectedFailures.isRule(last) {
                what = String(last)
                name = name[..<blank].trimmingCharacters(in: .whitespaces)
            }
        }
        return Entry(name: name, what: what, reason: reason, line: number)
    }

    private static func isRule(_ word: Substring) -> Bool {
        guard let first = word.first, first.isASCII, first.isUppercase else { return false }
        return word.count > 1 && word.dropFirst().allSatisfy { $0.isASCII && $0.isNumber }
    }

    /// Changes the verdict of a scenario that the file names: what it expects is no failure, and a pass is
    /// one.
    package func apply(to result: inout ScenarioResult) {
        guard let entry = entries.first(where: { $0.name == result.name || $0.name == result.id }) else {
            return
        }
        switch result.verdict {
        case .failed:
            guard entry.covers(result.failures) else {
                let what = entry.what.map { $0 == "expect" ? "an expectation" : "rule \($0)" } ?? ""
                return result.notes.append(
                    RunNote(
                        .other,
                        "line \(entry.line) of the file of --xfails expects a failure of \(what) alone, "
                            + "which this is not"))
            }
            result.verdict = .expectedFailure
            result.reason = entry.reason
        case .passed:
            result.verdict = .unexpectedPass
            var failure = Failure(
                kind: .unexpectedPass, headline: "Expected to fail, and passed: \(entry.reason)", at: .zero)
            failure.help = "remove line \(entry.line) of the file of --xfails: what it waited for holds"
            result.failures = [failure]
        case .invalid, .inconclusive, .expectedFailure, .unexpectedPass, .skipped, .nonDeterministic: break
        }
    }
}

extension ExpectedFailures.Entry {
    /// Whether nothing else is wrong. Expectations that fail beside a rule follow from it.
    fileprivate func covers(_ failures: [Failure]) -> Bool {
        guard let what else { return true }
        if what == "expect" { return failures.allSatisfy { $0.kind == .expectation } }
        return failures.contains { $0.rule == what }
            && failures.allSatisfy { $0.rule == what || $0.kind == .expectation }
    }
}
