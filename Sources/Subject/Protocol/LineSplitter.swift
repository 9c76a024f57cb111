/// Splits a stream of bytes into lines.
///
/// Guarantees: each line is given once, without its end (`\n` or `\r\n`); memory is bounded by ``maxLine``. A
/// longer line is reported once, and ends the splitting: its end may never come.
package struct LineSplitter: Sendable {
    package enum Piece: Hashable, Sendable {
        case line([UInt8])
        /// The beginning of a line that is longer than ``maxLine``.
        case tooLong([UInt8])
    }

    /// Longest line in bytes.
    package static let maxLine = 1 << 20

    private var rest: [UInt8] = []
    private var hasEnded = false

    package init() {}

    /// Bytes after the last line end.
    package var unfinished: [UInt8] { rest }

    package mutating func take(_ bytes: some Sequence<UInt8>) -> [Piece] {
        if hasEnded { return [] }
        var pieces: [Piece] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
                pieces.append(.line(rest))
                rest = []
                continue
            }
            rest.append(byte)
            if rest.count > LineSplitter.maxLine {
                pieces.append(.tooLong(rest))
                hasEnded = true
                rest = []
                return pieces
            }
        }
        return pieces
    }
}
