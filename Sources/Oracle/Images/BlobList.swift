import Core

/// The files of `blobs/` in one view of the store, sorted by name.
///
/// They are kept in short arrays, so that a new one moves and copies few of the others, however many there
/// are: checkers keep the list of the previous change beside the present one.
package struct BlobList: Sendable {
    /// Sorted, none of them empty.
    private var chunks: [[BlobImage]] = []
    package private(set) var count = 0

    private static let longestChunk = 128

    package init() {}

    package init(_ blobs: some Sequence<BlobImage>) { append(contentsOf: blobs) }

    package func blob(named name: Digest256) -> BlobImage? {
        guard let (chunk, index) = location(of: name), isBlob(name, chunk, index) else { return nil }
        return chunks[chunk][index]
    }

    /// Adds a blob, or replaces the one of its name.
    /// - Returns: the blob that had its name.
    @discardableResult
    package mutating func put(_ blob: BlobImage) -> BlobImage? {
        guard let (chunk, index) = location(of: blob.name) else {
            append(blob)
            return nil
        }
        if isBlob(blob.name, chunk, index) {
            let previous = chunks[chunk][index]
            chunks[chunk][index] = blob
            return previous
        }
        chunks[chunk].insert(blob, at: index)
        count += 1
        if chunks[chunk].count > BlobList.longestChunk {
            let half = chunks[chunk].count / 2
            chunks.insert(Array(chunks[chunk][half...]), at: chunk + 1)
            chunks[chunk].removeSubrange(half...)
        }
        return nil
    }

    /// - Returns: whether there was a blob of that name.
    package mutating func remove(named name: Digest256) -> Bool {
        guard let (chunk, index) = location(of: name), isBlob(name, chunk, index) else { return false }
        chunks[chunk].remove(at: index)
        if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
        count -= 1
        return true
    }

    /// Chunk and index of a blob, or where it would be inserted; nil for an empty list.
    private func location(of name: Digest256) -> (chunk: Int, index: Int)? {
        if chunks.isEmpty { return nil }
        let next = chunks.indices.bisected { chunks[$0][0].name <= name }
        let chunk = Swift.max(next - 1, 0)
        return (chunk, chunks[chunk].indices.bisected { chunks[chunk][$0].name < name })
    }

    private func isBlob(_ name: Digest256, _ chunk: Int, _ index: Int) -> Bool {
        index < chunks[chunk].count && chunks[chunk][index].name == name
    }
}

/// As any list of blobs. Access by index is slower than iteration.
extension BlobList: RandomAccessCollection, MutableCollection, RangeReplaceableCollection {
    package var startIndex: Int { 0 }
    package var endIndex: Int { count }

    package subscript(index: Int) -> BlobImage {
        get {
            let (chunk, offset) = location(at: index)
            return chunks[chunk][offset]
        }
        set {
            let (chunk, offset) = location(at: index)
            chunks[chunk][offset] = newValue
        }
    }

    private func location(at index: Int) -> (chunk: Int, offset: Int) {
        var offset = index
        var chunk = 0
        while offset >= chunks[chunk].count {
            offset -= chunks[chunk].count
            chunk += 1
        }
        return (chunk, offset)
    }

    package func makeIterator() -> FlattenSequence<[[BlobImage]]>.Iterator { chunks.joined().makeIterator() }

    package mutating func replaceSubrange(_ range: Range<Int>, with blobs: some Collection<BlobImage>) {
        var all = Array(chunks.joined())
        all.replaceSubrange(range, with: blobs)
        count = all.count
        chunks = stride(from: 0, to: all.count, by: BlobList.longestChunk).map { start in
            Array(all[start..<Swift.min(start + BlobList.longestChunk, all.count)])
        }
    }
}

extension BlobList: ExpressibleByArrayLiteral {
    package init(arrayLiteral blobs: BlobImage...) { self.init(blobs) }
}

extension BlobList: Hashable {
    package static func == (left: BlobList, right: BlobList) -> Bool {
        left.count == right.count && left.elementsEqual(right)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for blob in self { hasher.combine(blob) }
    }
}
