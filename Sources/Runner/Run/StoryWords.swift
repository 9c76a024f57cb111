import Core
import ScenarioLanguage

extension Scenario {
    /// A step in its author's words, on one line. Where it names a value of the case, the value stands there:
    /// who reads `"$fault"` in a report has to look up what it was.
    package func words(of step: Step) -> String {
        words(at: step.span) { ScenarioPrinter.line(of: step) }
    }

    /// The same for what a step looks at.
    package func words(of expectation: Expectation) -> String {
        words(at: expectation.span) { ScenarioPrinter.line(of: expectation) }
    }

    private func words(at span: SourceSpan, printed: () -> String) -> String {
        let text = source.text(of: span)
        if caseName != nil, text.utf8.contains(UInt8(ascii: "$")) { return printed() }
        return text.split { $0 == " " || $0 == "\n" || $0 == "\t" || $0 == "\r" }.joined(separator: " ")
    }
}
