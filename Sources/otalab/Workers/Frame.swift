/// A message between this program and a worker: a length-prefixed list of byte strings.
///
/// Guarantees: what is written is read back equal, however the pipe splits it. A length over ``maxBytes``, or
/// parts that do not fill the frame, throw ``FrameFault``; the rest of the stream can't be trusted then.
struct Frame: Hashable, Sendable {
    var parts: [[UInt8]]

    /// More bytes than any result has.
    static let maxBytes = 1 << 30

    /// The encoded frame: the length of the body, then the body; lengths are four bytes, big-endian.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4 + bodyCount)
        Frame.append(bodyCount, to: &bytes)
        appendBody(to: &bytes)
        return bytes
    }

    /// Each part after its length: how a frame is a part of another one.
    var body: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(bodyCount)
        appendBody(to: &bytes)
        return bytes
    }

    private var bodyCount: Int { parts.reduce(0) { $0 + 4 + $1.count } }

    private func appendBody(to bytes: inout [UInt8]) {
        for part in parts {
            Frame.append(part.count, to: &bytes)
            bytes += part
        }
    }

    private static func append(_ length: Int, to bytes: inout [UInt8]) {
        for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: length >> shift)) }
    }

    static func length(_ bytes: some Collection<UInt8>) -> Int {
        bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    }

    /// - Parameter body: the bytes after the frame's length.
    init(body: ArraySlice<UInt8>) throws(FrameFault) {
        parts = []
        var rest = body
        while !rest.isEmpty {
            let count = Frame.length(rest)
            guard rest.count >= 4 + count else { throw FrameFault() }
            parts.append(Array(rest.dropFirst(4).prefix(count)))
            rest = rest.dropFirst(4 + count)
        }
    }

    init(_ parts: [[UInt8]]) { self.parts = parts }
}

struct FrameFault: Error, Hashable {}

/// Decodes frames from a pipe, in pieces of any size.
struct FrameReader {
    private var bytes: [UInt8] = []

    mutating func add(_ piece: some Collection<UInt8>) { bytes += piece }

    /// The next complete frame, if there is one.
    mutating func next() throws(FrameFault) -> Frame? {
        guard bytes.count >= 4 else { return nil }
        let count = Frame.length(bytes)
        guard count <= Frame.maxBytes else { throw FrameFault() }
        guard bytes.count >= 4 + count else { return nil }
        let frame = try Frame(body: bytes[4..<(4 + count)])
        bytes.removeFirst(4 + count)
        return frame
    }
}
