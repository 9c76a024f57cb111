import Core

/// What a number may be, both ends included. Bytes, times (microseconds) and counts alike.
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

    /// The one number that holds, if there is one.
    package var exact: Int64? { atLeast == atMost ? atLeast : nil }
}

/// What a list may hold: exactly these, in any order, or some and some not.
package enum ListExpectation: Hashable, Sendable {
    case exact([Spanned<String>], span: SourceSpan)
    case partial(has: [Spanned<String>], hasNot: [Spanned<String>], span: SourceSpan)

    package var span: SourceSpan {
        switch self {
        case .exact(_, let span), .partial(_, _, let span): span
        }
    }
}

/// A part of a file: `"60%"` or `"786432 B"`.
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
