import Core

/// A value and where the scenario file says it, for errors and for expectations that fail.
public struct Spanned<Value> {
    public var value: Value
    public var span: SourceSpan

    public init(_ value: Value, _ span: SourceSpan) {
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
