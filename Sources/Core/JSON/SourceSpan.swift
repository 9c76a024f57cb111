/// A half-open range of byte offsets in one text, `start ..< end`.
///
/// An empty span is a position between two bytes: where a comma is missing, or the end of the text.
package struct SourceSpan: Hashable, Sendable {
    package var start: Int
    package var end: Int

    package init(start: Int, end: Int) {
        self.start = start
        self.end = end
    }

    package var length: Int { end - start }

    /// From the start of this span to the end of `other`.
    package func through(_ other: SourceSpan) -> SourceSpan { SourceSpan(start: start, end: other.end) }
}
