import Core

/// One part of an expectation that does not hold.
package struct Mismatch: Hashable, Sendable {
    /// Name of the part: `pending`, `requests for /app.js` …
    package var part: String
    package var expected: String
    package var actual: String
    /// Span of the expected value in the scenario file.
    package var span: SourceSpan

    /// An exact list has entries that were not expected, and misses none.
    var hasOnlyExcessEntries = false

    package init(_ part: String, expected: String, actual: String, at span: SourceSpan) {
        self.part = part
        self.expected = expected
        self.actual = actual
        self.span = span
    }
}
