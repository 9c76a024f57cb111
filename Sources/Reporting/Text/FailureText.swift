import Core
import Runner
import ScenarioLanguage

/// A failure as text, with its cause and context. Terminal, XML, Markdown and HTML are all written from this
/// value, so that they have the same content in the same words.
///
/// Long values are truncated and give the number of characters left out; nothing else is left out.
package struct FailureText: Hashable, Sendable {
    /// Failed step; nil when no step is at fault.
    package var step: StepNumber?
    /// Summary in one sentence without a full stop.
    package var headline: String
    package var location: FileLocation?
    /// Source lines above ``location``.
    package var context: [SourceLine]
    /// Text next to the caret.
    package var label: String
    package var differences: [Difference]
    /// Other facts, each with a name: `rule`, `because`, `waited`, `wrong`.
    package var remarks: [Remark]
    /// Events that led to the failure, oldest first.
    package var events: [TimelineEntry]
    /// Heading of ``events``: `what led to it: 12 of 142 events`.
    package var eventsTitle: String
    /// Command that reproduces the failure; empty when there is none.
    package var reproduction: String

    /// A step by its number.
    package struct StepNumber: Hashable, Sendable, CustomStringConvertible {
        /// From 1.
        package var number: Int
        /// Number of all steps.
        package var count: Int

        /// `8 of 11`.
        package var description: String { "\(number) of \(count)" }
    }

    /// An expected and an actual value that differ, as texts.
    package struct Difference: Hashable, Sendable {
        /// Name of the value; empty when both texts contain it.
        package var part: String
        package var expected: String
        package var actual: String
    }

    /// A named fact.
    package struct Remark: Hashable, Sendable {
        package var name: String
        package var text: String
    }

    package init(_ failure: Failure, in scenario: ScenarioResult) {
        step = failure.step.map { StepNumber(number: $0 + 1, count: scenario.steps.count) }
        headline = LongText.cut(failure.headline, to: 300)
        location = failure.location
        context = failure.context
        differences = FailureText.differences(failure)
        label = FailureText.label(failure, differences) ?? headline
        remarks = FailureText.remarks(failure, scenario)
        events = failure.lastEvents
        let all = max(failure.eventsSoFar, events.count)
        eventsTitle =
            all == events.count
            ? "what led to it: \(all) events" : "what led to it: \(events.count) of \(all) events"
        reproduction = failure.reproduction
    }

    /// Text next to the caret; nil when the headline is shown there, because it appears nowhere else.
    private static func label(_ failure: Failure, _ differences: [Difference]) -> String? {
        if failure.kind == .unexpectedPass { return "it passes: take 'xfail' out of the file" }
        guard let first = differences.first else { return nil }
        if !first.part.isEmpty { return "expected \(first.expected), found \(first.actual)" }
        // The caret marks a condition that must never hold; the actual text says when it did.
        return failure.differences[0].scope == .never && !first.actual.isEmpty ? first.actual : nil
    }

    /// Headline with the step before it.
    package var title: String { step.map { "step \($0): \(headline)" } ?? headline }

    private static func differences(_ failure: Failure) -> [Difference] {
        failure.differences.map { difference in
            let (expected, actual) = LongText.cut(difference.requirement, difference.actual, to: 300)
            return Difference(part: difference.part ?? "", expected: expected, actual: actual)
        }
    }

    private static func remarks(_ failure: Failure, _ scenario: ScenarioResult) -> [Remark] {
        var remarks: [Remark] = []
        func add(_ name: String, _ text: String) { remarks.append(Remark(name: name, text: text)) }
        if let rule = failure.rule { add("rule", "\(rule) \(Rule.named(rule)?.title ?? "")") }
        if let because = failure.because { add("because", LongText.cut(because, to: 300)) }
        if let round = failure.round { add("round", round) }
        if let from = failure.waitedFrom, let to = failure.waitedTo {
            let length = VirtualTime.length(to - from)
            add(
                "waited", "\(length) virtual, from \(from.clock) to \(to.clock)")
        } else if !scenario.endedFromOutside {
            add("found", "at \(failure.at.clock)")
        }
        for text in failure.findings { add("found", LongText.cut(text, to: 300)) }
        if failure.wasNeverRight {
            add("wrong", "from the beginning: it was never right")
        } else if let since = failure.wrongSince {
            let events = failure.lastEvents + scenario.timeline
            let event = events.first { $0.ordinal == failure.wrongSinceEvent }
            let details = event.map { ", with #\($0.ordinal) \($0.lane.rawValue): \($0.text)" } ?? ""
            add("wrong", "since \(since.clock)\(LongText.cut(details, to: 200))")
        }
        if let help = failure.help { add("help", LongText.cut(help, to: 300)) }
        return remarks
    }

    /// `#42  0:00:12.400  network  reset after 40 KB   ← fault: …   after #40`
    package static func event(_ entry: TimelineEntry) -> String {
        let lane = entry.lane.rawValue
        let padded = lane + String(repeating: " ", count: max(0, 8 - lane.utf8.count))
        var text = "#\(entry.ordinal)  \(entry.at.clock)  \(padded) "
        text += LongText.cut(TerminalText.printable(entry.text), to: 300)
        if let fault = entry.fault { text += "   ← fault: \(TerminalText.printable(fault))" }
        if let cause = entry.cause { text += "   after #\(cause)" }
        return text
    }
}
