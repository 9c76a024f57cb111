import Core

/// A value with its location in the scenario file, for errors and for expectations that fail.
package struct Spanned<Value> {
    package var value: Value
    package var span: SourceSpan

    package init(_ value: Value, _ span: SourceSpan) {
        self.value = value
        self.span = span
    }

    /// A value that comes from no file.
    package init(_ value: Value) { self.init(value, SourceSpan(start: 0, end: 0)) }
}

extension Spanned {
    func map<Result>(_ value: Result) -> Spanned<Result> { Spanned<Result>(value, span) }
}

extension Spanned: Equatable where Value: Equatable {}
extension Spanned: Hashable where Value: Hashable {}
extension Spanned: Sendable where Value: Sendable {}

// Literals, so that an action in code is as short as one in a file.
extension Spanned: ExpressibleByUnicodeScalarLiteral where Value == String {
    package init(unicodeScalarLiteral value: String) { self.init(value) }
}
extension Spanned: ExpressibleByExtendedGraphemeClusterLiteral where Value == String {
    package init(extendedGraphemeClusterLiteral value: String) { self.init(value) }
}
extension Spanned: ExpressibleByStringLiteral where Value == String {
    package init(stringLiteral value: String) { self.init(value) }
}
extension Spanned: ExpressibleByIntegerLiteral where Value == Int {
    package init(integerLiteral value: Int) { self.init(value) }
}
