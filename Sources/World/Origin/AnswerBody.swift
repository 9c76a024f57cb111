import Backend
import Core

/// The body of an answer: a content or a part of it, whose bytes are made when they are taken, and which a
/// fault may have corrupted.
struct AnswerBody: Equatable, Sendable, ExpressibleByArrayLiteral {
    private var content: PublishedContent
    /// The part of the content that is the body.
    private var range: Range<Int>
    private var corruptions: [Corruption] = []

    /// Bytes that are replaced by others.
    private struct Corruption: Equatable, Sendable {
        /// Range in the content.
        var range: Range<Int>
        /// First byte of the body in the content when it was corrupted.
        var start: Int
        var noise: UInt64
    }

    init(_ content: PublishedContent) {
        self.content = content
        range = 0..<content.count
    }

    init(_ bytes: [UInt8]) { self.init(PublishedContent(bytes)) }

    init(arrayLiteral bytes: UInt8...) { self.init(bytes) }

    var count: Int { range.count }
    var isEmpty: Bool { range.isEmpty }

    /// All bytes.
    var bytes: [UInt8] { read(0..<count) }

    /// The bytes of a range of the body.
    func read(_ part: Range<Int>) -> [UInt8] {
        let wanted = range.lowerBound + part.lowerBound..<range.lowerBound + part.upperBound
        var bytes = content.read(wanted)
        for corruption in corruptions {
            for index in corruption.range.clamped(to: wanted) {
                // Never the same byte as before.
                let shift = UInt64((index - corruption.start) % 8 * 8)
                bytes[index - wanted.lowerBound] ^= UInt8(truncatingIfNeeded: corruption.noise &>> shift) | 1
            }
        }
        return bytes
    }

    /// A range of the body as a body.
    func part(_ part: Range<Int>) -> AnswerBody {
        var body = self
        body.range = range.lowerBound + part.lowerBound..<range.lowerBound + part.upperBound
        return body
    }

    /// Replaces the bytes of a range. `noise` determines by which.
    mutating func corrupt(_ part: Range<Int>, noise: UInt64) {
        let start = range.lowerBound
        corruptions.append(
            Corruption(
                range: start + part.lowerBound..<start + part.upperBound, start: start, noise: noise))
    }
}
