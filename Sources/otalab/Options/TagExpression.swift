/// `rollback and not (slow or flaky)`: which tags a scenario must have. `not` binds tighter than `and`,
/// and that tighter than `or`.
indirect enum TagExpression: Sendable {
    case tag(String)
    case not(TagExpression)
    case both(TagExpression, TagExpression)
    case either(TagExpression, TagExpression)

    init(_ text: String) throws(UsageError) {
        var words = TagExpression.words(text)[...]
        self = try TagExpression.either(&words, text)
        if let word = words.first {
            throw TagExpression.fault(text, "'\(word)' is one too many")
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

    /// All that it names.
    var tags: [String] {
        switch self {
        case .tag(let tag): [tag]
        case .not(let inner): inner.tags
        case .both(let left, let right), .either(let left, let right): left.tags + right.tags
        }
    }

    private static func words(_ text: String) -> [String] {
        var words: [String] = []
        var word = ""
        func end() {
            if !word.isEmpty { words.append(word) }
            word = ""
        }
        for character in text {
            if character.isWhitespace {
                end()
            } else if "()".contains(character) {
                end()
                words.append(String(character))
            } else {
                word.append(character)
            }
        }
        end()
        return words
    }

    private static func either(_ words: inout ArraySlice<String>, _ text: String) throws(UsageError) -> Self {
        var left = try both(&words, text)
        while words.first == "or" {
            words.removeFirst()
            left = .either(left, try both(&words, text))
        }
        return left
    }

    private static func both(_ words: inout ArraySlice<String>, _ text: String) throws(UsageError) -> Self {
        var left = try one(&words, text)
        while words.first == "and" {
            words.removeFirst()
            left = .both(left, try one(&words, text))
        }
        return left
    }

    /// A chain of `not` is unrolled, so that no text is too deep; parentheses nest 100 deep at most.
    private static func one(
        _ words: inout ArraySlice<String>, _ text: String
    ) throws(UsageError) -> Self {
        var isTurned = false
        while words.first == "not" {
            words.removeFirst()
            isTurned.toggle()
        }
        guard let word = words.popFirst() else { throw fault(text, "a tag is missing at the end") }
        var inner: TagExpression
        switch word {
        case "(":
            if text.count(where: { $0 == "(" }) > 100 { throw fault(text, "it is nested too deep") }
            inner = try either(&words, text)
            guard words.popFirst() == ")" else { throw fault(text, "a ')' is missing") }
        case ")", "and", "or": throw fault(text, "a tag is missing before '\(word)'")
        default: inner = .tag(word)
        }
        return isTurned ? .not(inner) : inner
    }

    private static func fault(_ text: String, _ what: String) -> UsageError {
        UsageError(
            message: "--tag can't be \"\(text)\": \(what)",
            help: "write tags with and, or, not and parentheses: \"rollback and not slow\"")
    }
}
