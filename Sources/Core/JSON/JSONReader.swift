/// Reads a JSON text into a tree in which every value and key has its location.
///
/// Guarantees: a text is read completely or refused with the first fault and its location; keys of an object
/// are unique; time is linear (n log n in the keys of one object); stack and memory are bounded by
/// ``JSONLimits``. Errors are a ``JSONFault``. Deliberately not here: the meaning of the values.
package struct JSONReader: Sendable {
    private var tokens: JSONTokenizer
    private let dialect: JSONDialect
    private let limits: JSONLimits
    private var nodes = 0
    private var comments: [SourceSpan] = []
    /// End of the last token that is not a comment, where a missing comma is reported.
    private var lastEnd = 0

    /// - Throws: ``JSONFault`` for the first fault of the text.
    package static func read(
        _ bytes: [UInt8], dialect: JSONDialect, limits: JSONLimits = JSONLimits()
    ) throws(JSONFault) -> JSONNode {
        try readKeepingComments(bytes, dialect: dialect, limits: limits).root
    }

    /// The tree, and the spans of all comments in order, for a formatter.
    /// - Throws: ``JSONFault`` for the first fault of the text.
    package static func readKeepingComments(
        _ bytes: [UInt8], dialect: JSONDialect, limits: JSONLimits = JSONLimits()
    ) throws(JSONFault) -> (root: JSONNode, comments: [SourceSpan]) {
        try check(bytes, limits)
        return try readByTokens(bytes, dialect: dialect, limits: limits)
    }

    /// Refuses a text that is too long or not UTF-8.
    static func check(_ bytes: [UInt8], _ limits: JSONLimits) throws(JSONFault) {
        if bytes.count > limits.maxBytes {
            throw JSONFault(
                "the text is too long", label: "the limit of \(limits.maxBytes) bytes is here",
                at: SourceSpan(start: limits.maxBytes, end: limits.maxBytes))
        }
        if let offset = UTF8Check.firstFault(in: bytes) {
            throw JSONFault(
                "a byte that is not UTF-8",
                label: "byte 0x" + String(bytes[offset], radix: 16, uppercase: true),
                at: SourceSpan(start: offset, end: offset + 1), help: "save the file as UTF-8")
        }
    }

    /// The complete reader, which reports every fault. The bytes must be UTF-8 already.
    static func readByTokens(
        _ bytes: [UInt8], dialect: JSONDialect, limits: JSONLimits
    ) throws(JSONFault) -> (root: JSONNode, comments: [SourceSpan]) {
        var reader = JSONReader(
            tokens: JSONTokenizer(bytes, dialect: dialect), dialect: dialect, limits: limits)
        let root = try reader.document()
        return (root, reader.comments)
    }

    private init(tokens: JSONTokenizer, dialect: JSONDialect, limits: JSONLimits) {
        self.tokens = tokens
        self.dialect = dialect
        self.limits = limits
    }

    private mutating func document() throws(JSONFault) -> JSONNode {
        let first = try next()
        if case .end = first.kind {
            throw JSONFault("the text is empty", label: "expected a value here", at: first.span)
        }
        let root = try value(first, depth: 0)
        let rest = try next()
        guard case .end = rest.kind else {
            throw JSONFault("text after the end of the value", label: "not expected", at: rest.span)
        }
        return root
    }

    private mutating func next() throws(JSONFault) -> JSONToken {
        lastEnd = tokens.position
        var token = try tokens.next()
        while case .comment = token.kind {
            comments.append(token.span)
            token = try tokens.next()
        }
        return token
    }

    private mutating func value(_ token: JSONToken, depth: Int) throws(JSONFault) -> JSONNode {
        nodes += 1
        if nodes > limits.maxNodes {
            throw JSONFault("more than \(limits.maxNodes) values", label: "one too many", at: token.span)
        }
        switch token.kind {
        case .string(let text): return JSONNode(.string(text), span: token.span)
        case .number(let number): return JSONNode(.number(number), span: token.span)
        case .identifier: return try literal(token.span)
        case .leftBrace: return try object(from: token.span, depth: try deeper(depth, token.span))
        case .leftBracket: return try array(from: token.span, depth: try deeper(depth, token.span))
        case .end:
            throw JSONFault("the text ends too early", label: "expected a value here", at: token.span)
        case .rightBrace, .rightBracket, .colon, .comma, .comment:
            throw JSONFault("a value is missing", label: "expected a value here", at: token.span)
        }
    }

    private mutating func deeper(_ depth: Int, _ span: SourceSpan) throws(JSONFault) -> Int {
        if depth >= limits.maxDepth {
            throw JSONFault("nested deeper than \(limits.maxDepth)", label: "one level too many", at: span)
        }
        return depth + 1
    }

    private mutating func literal(_ span: SourceSpan) throws(JSONFault) -> JSONNode {
        let text = text(of: span)
        switch text {
        case "true": return JSONNode(.bool(true), span: span)
        case "false": return JSONNode(.bool(false), span: span)
        case "null": return JSONNode(.null, span: span)
        case "NaN", "Infinity":
            throw JSONFault("'\(text)' is not a number that can be used", label: "not taken", at: span)
        default:
            throw JSONFault(
                "'\(text)' is not a value", label: "expected a value here", at: span,
                help: "text needs quotes: write \"\(text)\"")
        }
    }

    private func text(of span: SourceSpan) -> String {
        String(decoding: tokens.bytes[span.start..<span.end], as: UTF8.self)
    }
}

// Containers.
extension JSONReader {
    private mutating func array(from open: SourceSpan, depth: Int) throws(JSONFault) -> JSONNode {
        var elements: [JSONNode] = []
        var token = try next()
        while true {
            if case .rightBracket = token.kind { break }
            elements.append(try value(try inside(open, "[", token), depth: depth))
            token = try next()
            if case .rightBracket = token.kind { break }
            guard case .comma = token.kind else { throw missingComma("elements", token, open, "[") }
            let comma = token.span
            token = try next()
            if dialect == .strict, case .rightBracket = token.kind { throw trailingComma(comma) }
        }
        return JSONNode(.array(elements), span: open.through(token.span))
    }

    private mutating func object(from open: SourceSpan, depth: Int) throws(JSONFault) -> JSONNode {
        var members: [JSONMember] = []
        members.reserveCapacity(8)
        var token = try next()
        while true {
            if case .rightBrace = token.kind { break }
            let key = try key(try inside(open, "{", token))
            let colon = try next()
            guard case .colon = colon.kind else {
                throw JSONFault(
                    "missing ':' after key '\(key)'", label: "expected ':' here",
                    at: SourceSpan(start: lastEnd, end: lastEnd))
            }
            let value = try value(try inside(open, "{", try next()), depth: depth)
            members.append(JSONMember(key: key, keySpan: token.span, value: value))
            token = try next()
            if case .rightBrace = token.kind { break }
            guard case .comma = token.kind else { throw missingComma("members", token, open, "{") }
            let comma = token.span
            token = try next()
            if dialect == .strict, case .rightBrace = token.kind { throw trailingComma(comma) }
        }
        if let pair = Self.firstDuplicate(members) {
            throw JSONFault(
                "duplicate key '\(members[pair.second].key)'", label: "again here",
                at: members[pair.second].keySpan,
                help: "keep one of the two", other: members[pair.first].keySpan)
        }
        return JSONNode(.object(members), span: open.through(token.span))
    }

    private mutating func key(_ token: JSONToken) throws(JSONFault) -> String {
        switch token.kind {
        case .string(let key): return key
        case .number:
            throw needsQuotes(token.span)
        case .identifier:
            // The author meant `boot-limit` as one key; it must not be read as `boot` and a number.
            var end = token.span.end
            while end < tokens.bytes.count, Self.continuesKey(tokens.bytes[end]) { end += 1 }
            let span = SourceSpan(start: token.span.start, end: end)
            if dialect == .strict || end > token.span.end { throw needsQuotes(span) }
            return text(of: span)
        case .comma, .colon, .leftBrace, .leftBracket, .rightBrace, .rightBracket, .comment, .end:
            throw JSONFault("a key is missing", label: "expected a key here", at: token.span)
        }
    }

    private static func continuesKey(_ byte: UInt8) -> Bool {
        JSONTokenizer.continuesIdentifier(byte) || byte >= 0x80 || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "\\")
    }

    /// The token, unless the container is left open or closed by the wrong bracket.
    ///
    /// Mutating like ``value(_:depth:)`` and for speed only: a call that borrows copies the reader for each
    /// token.
    private mutating func inside(_ open: SourceSpan, _ bracket: String, _ token: JSONToken) throws(JSONFault)
        -> JSONToken
    {
        switch token.kind {
        case .end: throw neverClosed(open, bracket, token)
        case .rightBrace where bracket == "[", .rightBracket where bracket == "{":
            throw wrongBracket(open, bracket, token)
        default: return token
        }
    }

    private func neverClosed(_ open: SourceSpan, _ bracket: String, _ token: JSONToken) -> JSONFault {
        JSONFault(
            "'\(bracket)' is never closed", label: "the text ends here", at: token.span,
            help: "add '\(bracket == "{" ? "}" : "]")'", other: open)
    }

    private func wrongBracket(_ open: SourceSpan, _ bracket: String, _ token: JSONToken) -> JSONFault {
        let right = bracket == "{" ? "}" : "]"
        return JSONFault(
            "'\(bracket)' closed by '\(text(of: token.span))'", label: "expected '\(right)' here",
            at: token.span, other: open)
    }

    private func missingComma(
        _ between: String, _ token: JSONToken, _ open: SourceSpan, _ bracket: String
    ) -> JSONFault {
        switch token.kind {
        case .end: return neverClosed(open, bracket, token)
        case .rightBrace, .rightBracket: return wrongBracket(open, bracket, token)
        default:
            return JSONFault(
                "missing ',' between \(between)", label: "expected ',' here",
                at: SourceSpan(start: lastEnd, end: lastEnd), help: "add a comma after this value")
        }
    }

    private func trailingComma(_ span: SourceSpan) -> JSONFault {
        JSONFault(
            "a comma after the last value", label: "strict JSON has none", at: span, help: "take it out")
    }

    private func needsQuotes(_ span: SourceSpan) -> JSONFault {
        JSONFault(
            "key '\(text(of: span))' needs quotes", label: "not a bare key", at: span,
            help: "write \"\(text(of: span))\"")
    }

    /// The earliest repeated key, with its first location. The search is linear for small objects, which all
    /// real texts have, and sorts the keys of a hostile one.
    private static func firstDuplicate(_ members: [JSONMember]) -> (first: Int, second: Int)? {
        if members.count <= 16 {
            for second in members.indices.dropFirst() {
                for first in 0..<second where TextBytes.areEqual(members[first].key, members[second].key) {
                    return (first, second)
                }
            }
            return nil
        }
        // One hash for each key: when no two hashes are equal, no two keys are.
        var hashes = members.map { TextBytes.hash($0.key) }
        hashes.sort()
        if !hashes.indices.dropFirst().contains(where: { hashes[$0] == hashes[$0 - 1] }) { return nil }
        // Equal keys are then adjacent, in the order of the text. Keys chosen to have equal hashes only cost
        // comparisons.
        var order = members.indices.map { (hash: TextBytes.hash(members[$0].key), index: $0) }
        order.sort { left, right in
            if left.hash != right.hash { return left.hash < right.hash }
            let (one, two) = (members[left.index].key, members[right.index].key)
            return TextBytes.areEqual(one, two) ? left.index < right.index : TextBytes.precedes(one, two)
        }
        var found: (first: Int, second: Int)?
        for index in order.indices.dropFirst() where order[index].hash == order[index - 1].hash {
            let (left, right) = (order[index - 1].index, order[index].index)
            if TextBytes.areEqual(members[left].key, members[right].key), right < found?.second ?? Int.max {
                found = (left, right)
            }
        }
        return found
    }
}
