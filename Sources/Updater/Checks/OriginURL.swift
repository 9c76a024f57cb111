/// The few URL operations the updater needs: scheme and authority of the origin, and RFC 3986 §5.2 resolution
/// of a reference against the manifest's URL. What comes out stays within the origin's scheme and authority.
enum OriginURL {
    /// `https://host:port` of an absolute URL; the whole text when it has no path.
    static func root(_ url: String) -> String {
        guard let scheme = schemeEnd(url) else { return url }
        let rest = url[scheme...]
        guard let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) else { return url }
        return String(url[..<slash])
    }

    /// Resolves a reference against a base without query. A reference with a scheme or an authority of its
    /// own is taken only when it is the origin's (U10: origin change).
    static func resolve(_ reference: String, against base: String) -> String? {
        let root = root(base)
        if schemeEnd(reference) != nil { return self.root(reference) == root ? reference : nil }
        if reference.hasPrefix("//") { return nil }
        let (path, query) = split(reference)
        let directory: String
        if path.hasPrefix("/") {
            directory = ""
        } else {
            let basePath = String(base.dropFirst(root.count))
            directory = basePath.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(basePath[...$0]) } ?? "/"
        }
        return root + withoutDots(directory + path) + query
    }

    private static func split(_ reference: String) -> (path: String, query: String) {
        let end = reference.utf8.firstIndex(of: UInt8(ascii: "#")) ?? reference.endIndex
        let text = reference[..<end]
        guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "?")) else { return (String(text), "") }
        return (String(text[..<mark]), String(text[mark...]))
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

    private static func schemeEnd(_ url: String) -> String.Index? {
        for scheme in ["https://", "http://"] where url.hasPrefix(scheme) {
            return url.index(url.startIndex, offsetBy: scheme.utf8.count)
        }
        return nil
    }
}
