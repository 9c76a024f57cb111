/// A token of a JSON text, with its location.
package struct JSONToken: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case leftBrace, rightBrace, leftBracket, rightBracket, colon, comma
        case string(String)
        case number(JSONNumber)
        /// `true`, `false`, `null`, a bare key, or any other identifier.
        case identifier
        /// `// …` without its line end, or `/* … */`; JSON5 only.
        case comment
        case end
    }

    package var kind: Kind
    package var span: SourceSpan
}
