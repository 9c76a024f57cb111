/// The parts of a URL, or of a reference to one, as they are written (RFC 3986 §3 and appendix B): nothing is
/// decoded, folded or checked.
package struct URLParts: Hashable, Sendable {
    private let url: String
    private let offsets: Offsets

    package init(_ url: String) {
        self.url = url
        offsets =
            url.utf8.withContiguousStorageIfAvailable { Offsets($0) }
            ?? Array(url.utf8).withUnsafeBufferPointer { Offsets($0) }
    }

    /// Scheme without its colon; nil for a relative reference.
    package var scheme: Substring? { offsets.scheme.map(part) }
    /// Authority without the `//` before it; nil when there is none.
    package var authority: Substring? { offsets.authority.map(part) }
    package var path: Substring { part(offsets.path) }
    /// Query without the `?`; nil when there is none.
    package var query: Substring? { offsets.query.map(part) }
    /// Fragment without the `#`; nil when there is none.
    package var fragment: Substring? { offsets.fragment.map(part) }
    /// Path and query, as in a request line.
    package var target: Substring {
        part(offsets.path.lowerBound..<(offsets.query ?? offsets.path).upperBound)
    }

    private func part(_ range: Range<Int>) -> Substring {
        let start = url.utf8.index(url.startIndex, offsetBy: range.lowerBound)
        return url[start..<url.utf8.index(start, offsetBy: range.count)]
    }

    /// Where the parts are, as offsets of bytes.
    private struct Offsets: Hashable, Sendable {
        var scheme: Range<Int>?
        var authority: Range<Int>?
        var path: Range<Int>
        var query: Range<Int>?
        var fragment: Range<Int>?

        init(_ bytes: UnsafeBufferPointer<UInt8>) {
            let (colon, slash) = (UInt8(ascii: ":"), UInt8(ascii: "/"))
            let (questionMark, numberSign) = (UInt8(ascii: "?"), UInt8(ascii: "#"))
            func end(_ start: Int, _ isDelimiter: (UInt8) -> Bool) -> Int {
                var index = start
                while index < bytes.count, !isDelimiter(bytes[index]) { index += 1 }
                return index
            }
            var index = end(0) { $0 == colon || $0 == slash || $0 == questionMark || $0 == numberSign }
            if index < bytes.count, bytes[index] == colon {
                scheme = 0..<index
                index += 1
            } else {
                index = 0
            }
            if index + 1 < bytes.count, bytes[index] == slash, bytes[index + 1] == slash {
                let start = index + 2
                index = end(start) { $0 == slash || $0 == questionMark || $0 == numberSign }
                authority = start..<index
            }
            path = index..<end(index) { $0 == questionMark || $0 == numberSign }
            index = path.upperBound
            if index < bytes.count, bytes[index] == questionMark {
                query = index + 1..<end(index) { $0 == numberSign }
                index = query?.upperBound ?? index
            }
            if index < bytes.count { fragment = index + 1..<bytes.count }
        }
    }

    /// Whether an absolute URL is https or http, in letters of either case; nil for any other.
    package var isSecure: Bool? {
        guard offsets.authority != nil, let scheme, scheme.utf8.count <= 5 else { return nil }
        // The letters in lower case, as one number: the origin's URL is asked for with every request.
        let letters = scheme.utf8.reduce(0 as UInt64) { $0 << 8 | UInt64($1 | 0x20) }
        switch letters {
        case 0x68_74_74_70_73: return true  // https
        case 0x68_74_74_70: return false  // http
        default: return nil
        }
    }
}
