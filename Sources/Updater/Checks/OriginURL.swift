import Core

/// The few URL operations that the updater needs: scheme and authority of the origin, and resolution of a
/// reference against a URL (RFC 3986 §5.2). A result always has one of the allowed schemes and authorities.
enum OriginURL {
    /// `https://host:port` of an absolute URL; the whole text if it has no path.
    static func root(_ url: String) -> String {
        let parts = URLParts(url)
        guard parts.isSecure != nil, let authority = parts.authority else { return url }
        return String(url[..<authority.endIndex])
    }

    /// Resolves a reference against a base, whose query and fragment are ignored.
    /// - Parameter allowed: roots (scheme and authority) that the result may have.
    /// - Returns: nil if the result would have another root or is not an http URL.
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
        if path.hasPrefix("/") { return root + removingDotSegments(path) + query }
        let slash = baseParts.path.utf8.lastIndex(of: UInt8(ascii: "/"))
        return root + removingDotSegments((slash.map { baseParts.path[...$0] } ?? "/") + path) + query
    }

    /// The first asset of a manifest whose content would come from a root that is not allowed.
    static func firstDisallowed(_ assets: [Asset], against base: String, allowed: [String]) -> Asset? {
        let root = root(base)
        let isRootAllowed = isAllowed(root, allowed)
        let index = assets.indices.first { index in
            let reference = assets[index].url
            if isPlainPath(reference) { return !isRootAllowed }
            return resolve(reference, against: base, allowed: allowed) == nil
        }
        return index.map { assets[$0] }
    }

    /// Whether the reference is like `/a/b.js`, as nearly all assets of a manifest have it: nothing to
    /// encode, to cut off or to normalise.
    private static func isPlainPath(_ reference: String) -> Bool {
        var previous: UInt8 = 0
        let isPlain = TextBytes.all(reference) { byte in
            defer { previous = byte }
            switch byte {
            case UInt8(ascii: "/"), UInt8(ascii: "."): if previous == UInt8(ascii: "/") { return false }
            case 0...0x20, 0x7f..., UInt8(ascii: "?"), UInt8(ascii: "#"): return false
            default: break
            }
            return previous != 0 || byte == UInt8(ascii: "/")
        }
        return isPlain && previous != 0
    }

    /// The text with spaces and non-ASCII characters percent-encoded; nil for control characters, which no
    /// URL has.
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

    /// Scheme and host are compared without case; the scheme's default port is ignored (RFC 3986 §6.2).
    private static func isAllowed(_ root: String, _ allowed: [String]) -> Bool {
        allowed.contains { $0 == root || normalized($0) == normalized(root) }
    }

    private static func normalized(_ root: String) -> String {
        let text = root.lowercased()
        if text.hasPrefix("https://"), text.hasSuffix(":443") { return String(text.dropLast(4)) }
        if text.hasPrefix("http://"), text.hasSuffix(":80") { return String(text.dropLast(3)) }
        return text
    }

    /// The path without dot segments (RFC 3986 §5.2.4).
    private static func removingDotSegments(_ path: String) -> String {
        var kept: [Substring] = []
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
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
