/// The bytes of a file of a version: literal ones, or a literal beginning and end with filler between them,
/// which is generated as it is read. A file of any size thus costs what is read of it.
///
/// Guarantees: a value, so a copy costs some reference counts; equal contents read equal bytes. Reading is
/// not cached.
package struct PublishedContent: Sendable {
    /// Literal bytes before the filler; all bytes of a content without one.
    private let beginning: [UInt8]
    private let filler: Filler
    private let end: [UInt8]
    private let meter: ContentMeter?

    /// Bytes that are read at once where a content is read from its first byte to its last.
    package static let pieceSize = 64 << 10

    package init(_ bytes: [UInt8]) { self.init(bytes, Filler(seed: 0, .bytes, count: 0), []) }

    /// - Parameter meter: counts the bytes of the filler that are generated.
    package init(_ beginning: [UInt8], _ filler: Filler, _ end: [UInt8], meter: ContentMeter? = nil) {
        self.beginning = beginning
        self.filler = filler
        self.end = end
        self.meter = meter
    }

    /// Size in bytes.
    package var count: Int { beginning.count + filler.count + end.count }

    /// All bytes, in a new array unless they are literal.
    package var bytes: [UInt8] { read(0..<count) }

    /// Whether reading generates bytes.
    package var isGenerated: Bool { filler.count > 0 }

    /// The bytes of a range, which must be within the content.
    package func read(_ range: Range<Int>) -> [UInt8] {
        if range.isEmpty { return [] }
        if range == 0..<beginning.count { return beginning }
        if range.upperBound <= beginning.count { return Array(beginning[range]) }
        let fillerStart = beginning.count
        let endStart = fillerStart + filler.count
        let made = range.clamped(to: fillerStart..<endStart)
        meter?.add(made.count)
        return [UInt8](unsafeUninitializedCapacity: range.count) { buffer, filled in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            func copy(_ bytes: [UInt8], at start: Int) {
                let part = range.clamped(to: start..<start + bytes.count)
                if part.isEmpty { return }
                bytes[part.lowerBound - start..<part.upperBound - start].withUnsafeBytes {
                    UnsafeMutableRawBufferPointer(rebasing: raw[(part.lowerBound - range.lowerBound)...])
                        .copyMemory(from: $0)
                }
            }
            copy(beginning, at: 0)
            if !made.isEmpty {
                filler.write(
                    made.lowerBound - fillerStart..<made.upperBound - fillerStart,
                    to: UnsafeMutableRawBufferPointer(rebasing: raw[(made.lowerBound - range.lowerBound)...]))
            }
            copy(end, at: endStart)
            filled = range.count
        }
    }

    /// Calls `body` with the bytes, in order and in pieces of at most ``pieceSize``, until it returns false.
    /// - Returns: whether it returned true for each.
    @discardableResult
    package func readPieces(_ body: ([UInt8], _ offset: Int) -> Bool) -> Bool {
        if !isGenerated, end.isEmpty { return body(beginning, 0) }
        var offset = 0
        while offset < count {
            let next = min(offset + PublishedContent.pieceSize, count)
            if !body(read(offset..<next), offset) { return false }
            offset = next
        }
        return true
    }

    /// Whether the content has exactly these bytes.
    package func hasBytes(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == count else { return false }
        return bytes.withUnsafeBytes { other in
            readPieces { piece, offset in
                piece.withUnsafeBytes {
                    areEqual($0, UnsafeRawBufferPointer(rebasing: other[offset..<offset + piece.count]))
                }
            }
        }
    }

    /// Whether a file of a disk has exactly these bytes.
    package func isContent(of file: FileContent) -> Bool {
        guard file.size == count else { return false }
        return readPieces { piece, offset in
            let other = file.read(at: offset, count: piece.count)
            return piece.withUnsafeBytes { piece in other.withUnsafeBytes { areEqual(piece, $0) } }
        }
    }

    /// The content with its bytes in memory if they are at most `size`, so that reading them copies nothing.
    package func literal(upTo size: Int) -> PublishedContent {
        isGenerated && count <= size ? PublishedContent(bytes) : self
    }

    /// What the bytes are generated from. Different contents have different descriptions.
    package var description: [UInt8] {
        Array("\(beginning.count) \(end.count) \(filler.description)\n".utf8) + beginning + end
    }
}

extension PublishedContent: Equatable {
    package static func == (left: PublishedContent, right: PublishedContent) -> Bool {
        guard left.count == right.count else { return false }
        if left.filler == right.filler, left.beginning == right.beginning, left.end == right.end {
            return true
        }
        return left.readPieces { piece, offset in piece == right.read(offset..<offset + piece.count) }
    }
}

/// Whether both buffers hold the same bytes; takes no time if they are the same memory.
private func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    guard let first = left.baseAddress, let second = right.baseAddress else { return true }
    if first == second { return true }
    var index = 0
    while index + 8 <= left.count {
        let a = first.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        let b = second.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        if a != b { return false }
        index &+= 8
    }
    while index < left.count {
        if left[index] != right[index] { return false }
        index &+= 1
    }
    return true
}
