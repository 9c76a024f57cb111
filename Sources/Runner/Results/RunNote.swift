/// Something that a scenario says and that had no effect: reported beside the verdict, not judged. The
/// expectations say what the scenario was for.
package struct RunNote: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A fault that met nothing; the text is its step.
        case fault
        /// A race whose order of events was given up.
        case order
        /// A crash whose operation was not reached.
        case crash
        /// A step whose trigger had not come when the scenario ended early.
        case trigger
        /// A step that met no app, or one that was so already.
        case step
        /// Of results written before notes had kinds.
        case other
    }

    package var kind: Kind
    package var text: String

    package init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }

    /// Of results written before notes had kinds: a fault's text is its step, the others are sentences.
    package init(older text: String) { self.init(text.hasPrefix("{") ? .fault : .other, text) }
}
