/// Reads one body in pieces as they come and finds its end.
struct BodyReader: Equatable, Sendable {
    private var framing: BodyFraming
    private var chunks = ChunkedDecoder()
    private var left: Int
    private var taken = 0

    enum Piece {
        case bytes([UInt8])
        case end(trailers: HeaderFields)
    }

    init(_ framing: BodyFraming) {
        self.framing = framing
        switch framing {
        case .length(let length): left = length
        case .none, .chunked, .untilClose: left = 0
        }
    }

    /// The next piece, nil while more bytes are needed.
    mutating func next(from queue: inout ByteQueue, _ limits: HTTPLimits) throws(ParseFailure) -> Piece? {
        switch framing {
        case .none: return .end(trailers: HeaderFields())
        case .length(let length):
            if length > limits.body { throw .bodyTooLarge }
            if left == 0 { return .end(trailers: HeaderFields()) }
            guard let bytes = queue.take(atMost: left) else { return nil }
            left -= bytes.count
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

    /// Whether a close by the peer ends the body here rather than cutting it off.
    var mayEndByClose: Bool { framing == .untilClose }

    private mutating func count(_ bytes: [UInt8], _ limits: HTTPLimits) throws(ParseFailure) {
        taken += bytes.count
        if taken > limits.body { throw .bodyTooLarge }
    }
}
