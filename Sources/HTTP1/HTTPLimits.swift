/// How much a peer may send before it is refused, counted before it is kept (http.md HT-P10). In bytes but
/// for ``lines``.
public struct HTTPLimits: Hashable, Sendable {
    /// The request line or status line without its line end.
    public var startLine: Int
    /// One field line without its line end.
    public var fieldLine: Int
    /// All field lines of a head, or of a trailer section, with their line ends.
    public var fieldBlock: Int
    /// Field lines of a head or of a trailer section.
    public var lines: Int
    /// A body's content in all. May be changed between a head and the call that reads on.
    public var body: Int
    /// What the chunks of one body may spend on extensions in all (CVE-2023-39326).
    public var chunkExtensions: Int

    public init(
        startLine: Int = 8_192, fieldLine: Int = 8_192, fieldBlock: Int = 32_768, lines: Int = 100,
        body: Int = .max, chunkExtensions: Int = 4_096
    ) {
        self.startLine = startLine
        self.fieldLine = fieldLine
        self.fieldBlock = fieldBlock
        self.lines = lines
        self.body = body
        self.chunkExtensions = chunkExtensions
    }
}
