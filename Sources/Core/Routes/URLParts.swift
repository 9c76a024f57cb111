/// The parts of a URL, or of a reference to one, as they are written (RFC 3986 §3 and appendix B): nothing is
/// decoded, folded or checked.
package struct URLParts: Hashable, Sendable {
    /// Scheme without its colon; nil for a relative reference.
    package let scheme: Substring?
    /// Authority without the `//` before it; nil when there is none.
    package let authority: Substring?
    package let path: Substring
    /// Query without the `?`; nil when there is none.
    package let query: Substring?
    /// Fragment without the `#`; nil when there is none.
    package let fragment: Substring?
    /// Path and query, as in a request line.
    package let target: Substring

    package init(_ url: String) {
        let bytes = url.utf8
        func end(_ start: String.Index, _ isDelimiter: (UInt8) -> Bool) -> String.Index {
            bytes[start...].firstIndex(where: isDelimiter) ?? url.endIndex
        }
        func has(_ byte: UInt8, at index: String.Index) -> Bool {
            index < url.endIndex && bytes[index] == byte
        }
        let (colon, slash) = (UInt8(ascii: ":"), UInt8(ascii: "/"))
        let (questionMark, numberSign) = (UInt8(ascii: "?"), UInt8(ascii: "#"))
        var index = url.startIndex
        let schemeEnd = end(index) { $0 == colon || $0 == slash || $0 == questionMark || $0 == numberSign }
        if has(colon, at: schemeEnd) {
            scheme = url[..<schemeEnd]
            index = bytes.index(after: schemeEnd)
        } else {
            scheme = nil
        }
        if bytes[index...].starts(with: "//".utf8) {
            let start = bytes.index(index, offsetBy: 2)
            index = end(start) { $0 == slash || $0 == questionMark || $0 == numberSign }
            authority = url[start..<index]
        } else {
            authority = nil
        }
        let pathEnd = end(index) { $0 == questionMark || $0 == numberSign }
        let targetEnd = has(questionMark, at: pathEnd) ? end(pathEnd) { $0 == numberSign } : pathEnd
        path = url[index..<pathEnd]
        target = url[index..<targetEnd]
        query = pathEnd < targetEnd ? url[bytes.index(after: pathEnd)..<targetEnd] : nil
        fragment = targetEnd < url.endIndex ? url[bytes.index(after: targetEnd)...] : nil
    }

    /// Whether an absolute URL is https or http, in letters of either case; nil for any other.
    package var isSecure: Bool? {
        guard authority != nil else { return nil }
        return switch scheme?.lowercased() {
        case "https": true
        case "http": false
        default: nil
        }
    }
}
