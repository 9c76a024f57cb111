/// Bytes received and not yet parsed; lines and pieces are taken from the front.
struct ByteQueue: Sendable {
    private var bytes: [UInt8] = []
    private var start = 0
    /// Bytes after `start` known to contain no line end, so that a line that arrives byte by byte is searched
    /// only once.
    private var searched = 0

    enum Line {
        case incomplete
        case tooLong
        case bareLineFeed
        case bareCarriageReturn
        /// The line without its line end.
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

    /// Removes the first line. A line longer than `limit` bytes is `tooLong` before its end has arrived.
    mutating func takeLine(limit: Int, _ syntax: HTTPSyntax) -> Line {
        let from = start + searched
        let end = bytes.withUnsafeBufferPointer { all in
            ByteQueue.firstLineEnd(in: UnsafeRawBufferPointer(all), from: from)
        }
        if end - start > limit { return .tooLong }
        searched = end - start
        guard end < bytes.count else { return .incomplete }
        var next = end + 1
        if bytes[end] == 10 {
            if syntax == .strict { return .bareLineFeed }
        } else {
            guard next < bytes.count else { return .incomplete }
            if bytes[next] != 10 { return .bareCarriageReturn }
            next += 1
        }
        let line = bytes[start..<end]
        start = next
        searched = 0
        return .line(line)
    }

    /// Index of the first CR or LF; the number of bytes if there is none. Eight bytes at a time: `word &-
    /// ones` borrows into the highest bit of a byte that is zero.
    private static func firstLineEnd(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highest = ones << 7
        var index = start
        while index &+ 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let returns = word ^ (ones &* 13)
            let feeds = word ^ (ones &* 10)
            let found = ((returns &- ones) & ~returns) | ((feeds &- ones) & ~feeds)
            if found & highest != 0 { break }
            index &+= 8
        }
        while index < bytes.count, bytes[index] != 13, bytes[index] != 10 { index &+= 1 }
        return index
    }

    /// Removes at most `limit` bytes; nil when the queue is empty.
    mutating func take(atMost limit: Int) -> [UInt8]? {
        let size = min(limit, count)
        guard size > 0 else { return nil }
        let piece = Array(bytes[start..<start + size])
        start += size
        searched = 0
        return piece
    }

    mutating func removeAll() { self = ByteQueue() }
}

extension ByteQueue: Equatable {
    /// Compares the unread bytes, not the storage they are in.
    static func == (left: ByteQueue, right: ByteQueue) -> Bool {
        left.bytes[left.start...] == right.bytes[right.start...]
    }
}
