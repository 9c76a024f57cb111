import Core
import ScenarioLanguage

/// Where two runs of one scenario part, and what differs in the end.
package struct RunComparison: Hashable, Sendable {
    /// Name of the run.
    package var name: String
    package var title: String
    /// Verdict, number of events and length of each side.
    package var one: Side
    package var other: Side
    /// The first difference in the content of an event; nil if there is none or contents are not known.
    package var content: ContentDifference?
    /// Whether the contents of both sides were recorded.
    package var isContentKnown: Bool
    /// The first difference of the timelines.
    package var timeline: TimelineDifference?
    /// What differs in the end.
    package var end: [ContentDifference.Pair]
    /// Whether the digests differ and nothing else is known to.
    package var differsInDigestAlone: Bool

    package struct Side: Hashable, Sendable {
        package var verdict: Verdict
        package var events: Int
        package var length: TimeSpan
        package var digest: UInt64
        /// Whether the device's states were recorded.
        package var hasStates: Bool
    }

    /// - Parameter ignoresSecrets: whether what each seed draws is not compared: for two seeds.
    package init(_ one: RecordedRun, _ other: RecordedRun, ignoresSecrets: Bool) {
        let (left, right) = (one.result, other.result)
        name = left.name
        title = left.title
        self.one = Side(left)
        self.other = Side(right)
        isContentKnown = one.events != nil && other.events != nil
        if let events = one.events, let others = other.events {
            content = ContentDifference(events, others, ignoresSecrets: ignoresSecrets)
        }
        timeline = TimelineDifference(left, right, ignoresSecrets: ignoresSecrets)
        end = EndDifferences.pairs(left, right)
        differsInDigestAlone =
            left.digest != right.digest && !isContentKnown && timeline == nil && end.isEmpty
    }

    package var isEqual: Bool { content == nil && timeline == nil && end.isEmpty && !differsInDigestAlone }
}

extension RunComparison.Side {
    init(_ result: ScenarioResult) {
        verdict = result.verdict
        events = result.events
        length = result.virtualDuration
        digest = result.digest
        hasStates = !result.moments.isEmpty
    }
}
