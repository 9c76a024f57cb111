import Core

/// One part of an expectation that does not hold.
package struct Mismatch: Hashable, Sendable {
    package var part: ExpectationPart
    package var expected: String
    package var actual: String
    /// Names of the versions that the part and its values name.
    package var versions: [String] = []
    /// Span of the expected value in the scenario file.
    package var span: SourceSpan

    /// An exact list has entries that were not expected, and misses none.
    var hasOnlyExcessEntries = false

    package init(_ part: ExpectationPart, expected: String, actual: String, at span: SourceSpan) {
        self.part = part
        self.expected = expected
        self.actual = actual
        self.span = span
    }

    /// `pending: expected none, found v2`.
    var headline: String { "\(part.name): expected \(expected), found \(actual)" }
}
