import Core
import ScenarioLanguage

extension Scenario {
    /// Source text of a step on one line. If it names values of the case, such as `"$fault"`, they are
    /// replaced by the values, so that a report can be read without the file.
    package func text(of step: Step) -> String {
        text(at: step.span) { ScenarioPrinter.line(of: step) }
    }

    /// Source text of an expectation on one line.
    package func text(of expectation: Expectation) -> String {
        text(at: expectation.span) { ScenarioPrinter.line(of: expectation) }
    }

    private func text(at span: SourceSpan, printed: () -> String) -> String {
        let text = source.text(of: span)
        if caseName != nil, text.utf8.contains(UInt8(ascii: "$")) { return printed() }
        return text.split { $0 == " " || $0 == "\n" || $0 == "\t" || $0 == "\r" }.joined(separator: " ")
    }
}
