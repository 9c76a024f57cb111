import ScenarioLanguage
import Testing

private func cases(_ variants: String, steps: String) -> ScenarioReading {
    let text = story(steps)
    return read(text.split(separator: "schema: 1,").joined(separator: "schema: 1, cases: [\(variants)],"))
}

private func messages(_ reading: ScenarioReading) -> [String] { reading.diagnostics.map(\.message) }

@Suite("Cases")
struct CaseTests {
    @Test("each case is a scenario with its name; a value keeps its location in the case")
    func values() throws {
        let reading = cases(
            "{ name: 'one', time: '5s' }, { name: 'two', time: '6s' }",
            steps: "{ wait: '$time' }, { expect: { page: 'ready' } }")
        #expect(reading.diagnostics.isEmpty)
        #expect(reading.scenarios.map(\.name) == ["demo [one]", "demo [two]"])
        let waits = reading.scenarios.compactMap { scenario -> String? in
            guard case .wait(let span) = scenario.steps[0].action else { return nil }
            return "\(span.value.microseconds / 1_000_000) " + scenario.source.text(of: span.span)
        }
        #expect(waits == ["5 '5s'", "6 '6s'"])
    }

    @Test("a value that a case leaves out drops its key, so that the default holds")
    func omitted() throws {
        let reading = cases(
            "{ name: 'one', n: 2 }, { name: 'two' }",
            steps: "{ fault: 'refuse', nth: '$n' }, { expect: { page: 'ready' } }")
        let counts = reading.scenarios.map { scenario -> Int? in
            guard case .fault(let fault) = scenario.steps[0].action else { return -1 }
            return fault.nth?.value
        }
        #expect(counts == [2, nil])
    }

    @Test("whole objects and lists can be values")
    func objects() throws {
        let reading = cases(
            "{ name: 'one', end: { running: 'v1', blacklist: [] } }", steps: "{ expect: '$end' }")
        #expect(reading.diagnostics.isEmpty)
        guard case .expect(let expect) = reading.scenarios[0].steps[0].action else {
            Issue.record("no expectation")
            return
        }
        #expect(expect.expectation.running?.value == "v1")
        #expect(expect.expectation.blacklist != nil)
    }

    @Test("a dollar in a longer text is only a dollar")
    func dollar() throws {
        let text = story("{ expect: { page: 'ready' }, because: 'costs $5 or $more' }")
        #expect(try scenario(text).steps[0].because?.value == "costs $5 or $more")
    }

    @Test("mistakes in the cases are reported alone")
    func mistakes() {
        let steps = "{ wait: '$time' }, { expect: { page: 'ready' } }"
        #expect(
            messages(cases("{ nam: 'a', time: '1s' }", steps: steps)) == [
                "a case without a name"
            ])
        #expect(
            messages(cases("{ name: 'a', time: '1s' }, { name: 'a', time: '2s' }", steps: steps)) == [
                "two cases named 'a'"
            ])
        #expect(
            messages(cases("{ name: 'a', tim: '1s' }", steps: steps)) == [
                "the cases' value 'tim' is used nowhere", "no case has a value 'time'",
            ])
        #expect(
            messages(cases("{ name: 'a', time: '$time' }", steps: steps)) == [
                "a case's value can't name another"
            ])
        #expect(messages(cases("", steps: steps)).first == "'cases' must be a list of objects")
    }

    @Test("a mistake of one case names the case; a mistake of all cases is reported once")
    func named() {
        let steps = "{ wait: '$time' }, { wait: 3 }, { expect: { page: 'ready' } }"
        #expect(
            messages(cases("{ name: 'a', time: '1s' }, { name: 'b', time: 'long' }", steps: steps)) == [
                "'long' is not a duration (in the case 'b')", "'wait' can't be a number",
            ])
    }
}
