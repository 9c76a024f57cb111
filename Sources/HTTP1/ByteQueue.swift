/// Bytes that came and were not read yet; lines and pieces are taken from its front.
struct ByteQueue: Sendable {
    private var bytes: [UInt8] = []
    private var start = 0
    /// So many bytes from `start` on hold no line end: a line that comes byte by byte is not searched anew
    /// each time.
    private var searched = 0

    enum Line {
        case incomplete
        case tooLong
        case bareLineFeed
        case bareCarriageReturn
        /// Without its CRLF.
        case line(ArraySlice<UInt8>)
    }

    var count: Int { bytes.count - start }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ more: some Collection<UInt8>) {
        if start == bytes.count {
            bytes.removeAll(keepingCapacity: true)
            start = 0
        } else if start >= 16_384 {
            bytes.removeFirst(start)
            start = 0
        }
        bytes.append(contentsOf: more)
    }

    mutating func takeLine(limit: Int) -> Line {
        let from = start + searched
        let end = bytes.withUnsafeBufferPointer { all in
            var place = from
            while place < all.count, all[place] != 13, all[place] != 10 { place &+= 1 }
            return place
        }
        if end - start > limit { return .tooLong }
        searched = end - start
        guard end < bytes.count else { return .incomplete }
        if bytes[end] == 10 { return .bareLineFeed }
        guard end + 1 < bytes.count else { return .incomplete }
        if bytes[end + 1] != 10 { return .bareCarriageReturn }
        let line = bytes[start..<end]
        start = end + 2
        searched = 0
        return .line(line)
    }

    /// At most `limit` bytes; nil when there are none.
    mutating func take(atMost limit: Int) -> [UInt8]? {
        let taken = min(limit, count)
        guard taken > 0 else { return nil }
        let piece = Array(bytes[start..<start + taken])
        start += taken
        searched = 0
        return piece
    }

    mutating func removeAll() { self = ByteQueue() }
}

extension ByteQueue: Equatable {
    /// What is left to read counts, not how it lies in memory.
    static func == (left: ByteQueue, right: ByteQueue) -> Bool {
        left.bytes[left.start...] == right.bytes[right.start...]
    }
}
