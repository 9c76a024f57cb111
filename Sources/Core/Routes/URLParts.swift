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
        func end(_ start: String.Index, _ delimiters: String) -> String.Index {
            bytes[start...].firstIndex(where: delimiters.utf8.contains) ?? url.endIndex
        }
        func has(_ byte: Character, at index: String.Index) -> Bool {
            index < url.endIndex && bytes[index] == byte.asciiValue
        }
        var index = url.startIndex
        let colon = end(index, ":/?#")
        if has(":", at: colon) {
            scheme = url[..<colon]
            index = bytes.index(after: colon)
        } else {
            scheme = nil
        }
        if bytes[index...].starts(with: "//".utf8) {
            let start = bytes.index(index, offsetBy: 2)
            index = end(start, "/?#")
            authority = url[start..<index]
        } else {
            authority = nil
        }
        let mark = end(index, "?#")
        let hash = has("?", at: mark) ? end(mark, "#") : mark
        path = url[index..<mark]
        target = url[index..<hash]
        query = mark < hash ? url[bytes.index(after: mark)..<hash] : nil
        fragment = hash < url.endIndex ? url[bytes.index(after: hash)...] : nil
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
