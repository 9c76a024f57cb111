import Core

/// A text with its path; converts byte offsets to lines and columns. The offsets of files that it uses follow
/// its own, so that a span identifies its file.
package struct SourceFile: Hashable, Sendable {
    package let path: String
    package let bytes: [UInt8]
    /// Offset at which each line begins.
    private let lineStarts: [Int]
    /// Files that this one uses.
    package private(set) var included: [Included] = []

    /// A used file.
    package struct Included: Hashable, Sendable {
        /// Offset at which its text begins.
        package var base: Int
        package var file: SourceFile
    }

    /// Adds a used file.
    /// - Returns: the offset at which its text begins.
    mutating func include(_ file: SourceFile) -> Int {
        let end = included.last.map { $0.base + $0.file.bytes.count } ?? bytes.count
        included.append(Included(base: end + 1, file: file))
        return end + 1
    }

    /// The file that contains a span, and the span in that file.
    package func resolve(_ span: SourceSpan) -> (file: SourceFile, span: SourceSpan) {
        guard let part = included.last(where: { $0.base <= span.start }) else { return (self, span) }
        return (part.file, SourceSpan(start: span.start - part.base, end: span.end - part.base))
    }

    package init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
        var starts = [0]
        bytes.withUnsafeBytes { bytes in
            var offset = 0
            while offset < bytes.count {
                // Eight bytes at a time: the high bit of a byte is 0 when the byte is above 0x0D (Bit
                // Twiddling Hacks, "determine if a word has a byte less than n").
                if offset + 8 <= bytes.count {
                    let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    if (word &- 0x0E0E_0E0E_0E0E_0E0E) & ~word & 0x8080_8080_8080_8080 == 0 {
                        offset += 8
                        continue
                    }
                }
                let byte = bytes[offset]
                let isLoneReturn = byte == 0x0D && !(offset + 1 < bytes.count && bytes[offset + 1] == 0x0A)
                if byte == 0x0A || isLoneReturn { starts.append(offset + 1) }
                offset += 1
            }
        }
        lineStarts = starts
    }

    /// Line and column, both from 1; columns in Unicode scalars.
    package struct Position: Hashable, Sendable {
        package var line: Int
        package var column: Int
    }

    package func position(of offset: Int) -> Position {
        if let part = included.last(where: { $0.base <= offset }) {
            return part.file.position(of: offset - part.base)
        }
        let line = lineIndex(of: offset)
        let scalars = bytes[lineStarts[line]..<min(max(offset, 0), bytes.count)]
            .reduce(0) { $1 & 0xC0 == 0x80 ? $0 : $0 + 1 }
        // A byte order mark has no column.
        let hasMark = line == 0 && bytes.starts(with: [0xEF, 0xBB, 0xBF])
        return Position(line: line + 1, column: max(1, scalars + (hasMark ? 0 : 1)))
    }

    /// The text of a line, without its line end; empty after the last line.
    /// - Parameter line: number of the line, from 1.
    package func text(ofLine line: Int) -> String {
        guard line >= 1, line <= lineStarts.count else { return "" }
        let start = lineStarts[line - 1]
        var end = line < lineStarts.count ? lineStarts[line] : bytes.count
        while end > start, bytes[end - 1] == 0x0A || bytes[end - 1] == 0x0D { end -= 1 }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let skip = line == 1 && bytes.starts(with: mark) ? mark.count : 0
        return String(decoding: bytes[min(start + skip, end)..<end], as: UTF8.self)
    }

    /// The text of a span, also in a used file.
    package func text(of span: SourceSpan) -> String {
        let (file, span) = resolve(span)
        return file.ownText(of: span)
    }

    private func ownText(of span: SourceSpan) -> String {
        String(decoding: bytes[max(0, span.start)..<min(span.end, bytes.count)], as: UTF8.self)
    }

    private func lineIndex(of offset: Int) -> Int {
        var low = 0
        var high = lineStarts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        return low
    }
}
