/// What goes through the pipe between this program and its workers: a list of byte strings behind its length.
///
/// VerificationSummary: what is written is read back equal, wherever a pipe cuts it. What can go wrong: a
/// length that no frame has, or parts that do not fill it (``FrameFault``); then nothing that follows can be
/// trusted.
struct Frame: Hashable, Sendable {
    var parts: [[UInt8]]

    /// More than any result has.
    static let mostBytes = 1 << 30

    /// Length of all that follows, then each part behind its own length: four bytes each, the highest first.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(parts.reduce(4) { $0 + 4 + $1.count })
        Frame.append(parts.reduce(0) { $0 + 4 + $1.count }, to: &bytes)
        for part in parts {
            Frame.append(part.count, to: &bytes)
            bytes += part
        }
        return bytes
    }

    private static func append(_ length: Int, to bytes: inout [UInt8]) {
        for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: length >> shift)) }
    }

    static func length(_ bytes: some Collection<UInt8>) -> Int {
        bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    }

    /// - Parameter body: what follows the length of the whole.
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

/// Frames as they come out of a pipe, in pieces of any size.
struct FrameReader {
    private var bytes: [UInt8] = []

    mutating func add(_ piece: some Collection<UInt8>) { bytes += piece }

    /// The next whole frame, if there is one.
    mutating func next() throws(FrameFault) -> Frame? {
        guard bytes.count >= 4 else { return nil }
        let count = Frame.length(bytes)
        guard count <= Frame.mostBytes else { throw FrameFault() }
        guard bytes.count >= 4 + count else { return nil }
        let frame = try Frame(body: bytes[4..<(4 + count)])
        bytes.removeFirst(4 + count)
        return frame
    }
}
