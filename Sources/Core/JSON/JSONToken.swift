/// The smallest piece of a JSON text, with its place.
public struct JSONToken: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case leftBrace, rightBrace, leftBracket, rightBracket, colon, comma
        case string(String)
        case number(JSONNumber)
        /// `true`, `false`, `null`, a bare key, or a word that is nothing.
        case word
        /// `// …` without its line end, or `/* … */`; JSON5 only.
        case comment
        case end
    }

    public var kind: Kind
    public var span: SourceSpan
}
