import Core

/// One part of an expectation that does not hold.
public struct Mismatch: Hashable, Sendable {
    /// `pending`, `requests /app.js` …
    public var part: String
    public var expected: String
    public var actual: String
    /// Where the scenario file says what is expected.
    public var span: SourceSpan

    /// More was found than a list names, and all that it names.
    var isOfExactList = false

    public init(_ part: String, expected: String, actual: String, at span: SourceSpan) {
        self.part = part
        self.expected = expected
        self.actual = actual
        self.span = span
    }
}
