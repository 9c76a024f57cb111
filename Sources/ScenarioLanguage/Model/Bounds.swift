import Core

/// Lower and upper bound of a number, both inclusive: of bytes, microseconds or counts.
package struct Bounds: Hashable, Sendable {
    package var atLeast: Int64?
    package var atMost: Int64?
    package var span: SourceSpan

    package init(atLeast: Int64? = nil, atMost: Int64? = nil, span: SourceSpan) {
        self.atLeast = atLeast
        self.atMost = atMost
        self.span = span
    }

    package func holds(_ number: Int64) -> Bool {
        if let atLeast, number < atLeast { return false }
        if let atMost, number > atMost { return false }
        return true
    }

    /// The number, when lower and upper bound are equal.
    package var exact: Int64? { atLeast == atMost ? atLeast : nil }
}

/// Expected content of a list: exactly these elements in any order, or some present and some absent.
package enum ListExpectation: Hashable, Sendable {
    case exact([Spanned<String>], span: SourceSpan)
    case partial(has: [Spanned<String>], hasNot: [Spanned<String>], span: SourceSpan)

    package var span: SourceSpan {
        switch self {
        case .exact(_, let span), .partial(_, _, let span): span
        }
    }
}

/// An amount of a file: `"60%"` or `"786432 B"`.
package enum Amount: Hashable, Sendable {
    case percent(Int)
    case bytes(Int)

    /// The amount of a whole, in bytes, rounded down.
    package func bytes(of whole: Int) -> Int {
        switch self {
        case .bytes(let count): count
        case .percent(let percent):
            whole / 100 * percent + whole % 100 * percent / 100
        }
    }
}
