import Runner
import Testing

@testable import Subject

@Suite("A subject's known failures, and runs that are repeated")
struct KnownFailureTests {
    private static let file = """
        # Known on 2026-11-02.

        any/hangs-at-start   R3  # left after three starts, issue 41
        any/captive-portal [as the index]\t# served until the next update
        any/plain expect # a slow machine # of ours
        """

    private func result(_ name: String, _ verdict: Verdict, rule: String? = nil) -> ScenarioResult {
        let id = name.split(separator: " ")[0]
        var result = ScenarioResult(id: String(id), name: name, file: "\(id).json5", title: "T")
        result.verdict = verdict
        if verdict == .failed {
            var failure = Failure(kind: rule == nil ? .expectation : .invariant, headline: "H", at: .zero)
            failure.rule = rule
            result.failures = [failure]
        }
        return result
    }

    private func applied(_ name: String, _ verdict: Verdict, rule: String? = nil) throws -> ScenarioResult {
        var result = result(name, verdict, rule: rule)
        try ExpectedFailures(Self.file).apply(to: &result)
        return result
    }

    @Test("A line has a name, perhaps a rule or 'expect', and a reason")
    func lines() throws {
        let entries = try ExpectedFailures(Self.file).entries
        #expect(
            entries.map(\.name) == ["any/hangs-at-start", "any/captive-portal [as the index]", "any/plain"])
        #expect(entries.map(\.what) == ["R3", nil, "expect"])
        #expect(entries[0].reason == "left after three starts, issue 41")
        #expect(entries[2].reason == "a slow machine # of ours")
        #expect(entries.map(\.line) == [3, 4, 5])
    }

    @Test(
        "A line without a reason or a name that is there twice is a mistake, with its line",
        arguments: [
            ("any/x", 1, "without a reason"), ("\nany/x R3 #  ", 2, "without a reason"),
            ("any/x # a\nany/y # b\nany/x R3 # c", 3, "in line 1"),
        ])
    func mistakes(text: String, line: Int, message: String) {
        let fault = #expect(throws: ExpectedFailures.Fault.self) { try ExpectedFailures(text) }
        #expect(fault?.line == line && fault?.message.contains(message) == true)
    }

    @Test("A rule in brackets is a rule, which no case has for a name")
    func brackets() throws {
        let entry = try ExpectedFailures("any/busy-origin [the manifest] [R4]  # known").entries[0]
        #expect(entry.name == "any/busy-origin [the manifest]" && entry.what == "R4")
    }

    @Test("A failure of another kind than the one that is known is told why it counts")
    func otherKind() throws {
        let other = try applied("any/hangs-at-start", .failed)
        #expect(other.verdict == .failed)
        #expect(
            other.notes.last?.text.contains("line 3 of the file of --xfails expects a failure of rule R3")
                == true)
    }

    @Test("What is known to fail is expected, by the rule that is named alone")
    func expected() throws {
        let known = try applied("any/hangs-at-start", .failed, rule: "R3")
        #expect(known.verdict == .expectedFailure && known.reason == "left after three starts, issue 41")
        #expect(try applied("any/hangs-at-start", .failed, rule: "X1").verdict == .failed)
        #expect(try applied("any/plain", .failed).verdict == .expectedFailure)
        #expect(try applied("any/plain", .failed, rule: "S1").verdict == .failed)
        #expect(
            try applied("any/captive-portal [as the index]", .failed, rule: "S2").verdict == .expectedFailure)
        #expect(try applied("any/captive-portal [as a file]", .failed, rule: "S2").verdict == .failed)
    }

    @Test("What is known to fail and passes is a failure; what says nothing stays")
    func unexpected() throws {
        let passed = try applied("any/plain", .passed)
        #expect(passed.verdict == .unexpectedPass && passed.failures[0].help?.contains("line 5") == true)
        #expect(try applied("any/plain", .inconclusive).verdict == .inconclusive)
        #expect(try applied("any/other", .passed).verdict == .passed)
    }

    @Test("What fails once has failed, with how often; a skipped scenario is not repeated")
    func repeated() {
        func worst(_ verdicts: [Verdict]) -> (Verdict, String?) {
            var left = verdicts
            let result = RepeatedRun.result(times: verdicts.count) {
                self.result("any/x", left.removeFirst())
            }
            return (result.verdict, result.notes.first?.text)
        }
        #expect(worst([.passed, .passed]) == (.passed, "failed in 0 of 2 runs"))
        #expect(worst([.passed, .failed, .passed]) == (.failed, "sometimes: failed in 1 of 3 runs"))
        #expect(worst([.failed, .failed]) == (.failed, "failed in 2 of 2 runs"))
        #expect(
            worst([.passed, .inconclusive, .failed])
                == (.failed, "sometimes: failed in 1 of 3 runs, inconclusive in 1"))
        #expect(
            worst([.passed, .inconclusive]) == (.inconclusive, "failed in 0 of 2 runs, inconclusive in 1"))
        #expect(worst([.skipped, .failed]) == (.skipped, nil))
        #expect(worst([.failed]) == (.failed, nil))
    }
}
