/// How much a peer may send before it is refused, checked before anything is stored. All limits but
/// ``fieldLines`` are in bytes.
public struct HTTPLimits: Hashable, Sendable {
    /// Length of the request line or status line, without its line end.
    public var startLine: Int
    /// Length of one field line, without its line end.
    public var fieldLine: Int
    /// Total of the field lines of a head or of a trailer section, with their line ends.
    public var fieldBlock: Int
    /// Number of field lines of a head or of a trailer section.
    public var fieldLines: Int
    /// Length of a body's content. May be changed between a head and the call that reads on.
    public var body: Int
    /// Total of the chunk extensions of one body (CVE-2023-39326).
    public var chunkExtensions: Int

    public init(
        startLine: Int = 8_192, fieldLine: Int = 8_192, fieldBlock: Int = 32_768,
        fieldLines: Int = 100,
        body: Int = .max, chunkExtensions: Int = 4_096
    ) {
        self.startLine = startLine
        self.fieldLine = fieldLine
        self.fieldBlock = fieldBlock
        self.fieldLines = fieldLines
        self.body = body
        self.chunkExtensions = chunkExtensions
    }
}
