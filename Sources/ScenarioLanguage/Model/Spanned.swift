import Core

/// A value and where the scenario file says it, for errors and for expectations that fail.
package struct Spanned<Value> {
    package var value: Value
    package var span: SourceSpan

    package init(_ value: Value, _ span: SourceSpan) {
        self.value = value
        self.span = span
    }
}

extension Spanned {
    func map<Result>(_ value: Result) -> Spanned<Result> { Spanned<Result>(value, span) }
}

extension Spanned: Equatable where Value: Equatable {}
extension Spanned: Hashable where Value: Hashable {}
extension Spanned: Sendable where Value: Sendable {}
