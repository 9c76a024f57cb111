/// The bytes of a file in blocks, which copies of a disk share. All blocks but the last are full; a hole is a
/// block of zeros. A file of the app package can be a generated content, whose bytes are made as they are
/// read; it has no blocks until it is changed.
package struct FileContent: Equatable, Sendable {
    /// Size in bytes.
    package private(set) var size: Int
    /// All blocks; none while ``generated`` is not nil.
    package private(set) var blocks: [ContentBlock]
    /// Content that takes the place of the blocks.
    private var generated: GeneratedFile?
    private let blockSize: Int

    package init(blockSize: Int) {
        size = 0
        blocks = []
        self.blockSize = blockSize
    }

    package init(_ content: PublishedContent, blockSize: Int) {
        self.init(blockSize: blockSize)
        if content.isGenerated {
            size = content.count
            generated = GeneratedFile(content)
        } else {
            _ = write(content.bytes[...], at: 0)
        }
    }

    package init(_ bytes: [UInt8], blockSize: Int) {
        self.init(blockSize: blockSize)
        _ = write(bytes[...], at: 0)
    }

    /// Bytes that the blocks occupy on the volume.
    package var allocated: Int {
        (generated == nil ? blocks.count : (size + blockSize - 1) / blockSize) * blockSize
    }

    /// The content as the world made it: of a file that no call has changed.
    package var published: PublishedContent { generated?.content ?? PublishedContent(bytes) }

    private mutating func makeBlocks() {
        guard let content = generated?.content else { return }
        generated = nil
        size = 0
        _ = write(content.bytes[...], at: 0)
    }

    /// All bytes, in a new array or in the one that they were written from.
    package var bytes: [UInt8] { read(at: 0, count: size) }

    /// At most `count` bytes from `offset`; none beyond the end.
    package func read(at offset: Int, count: Int) -> [UInt8] {
        guard offset < size, count > 0 else { return [] }
        let end = count < size - offset ? offset + count : size
        if let generated { return generated.content.read(offset..<end) }
        let touched = offset / blockSize...(end - 1) / blockSize
        if offset % blockSize == 0,
            let shared = ContentBlock.sharedBuffer(of: blocks[touched], count: end - offset)
        {
            return shared
        }
        var result: [UInt8] = []
        result.reserveCapacity(end - offset)
        for index in touched {
            let start = index * blockSize
            let bytes = blocks[index].bytes
            let from = bytes.startIndex + max(offset - start, 0)
            result.append(contentsOf: bytes[from..<bytes.startIndex + min(end - start, bytes.count)])
        }
        return result
    }

    /// Writes the bytes; fills a gap between the old end and `offset` with zeros.
    /// - Returns: the indices of the blocks that changed.
    package mutating func write(_ bytes: ArraySlice<UInt8>, at offset: Int) -> Range<Int> {
        guard !bytes.isEmpty else { return 0..<0 }
        makeBlocks()
        if offset > size { resize(to: offset) }
        let piece = Array(bytes)
        let end = offset + piece.count
        let touched = offset / blockSize..<(end - 1) / blockSize + 1
        for index in touched {
            let start = index * blockSize
            let from = max(offset, start)
            let to = min(end, start + blockSize)
            let old = index < blocks.count ? blocks[index] : nil
            let block: ContentBlock
            if let old, from > start || to < start + old.count {
                var merged = Array(old.bytes.prefix(from - start))
                merged.append(contentsOf: piece[from - offset..<to - offset])
                merged.append(contentsOf: old.bytes.dropFirst(to - start))
                block = ContentBlock(merged)
            } else {
                block = ContentBlock(piece, from: from - offset, count: to - from)
            }
            if index < blocks.count { blocks[index] = block } else { blocks.append(block) }
        }
        size = max(size, end)
        return touched
    }

    /// Cuts off, or adds zeros.
    package mutating func resize(to newSize: Int) {
        makeBlocks()
        if newSize < size {
            cut(to: newSize)
            return
        }
        size = newSize
        makeConsistent()
    }

    private mutating func cut(to newSize: Int) {
        let kept = (newSize + blockSize - 1) / blockSize
        if blocks.count > kept { blocks.removeLast(blocks.count - kept) }
        size = newSize
        let tail = newSize - (kept - 1) * blockSize
        if kept > 0, kept == blocks.count, blocks[kept - 1].count > tail {
            blocks[kept - 1] = blocks[kept - 1].prefix(tail)
        }
    }

    // The next two change a block or the size alone, as a power cut does; ``makeConsistent()`` must follow.

    /// Replaces or adds a block, also beyond the end, without changing the size.
    package mutating func replaceBlock(_ block: ContentBlock, at index: Int) {
        makeBlocks()
        while blocks.count <= index { blocks.append(ContentBlock([])) }
        blocks[index] = block
    }

    /// Changes the size alone; drops blocks beyond a smaller size.
    package mutating func setSize(_ newSize: Int) {
        makeBlocks()
        if newSize < size { cut(to: newSize) } else { size = newSize }
    }

    /// Fills what is missing before the end with zeros and drops what is beyond it.
    package mutating func makeConsistent() {
        if generated != nil { return }
        let needed = (size + blockSize - 1) / blockSize
        if blocks.count > needed { blocks.removeLast(blocks.count - needed) }
        for index in blocks.indices {
            let full = min(blockSize, size - index * blockSize)
            let count = blocks[index].count
            if count < full {
                blocks[index] = blocks[index].padded(to: full)
            } else if count > full {
                blocks[index] = blocks[index].prefix(full)
            }
        }
        while blocks.count < needed {
            blocks.append(ContentBlock.zero(min(blockSize, size - blocks.count * blockSize)))
        }
    }

    package static func == (left: FileContent, right: FileContent) -> Bool {
        if left.generated != nil || right.generated != nil { return left.published == right.published }
        guard left.size == right.size, left.blocks.count == right.blocks.count else { return false }
        return left.isShared(with: right) || left.blocks == right.blocks
    }

    /// Whether the file begins with all bytes of another one. Full blocks that both share are not read.
    package func begins(with other: FileContent) -> Bool {
        guard other.size <= size else { return false }
        let full = other.size / blockSize
        guard generated == nil, other.generated == nil, blocks.count >= full, other.blocks.count >= full
        else {
            return read(at: 0, count: other.size) == other.bytes
        }
        guard (0..<full).allSatisfy({ blocks[$0] == other.blocks[$0] }) else { return false }
        let start = full * blockSize
        let rest = other.size - start
        return read(at: start, count: rest) == other.read(at: start, count: rest)
    }

    /// Whether both share one array of blocks, which makes them equal without a comparison.
    package func isShared(with other: FileContent) -> Bool {
        guard size == other.size, blocks.count == other.blocks.count, generated == nil,
            other.generated == nil
        else { return false }
        return blocks.withUnsafeBufferPointer { mine in
            other.blocks.withUnsafeBufferPointer { mine.baseAddress == $0.baseAddress }
        }
    }

    package func mix(into sum: inout Fingerprint) {
        sum.add(size)
        if let generated { ContentBlock(generated.content.description).mix(into: &sum) }
        for block in blocks { block.mix(into: &sum) }
    }
}

/// A generated content behind a reference, so that each file of a disk stays small.
private final class GeneratedFile: Sendable {
    let content: PublishedContent

    init(_ content: PublishedContent) { self.content = content }
}
