import Backend
import Core

/// Reads `partial/finished` as it grows: of a list to which lines were appended, only the new lines. It is no
/// part of an image's value.
struct FinishedListReading: Sendable {
    /// The list as it was read.
    private var content: FileContent?
    /// Number of bytes that were read so far, those of earlier lists included.
    private(set) var bytesRead = 0

    /// End of the last complete line, and number of digests before it.
    private var complete = (bytes: 0, digests: 0)

    /// Sets `found`, which has the digests of the list before, to those of a list.
    mutating func read(_ next: FileContent, into found: inout [Digest256]) {
        if let content, found.count >= complete.digests, next.begins(with: content) {
            found.removeLast(found.count - complete.digests)
        } else {
            found = []
            complete = (0, 0)
        }
        let bytes = next.read(at: complete.bytes, count: next.size - complete.bytes)
        bytesRead += bytes.count
        let end = bytes.lastIndex(of: 0x0a).map { $0 + 1 } ?? 0
        found += FinishedListReading.digests(in: bytes[..<end])
        complete = (complete.bytes + end, found.count)
        found += FinishedListReading.digests(in: bytes[end...])
        content = next
    }

    /// All runs of 64 hexadecimal digits.
    private static func digests(in bytes: ArraySlice<UInt8>) -> [Digest256] {
        bytes.split { Hex.value(ofDigit: $0) == nil }
            .filter { $0.count == 64 }
            .compactMap { Digest256(hex: String(decoding: $0, as: UTF8.self)) }
    }
}

extension FinishedListReading: Hashable {
    static func == (left: FinishedListReading, right: FinishedListReading) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}
