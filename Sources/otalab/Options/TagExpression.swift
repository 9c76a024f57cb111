/// An expression over a scenario's tags: `rollback and not (slow or flaky)`. `not` binds tighter than `and`,
/// and `and` tighter than `or`.
indirect enum TagExpression: Sendable {
    case tag(String)
    case not(TagExpression)
    case both(TagExpression, TagExpression)
    case either(TagExpression, TagExpression)

    init(_ text: String) throws(UsageError) {
        var tokens = TagExpression.tokens(text)[...]
        self = try TagExpression.either(&tokens, text)
        if let token = tokens.first {
            throw TagExpression.fault(text, "'\(token)' is unexpected")
        }
    }

    func holds(_ tags: [String]) -> Bool {
        switch self {
        case .tag(let tag): tags.contains(tag)
        case .not(let inner): !inner.holds(tags)
        case .both(let left, let right): left.holds(tags) && right.holds(tags)
        case .either(let left, let right): left.holds(tags) || right.holds(tags)
        }
    }

    /// The tags in the expression.
    var tags: [String] {
        switch self {
        case .tag(let tag): [tag]
        case .not(let inner): inner.tags
        case .both(let left, let right), .either(let left, let right): left.tags + right.tags
        }
    }

    private static func tokens(_ text: String) -> [String] {
        var tokens: [String] = []
        var token = ""
        func end() {
            if !token.isEmpty { tokens.append(token) }
            token = ""
        }
        for character in text {
            if character.isWhitespace {
                end()
            } else if "()".contains(character) {
                end()
                tokens.append(String(character))
            } else {
                token.append(character)
            }
        }
        end()
        return tokens
    }

    private static func either(_ tokens: inout ArraySlice<String>, _ text: String) throws(UsageError) -> Self
    {
        var left = try both(&tokens, text)
        while tokens.first == "or" {
            tokens.removeFirst()
            left = .either(left, try both(&tokens, text))
        }
        return left
    }

    private static func both(_ tokens: inout ArraySlice<String>, _ text: String) throws(UsageError) -> Self {
        var left = try operand(&tokens, text)
        while tokens.first == "and" {
            tokens.removeFirst()
            left = .both(left, try operand(&tokens, text))
        }
        return left
    }

    /// Parses a tag or an expression in parentheses. A chain of `not` is read in a loop and parentheses nest
    /// at most 100 deep, so that no text overflows the stack.
    private static func operand(
        _ tokens: inout ArraySlice<String>, _ text: String
    ) throws(UsageError) -> Self {
        var isNegated = false
        while tokens.first == "not" {
            tokens.removeFirst()
            isNegated.toggle()
        }
        guard let token = tokens.popFirst() else { throw fault(text, "a tag is missing at the end") }
        var inner: TagExpression
        switch token {
        case "(":
            if text.count(where: { $0 == "(" }) > 100 { throw fault(text, "it is nested too deep") }
            inner = try either(&tokens, text)
            guard tokens.popFirst() == ")" else { throw fault(text, "a ')' is missing") }
        case ")", "and", "or": throw fault(text, "a tag is missing before '\(token)'")
        default: inner = .tag(token)
        }
        return isNegated ? .not(inner) : inner
    }

    private static func fault(_ text: String, _ what: String) -> UsageError {
        UsageError(
            message: "--tag can't be \"\(text)\": \(what)",
            help: "write tags with and, or, not and parentheses: \"rollback and not slow\"")
    }
}
