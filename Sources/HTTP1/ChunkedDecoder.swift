import Core

/// Decodes the chunked transfer coding (RFC 9112 §7.1): sizes are bounded before they are used; extensions
/// are parsed, bounded in total and dropped; trailers are kept separate, without the fields that would change
/// the message.
struct ChunkedDecoder: Equatable, Sendable {
    private enum State: Equatable, Sendable {
        case size
        case data(left: Int)
        case dataEnd
        case trailers(FieldBlock)
    }

    private let syntax: HTTPSyntax
    private var state = State.size
    private var extensionBytes = 0

    /// Most hexadecimal digits of a size: below 2⁶⁰ it never overflows.
    private static let maxDigits = 15

    init(_ syntax: HTTPSyntax) { self.syntax = syntax }

    mutating func next(
        from queue: inout ByteQueue, _ limits: HTTPLimits
    ) throws(ParseFailure) -> BodyReader.Piece? {
        while true {
            switch state {
            case .size:
                guard try readSize(from: &queue, limits) else { return nil }
            case .data(let left):
                guard let bytes = queue.take(atMost: left) else { return nil }
                state = bytes.count == left ? .dataEnd : .data(left: left - bytes.count)
                return .bytes(bytes)
            case .dataEnd:
                switch queue.takeLine(limit: 0, syntax) {
                case .incomplete: return nil
                case .tooLong, .bareCarriageReturn: throw .badChunkEnd
                case .bareLineFeed: throw .bareLineFeed
                case .line: state = .size
                }
            case .trailers(var block):
                let fields = try block.read(from: &queue, limits)
                state = .trailers(block)
                return fields.map { .end(trailers: ChunkedDecoder.permitted($0)) }
            }
        }
    }

    private mutating func readSize(
        from queue: inout ByteQueue, _ limits: HTTPLimits
    ) throws(ParseFailure) -> Bool {
        let left = min(limits.chunkExtensions - extensionBytes, Int.max - ChunkedDecoder.maxDigits)
        switch queue.takeLine(limit: ChunkedDecoder.maxDigits + left, syntax) {
        case .incomplete: return false
        case .tooLong: throw .chunkExtensionsTooLarge
        case .bareLineFeed: throw .bareLineFeed
        case .bareCarriageReturn: throw .bareCarriageReturn
        case .line(let line):
            var size = 0
            var rest = line
            while let byte = rest.first, let digit = Hex.value(ofDigit: byte) {
                if line.count - rest.count == ChunkedDecoder.maxDigits { throw .badChunkSize }
                size = size << 4 | Int(digit)
                rest.removeFirst()
            }
            if rest.count == line.count { throw .badChunkSize }
            if !rest.isEmpty {
                guard ChunkExtensions.begin(rest) else { throw .badChunkSize }
                extensionBytes += rest.count
                if extensionBytes > limits.chunkExtensions { throw .chunkExtensionsTooLarge }
                guard ChunkExtensions.areWellFormed(rest) else { throw .badChunkExtension }
            }
            state = size == 0 ? .trailers(FieldBlock(syntax)) : .data(left: size)
            return true
        }
    }

    /// RFC 9110 §6.5.1: fields for framing, routing, authentication and the like are not allowed as trailers.
    private static func permitted(_ trailers: HeaderFields) -> HeaderFields {
        HeaderFields(
            trailers.fields.filter { field in
                !refused.contains { HeaderFields.areEqual($0, field.name) }
            })
    }

    private static let refused = [
        "Content-Length", "Transfer-Encoding", "Host", "Authorization", "Proxy-Authorization", "Set-Cookie",
        "Cookie", "Connection", "Trailer", "Upgrade", "TE", "Expect", "Range", "Content-Encoding",
        "Content-Type", "Content-Range", "Cache-Control", "Max-Forwards", "Age", "Date", "Location", "Vary",
    ]
}

/// `*( BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] )` (RFC 9112 §7.1.1). Every recipient must
/// read the blanks of `BWS` (RFC 9110 §5.6.3).
enum ChunkExtensions {
    static func begin(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.first { !Token.isBlank($0) } == UInt8(ascii: ";")
    }

    static func areWellFormed(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while skip(UInt8(ascii: ";"), &rest) {
            guard skipToken(&rest) else { return false }
            guard skip(UInt8(ascii: "="), &rest) else { continue }
            let isRead = rest.first == UInt8(ascii: "\"") ? skipQuoted(&rest) : skipToken(&rest)
            guard isRead else { return false }
        }
        return rest.isEmpty
    }

    /// Skips the byte with the blanks before and after it; nothing where another byte follows the blanks.
    private static func skip(_ byte: UInt8, _ rest: inout ArraySlice<UInt8>) -> Bool {
        let found = rest.drop(while: Token.isBlank)
        guard found.first == byte else { return false }
        rest = found.dropFirst().drop(while: Token.isBlank)
        return true
    }

    private static func skipToken(_ rest: inout ArraySlice<UInt8>) -> Bool {
        let before = rest.count
        while let byte = rest.first, Token.isTokenByte(byte) { rest.removeFirst() }
        return rest.count < before
    }

    private static func skipQuoted(_ rest: inout ArraySlice<UInt8>) -> Bool {
        rest.removeFirst()
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return true }
            guard Token.isValueByte(byte) else { return false }
            if byte == UInt8(ascii: "\\") {
                guard let escaped = rest.popFirst(), Token.isValueByte(escaped) else { return false }
            }
        }
        return false
    }
}
