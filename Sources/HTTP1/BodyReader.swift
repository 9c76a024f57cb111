import Core

/// Reads one body piece by piece as bytes arrive, and finds its end.
struct BodyReader: Equatable, Sendable {
    private var framing: BodyFraming
    private var chunks: ChunkedDecoder
    /// Bytes still missing from a body with a length.
    private var remaining: UntrustedInteger
    /// Content bytes read from a body without a length.
    private var received = 0

    enum Piece {
        case bytes([UInt8])
        case end(trailers: HeaderFields)
    }

    init(_ framing: BodyFraming, _ syntax: HTTPSyntax) {
        self.framing = framing
        chunks = ChunkedDecoder(syntax)
        switch framing {
        case .length(let length): remaining = length
        case .none, .chunked, .untilClose: remaining = 0
        }
    }

    /// The next piece; nil while more bytes are needed.
    mutating func next(from queue: inout ByteQueue, _ limits: HTTPLimits) throws(ParseFailure) -> Piece? {
        switch framing {
        case .none: return .end(trailers: HeaderFields())
        case .length(let length):
            if length > UntrustedInteger(limits.body) { throw .bodyTooLarge }
            if remaining == 0 { return .end(trailers: HeaderFields()) }
            guard let bytes = queue.take(atMost: remaining.clamped(to: 0...Int.max)) else { return nil }
            remaining = remaining.subtracting(UntrustedInteger(bytes.count))
            return .bytes(bytes)
        case .chunked:
            guard let piece = try chunks.next(from: &queue, limits) else { return nil }
            if case .bytes(let bytes) = piece { try count(bytes, limits) }
            return piece
        case .untilClose:
            guard let bytes = queue.take(atMost: .max) else { return nil }
            try count(bytes, limits)
            return .bytes(bytes)
        }
    }

    /// Whether a close by the peer completes the body, rather than truncating it.
    var mayEndByClose: Bool { framing == .untilClose }

    private mutating func count(_ bytes: [UInt8], _ limits: HTTPLimits) throws(ParseFailure) {
        received += bytes.count
        if received > limits.body { throw .bodyTooLarge }
    }
}
