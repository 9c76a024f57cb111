/// A half-open range of byte offsets in one text, `start ..< end`.
///
/// An empty span is a position between two bytes: where a comma is missing, or the end of the text.
public struct SourceSpan: Hashable, Sendable {
    public var start: Int
    public var end: Int

    public init(start: Int, end: Int) {
        self.start = start
        self.end = end
    }

    public var length: Int { end - start }

    /// From the start of this span to the end of `other`.
    public func through(_ other: SourceSpan) -> SourceSpan { SourceSpan(start: start, end: other.end) }
}
