/// Something that a scenario says and that had no effect. It is reported beside the verdict and does not fail
/// the scenario, because the expectations say what the scenario tests.
package struct RunNote: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A fault that was never applied; the text is its step.
        case fault
        /// A race whose order of events was given up.
        case order
        /// A crash whose operation was not reached.
        case crash
        /// A step whose trigger had not fired when the run ended early.
        case trigger
        /// A step that changed nothing.
        case step
        /// Parts of expectations that were not judged, because the app does not show them.
        case judgement
        /// How often a search found a failure, and how early.
        case search
        /// Which changed runs were compared (``MetamorphicCheck``).
        case metamorphic
        /// A note of a results file from before notes had kinds.
        case other
    }

    package var kind: Kind
    package var text: String

    package init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }

    /// A note of a results file from before notes had kinds: the text of a fault is its step, other texts are
    /// sentences.
    package init(older text: String) { self.init(text.hasPrefix("{") ? .fault : .other, text) }
}
