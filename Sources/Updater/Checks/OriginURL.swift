import Core

/// The few URL operations the updater needs: scheme and authority of the origin, and RFC 3986 §5.2 resolution
/// of a reference against a URL. What comes out has one of the schemes and authorities that are allowed.
enum OriginURL {
    /// `https://host:port` of an absolute URL; the whole text when it has no path.
    static func root(_ url: String) -> String {
        let parts = URLParts(url)
        guard parts.isSecure != nil, let authority = parts.authority else { return url }
        return String(url[..<authority.endIndex])
    }

    /// Resolves a reference against a base, whose query and fragment don't count.
    /// - Parameter allowed: roots (scheme and authority) that the result may have.
    /// - Returns: nil where it would have another, or is no http URL.
    static func resolve(_ reference: String, against base: String, allowed: [String]) -> String? {
        let root = root(base)
        if isPlainPath(reference) {
            return isAllowed(root, allowed) ? root + reference : nil
        }
        guard let reference = encoded(reference), let base = encoded(base) else { return nil }
        let (parts, baseParts) = (URLParts(reference), URLParts(base))
        if parts.scheme != nil || parts.authority != nil {
            // Another scheme: `data:`, `file:`, `javascript:`.
            guard parts.scheme == nil || parts.isSecure != nil, let authority = parts.authority,
                let scheme = parts.scheme ?? baseParts.scheme
            else { return nil }
            let absolute = "\(scheme)://\(authority)\(parts.target)"
            return isAllowed(self.root(absolute), allowed) ? absolute : nil
        }
        guard isAllowed(root, allowed) else { return nil }
        let path = String(parts.path)
        let query = parts.query.map { "?" + $0 } ?? ""
        if path.isEmpty { return root + baseParts.path + query }
        if path.hasPrefix("/") { return root + withoutDots(path) + query }
        let slash = baseParts.path.utf8.lastIndex(of: UInt8(ascii: "/"))
        return root + withoutDots((slash.map { baseParts.path[...$0] } ?? "/") + path) + query
    }

    /// The first of a manifest's rows whose content would come from a root that is not allowed.
    static func firstElsewhere(_ rows: [Row], against base: String, allowed: [String]) -> Row? {
        let root = root(base)
        let isRootAllowed = isAllowed(root, allowed)
        let place = rows.indices.first { place in
            let reference = rows[place].url
            if isPlainPath(reference) { return !isRootAllowed }
            return resolve(reference, against: base, allowed: allowed) == nil
        }
        return place.map { rows[$0] }
    }

    /// `/a/b.js`, as nearly all rows of a manifest have it: nothing to encode, to cut off or to fold.
    private static func isPlainPath(_ reference: String) -> Bool {
        var former: UInt8 = 0
        let isPlain = TextBytes.all(reference) { byte in
            defer { former = byte }
            switch byte {
            case UInt8(ascii: "/"), UInt8(ascii: "."): if former == UInt8(ascii: "/") { return false }
            case 0...0x20, 0x7f..., UInt8(ascii: "?"), UInt8(ascii: "#"): return false
            default: break
            }
            return former != 0 || byte == UInt8(ascii: "/")
        }
        return isPlain && former != 0
    }

    /// Spaces and what is not ASCII percent-encoded; nil for control characters, which no URL has.
    private static func encoded(_ text: String) -> String? {
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else { return nil }
        if text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) { return text }
        var result: [UInt8] = []
        for byte in text.utf8 {
            if byte > 0x20, byte < 0x7f {
                result.append(byte)
            } else {
                result.append(UInt8(ascii: "%"))
                result.append(contentsOf: Hex.text([byte]).uppercased().utf8)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Scheme and host compare without case; the scheme's own port says nothing (RFC 3986 §6.2).
    private static func isAllowed(_ root: String, _ allowed: [String]) -> Bool {
        allowed.contains { $0 == root || plain($0) == plain(root) }
    }

    private static func plain(_ root: String) -> String {
        let text = root.lowercased()
        if text.hasPrefix("https://"), text.hasSuffix(":443") { return String(text.dropLast(4)) }
        if text.hasPrefix("http://"), text.hasSuffix(":80") { return String(text.dropLast(3)) }
        return text
    }

    /// RFC 3986 §5.2.4.
    private static func withoutDots(_ path: String) -> String {
        var kept: [Substring] = []
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for (number, segment) in segments.enumerated() {
            let isLast = number == segments.count - 1
            switch segment {
            case ".": if isLast { kept.append("") }
            case "..":
                if !kept.isEmpty { kept.removeLast() }
                if isLast { kept.append("") }
            default: kept.append(segment)
            }
        }
        return "/" + kept.joined(separator: "/")
    }
}
