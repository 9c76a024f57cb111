import Authoring
import Core
import Foundation
import Runner
import ScenarioLanguage
import Testing

@testable import Reporting

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// A failure of each kind, with all that one can have.
private func failing(_ kind: Failure.Kind) -> ScenarioResult {
    var result = ScenarioResult(
        id: "recovery/bad", name: "recovery/bad", file: "Scenarios/recovery/bad.json5", title: "A title")
    result.verdict = .failed
    result.steps = (0..<9).map { StepResult(index: $0, line: $0 + 3, text: "{ step: \($0) }") }
    var failure = Failure(kind: kind, headline: "", at: Instant(microseconds: 85_578_000))
    failure.step = 7
    failure.location = FileLocation(
        file: result.file, line: 18, column: 17, length: 6,
        text: "    { expect: { [\"v2\"] }, within: \"65s\" },")
    failure.context = [
        SourceLine(line: 15, text: "    { relaunch: true },"), SourceLine(line: 17, text: "    {"),
    ]
    switch kind {
    case .invariant, .boundedStep:
        failure.headline = "v2 was offered before it was verified"
        failure.rule = "U1"
        failure.differences = [Difference(expected: "every file of v2 verified", actual: "/app.js was not")]
        failure.wrongSince = Instant(microseconds: 537_000)
        failure.wrongSinceEvent = 43
    case .liveness:
        failure.headline = "The device did not come to run and confirm v2"
        failure.differences = [
            Difference(
                expected: "running v2, confirmed, within 8 rounds of use", actual: "running v1, confirmed")
        ]
        failure.waitedFrom = .zero
        failure.waitedTo = Instant(microseconds: 85_000_000)
    case .expectation, .trigger, .unexpectedPass, .bound, .determinism, .metamorphic, .workerDied,
        .wallLimit:
        failure.headline = "blacklist: expected exactly v2, found empty; pending: expected none, found v2"
        failure.differences = [
            Difference(part: "blacklist", expected: "exactly v2", actual: "empty"),
            Difference(part: "pending", expected: "none", actual: "v2"),
        ]
        failure.because = "it failed <twice> & |for| all"
        failure.waitedFrom = Instant(microseconds: 20_578_000)
        failure.waitedTo = Instant(microseconds: 85_578_000)
        failure.wasNeverRight = true
        failure.wrongSince = .zero
    }
    failure.lastEvents = [
        TimelineEntry(
            ordinal: 43, at: Instant(microseconds: 537_000), lane: .updater, text: "log: became-pending v2",
            step: 2, cause: 42),
        TimelineEntry(
            ordinal: 68, at: Instant(microseconds: 20_577_000), lane: .network, text: "a fault strikes",
            step: 5,
            fault: "{ reset: \"after 60%\" }", cause: 43),
    ]
    failure.eventsSoFar = 100
    failure.reproduction = "otalab run Scenarios/recovery/bad.json5 --seed 42"
    result.failures = [failure]
    result.timeline = failure.lastEvents
    return result
}

extension FailureText {
    /// All texts of a failure.
    fileprivate var facts: [String] {
        var facts = [reproduction, eventsTitle]
        if let step { facts.append("\(step)") }
        if let location { facts += [":\(location.line):\(location.column)", location.text] }
        facts += context.map(\.text)
        for row in differences { facts += [row.part, row.expected, row.actual] }
        for remark in remarks { facts += [remark.name, remark.text] }
        for event in events {
            facts += ["#\(event.ordinal)", event.text, event.at.clock, event.lane.rawValue]
            facts += [event.fault, event.cause.map { "#\($0)" }].compactMap(\.self)
        }
        return facts.filter { !$0.isEmpty }
    }
}

/// Words alone: one blank between them.
private func plain(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
}

/// What a reader of the HTML sees, whatever the marks around it.
private func shown(_ html: String) -> String {
    var text = ""
    var isTag = false
    for character in html {
        if character == "<" {
            isTag = true
        } else if character == ">" {
            isTag = false
        } else if !isTag {
            text.append(character)
        }
    }
    for (code, sign) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")] {
        text = text.replacingOccurrences(of: code, with: sign)
    }
    return text
}

private final class BodyReader: NSObject, XMLParserDelegate {
    var text = ""
    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }
}

@Suite("A failure as text")
struct FailureTextTests {
    @Test(
        "terminal, XML, Markdown and HTML tell the same facts, of an expectation, an invariant and of liveness",
        arguments: [Failure.Kind.expectation, .invariant, .liveness])
    func sameFacts(_ kind: Failure.Kind) throws {
        let scenario = failing(kind)
        let failure = scenario.failures[0]
        let told = FailureText(failure, in: scenario)
        var results = RunResults(toolVersion: "1", commandLine: [], seed: 42)
        results.scenarios = [scenario]
        let reader = BodyReader()
        let parser = XMLParser(data: Data(JUnitReport.text(results).utf8))
        parser.delegate = reader
        #expect(parser.parse())
        var markdown = told.markdown(of: scenario).replacingOccurrences(of: "&amp;", with: "&")
        markdown.removeAll { $0 == "\\" || $0 == "|" }
        let terminal = TerminalReport(paint: Paint(isOn: false)).text(results, report: nil)
        let forms = [
            ("terminal", terminal), ("XML", reader.text), ("HTML", shown(HTMLReport.text(results))),
            ("Markdown", markdown),
        ]
        #expect(told.facts.count > 15)
        for (name, text) in forms {
            let text = plain(text)
            for fact in told.facts {
                let isThere = text.contains(plain(name == "Markdown" ? fact.filter { $0 != "|" } : fact))
                #expect(isThere, "\(name) does not say: \(fact)")
            }
        }
    }

    @Test(
        "what must never hold, an xfail that passes and a file with mistakes say the news at the caret, or what to do"
    )
    func news() {
        var scenario = failing(.expectation)
        scenario.failures[0].differences = [
            Difference(.never, expected: #"{ running: "v2" }"#, actual: "it came true in step 7")
        ]
        #expect(FailureText(scenario.failures[0], in: scenario).label == "it came true in step 7")
        scenario.failures[0].kind = .unexpectedPass
        #expect(
            FailureText(scenario.failures[0], in: scenario).label == "it passes: take 'xfail' out of the file"
        )
        var file = ScenarioResult(id: "a", name: "a", file: "a.json5", title: "(file)")
        file.verdict = .invalid
        let mistake = DiagnosticResult(
            code: "E0103", isError: true, message: "unknown key 'runing'", label: "not a key",
            location: FileLocation(file: "a.json5", line: 6, column: 3, length: 6, text: "  runing: 1"),
            help: nil
        )
        file.diagnostics = [mistake, mistake]
        var known = ScenarioResult(id: "b", name: "b", file: "b.json5", title: "Known")
        known.verdict = .expectedFailure
        var results = RunResults(toolVersion: "1", commandLine: [], seed: 42)
        results.scenarios = [file, known]
        let terminal = TerminalReport(paint: Paint(isOn: false)).text(results, report: nil)
        #expect(terminal.contains("ERROR a: 2 mistakes in the file"), "\(terminal)")
        #expect(terminal.contains("1 expected failure, 1 invalid"), "\(terminal)")
    }

    @Test("the step that acted last and the beginning of the failed one are above the caret line")
    func context() {
        let scenario = failing(.expectation)
        let lines = FailureText(scenario.failures[0], in: scenario).lines()
        #expect(
            Array(lines.prefix(9)) == [
                "  --> Scenarios/recovery/bad.json5:18:17", "   |", "15 |     { relaunch: true },",
                "   |     …",
                "17 |     {", "18 |     { expect: { [\"v2\"] }, within: \"65s\" },",
                "   |                 ^^^^^^ expected exactly v2, found empty", "   |",
                "   = step      8 of 9: " + scenario.failures[0].headline,
            ])
    }

    @Test("the caret is under wide characters and tabs, and a line too long is cut around it")
    func carets() throws {
        func lines(_ text: String, _ part: String, width: Int?) throws -> [String] {
            let range = try #require(text.range(of: part))
            let column = text[..<range.lowerBound].unicodeScalars.count + 1
            let location = FileLocation(
                file: "a.json5", line: 7, column: column, length: part.unicodeScalars.count, text: text)
            return Array(ExcerptRenderer(location, [], label: "here").lines(width: width)[2...3])
        }
        func under(_ cells: Int, _ carets: String) -> String {
            "  | " + String(repeating: " ", count: cells) + carets + " here"
        }
        #expect(
            try lines("{ a: \"日本\", b: 1 }", "1", width: nil) == ["7 | { a: \"日本\", b: 1 }", under(16, "^")])
        let tabbed = try lines("\t{ e\u{301}: \"🚀\", b: 12 }", "12", width: nil)
        #expect(tabbed[1] == "  | \t" + String(repeating: " ", count: 14) + "^^ here")
        let long =
            "{ " + String(repeating: "a: 1, ", count: 60) + "wrong: 2, "
            + String(repeating: "b: 3, ", count: 60) + "}"
        for width in [40, 80, 120] {
            let cut = try lines(long, "wrong", width: width)
            #expect(cut.allSatisfy { $0.count <= width }, "\(width)")
            #expect(cut[0].hasPrefix("7 | … ") && cut[0].hasSuffix(" …"))
            let start = try #require(cut[0].range(of: "wrong")?.lowerBound)
            let caret = try #require(cut[1].firstIndex(of: "^"))
            #expect(
                cut[0].distance(from: cut[0].startIndex, to: start)
                    == cut[1].distance(from: cut[1].startIndex, to: caret))
            #expect(cut[1].contains("^^^^^ here"))
        }
    }

    @Test("on a narrow terminal lines break at blanks, the rest beneath the text")
    func wrapping() {
        let line =
            "     #43  0:00:00.537  updater  log: became-pending v2 (verified=every-byte order=serial)   after #42"
        let lines = FailureText.wrapped(line, width: 60, indent: 33)
        #expect(
            lines == [
                "     #43  0:00:00.537  updater  log: became-pending v2",
                String(repeating: " ", count: 33) + "(verified=every-byte",
                String(repeating: " ", count: 33) + "order=serial)   after #42",
            ])
        #expect(FailureText.wrapped(line, width: nil, indent: 33) == [line])
        #expect(FailureText.wrapped(line, width: 200, indent: 33) == [line])
    }

    @Test("long values are cut with a word of how much, and never where they differ")
    func longValues() {
        let same = String(repeating: "x", count: 5_000)
        var failure = Failure(kind: .expectation, headline: String(repeating: "h", count: 1_000), at: .zero)
        failure.differences = [Difference(part: "log", expected: "\(same) one", actual: "\(same) two")]
        let told = FailureText(failure, in: failing(.expectation))
        #expect(told.headline.hasSuffix("… (740 more characters)"))
        #expect(told.differences[0].expected.hasSuffix("one") && told.differences[0].actual.hasSuffix("two"))
        #expect(told.differences[0].expected.hasPrefix("(4941 equal characters) …"))
    }

    @Test("no text of a file controls the terminal")
    func steering() {
        var scenario = failing(.expectation)
        scenario.title = "\u{1b}[31mred\u{7} \u{202e}back"
        scenario.failures[0].because = "\u{1b}]0;title\u{7}"
        scenario.failures[0].location?.text = "    { \u{1b}[2J expect: {} },"
        var results = RunResults(toolVersion: "1", commandLine: [], seed: 42)
        results.scenarios = [scenario]
        let text = TerminalReport(paint: Paint(isOn: false)).text(results, report: nil)
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0 == "\u{202e}" })
        #expect(text.contains("␛[31mred␇"))
    }

    @Test("a backtick fence in a value does not end the Markdown's")
    func fences() {
        var scenario = failing(.expectation)
        scenario.failures[0].reproduction = "otalab run '````.json5'"
        scenario.title = "a `title` [with](marks) @somebody"
        let text = FailureText(scenario.failures[0], in: scenario).markdown(of: scenario)
        #expect(text.contains("`````sh\notalab run '````.json5'\n`````"))
        #expect(text.contains("a \\`title\\` \\[with\\](marks) @\u{200b}somebody"))
    }
}
