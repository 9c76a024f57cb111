/// Why a text is not JSON, and where. The reader stops at the first fault.
package struct JSONFault: Error, Hashable, Sendable {
    /// One sentence without a full stop: "missing ',' between members".
    package var message: String
    /// Text next to the caret; may be empty.
    package var label: String
    package var span: SourceSpan
    /// Suggested fix.
    package var help: String?
    /// A related location: the first of two equal keys, an opening bracket.
    package var other: SourceSpan?

    package init(
        _ message: String, label: String = "", at span: SourceSpan, help: String? = nil,
        other: SourceSpan? = nil
    ) {
        self.message = message
        self.label = label
        self.span = span
        self.help = help
        self.other = other
    }
}
