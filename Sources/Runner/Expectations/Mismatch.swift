import Core

/// One part of an expectation that does not hold.
package struct Mismatch: Hashable, Sendable {
    /// `pending`, `requests /app.js` …
    package var part: String
    package var expected: String
    package var actual: String
    /// Where the scenario file says what is expected.
    package var span: SourceSpan

    /// More was found than a list names, and all that it names.
    var isOfExactList = false

    package init(_ part: String, expected: String, actual: String, at span: SourceSpan) {
        self.part = part
        self.expected = expected
        self.actual = actual
        self.span = span
    }
}
