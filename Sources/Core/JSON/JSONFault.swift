/// Why a text is not JSON, and where. The reader stops at the first fault.
public struct JSONFault: Error, Hashable, Sendable {
    /// One sentence without a full stop: "missing ',' between members".
    public var message: String
    /// Text next to the caret; may be empty.
    public var label: String
    public var span: SourceSpan
    /// Suggested fix.
    public var help: String?
    /// A related location: the first of two equal keys, an opening bracket.
    public var other: SourceSpan?

    public init(
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
