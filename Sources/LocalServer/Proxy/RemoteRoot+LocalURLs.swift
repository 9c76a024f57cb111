import Core
import HTTP1

/// URLs and cookie paths in responses of the remote root, as the page needs them (rule S7): a request for a
/// path of this server goes to the same path behind the base, so the base is removed on the way back.
extension RemoteRoot {
    /// A URL reference of a response (`Location`, `Content-Location`). What names a resource below this root
    /// becomes that resource's path on this server. Anything else stays absolute or becomes so, because its
    /// path would name another resource here.
    /// - Parameter requestPath: path of the request as the page sent it; a relative reference starts there.
    func localReference(_ reference: String, requestPath: String) -> String {
        let url = URLParts(reference)
        let path: String
        if let named = url.authority {
            // Without a scheme the reference has that of the response's URL, which is not this server's.
            guard (url.scheme == nil ? isSecure : url.isSecure) == isSecure, isOwn(named) else {
                return url.scheme == nil ? scheme + ":" + reference : reference
            }
            path = url.path.isEmpty ? "/" : String(url.path)
        } else if url.scheme != nil || url.path.isEmpty || base.isEmpty {
            return reference
        } else if url.path.utf8.first == UInt8(ascii: "/") {
            path = String(url.path)
        } else {
            // A relative path means the same on both sides unless it climbs out of the base.
            if !PathSegments.hasDots(url.path) { return reference }
            let folder = TextBytes.afterLast(UInt8(ascii: "/"), in: requestPath)
            path = base + requestPath[..<(folder ?? requestPath.startIndex)] + url.path
        }
        let rest = (url.query.map { "?" + $0 } ?? "") + (url.fragment.map { "#" + $0 } ?? "")
        let resolved = base.isEmpty ? path : PathSegments.withoutDots(path)
        guard let local = withoutBase(resolved) else { return origin + resolved + rest }
        // Two slashes would begin an authority, and browsers read a backslash as a slash.
        let second = local.utf8.dropFirst().first
        let isAmbiguous = second == UInt8(ascii: "/") || second == UInt8(ascii: "\\")
        return (isAmbiguous ? "/." : "") + local + rest
    }

    /// The `Path` of a cookie, behind the base; nil: no request for this root has a path below it.
    func localCookiePath(_ path: String) -> String? {
        // Anything else stands for the default (RFC 6265 §5.2.4), which is relative to the request.
        guard !base.isEmpty, path.utf8.first == UInt8(ascii: "/") else { return path }
        if let local = withoutBase(path) { return local }
        let folder = path.utf8.last == UInt8(ascii: "/") ? path : path + "/"
        return base.utf8.starts(with: folder.utf8) ? "/" : nil
    }

    /// The path behind the base; nil where it is not below the base.
    private func withoutBase(_ path: String) -> String? {
        guard path.utf8.starts(with: base.utf8) else { return nil }
        let rest = path.utf8.dropFirst(base.utf8.count)
        if rest.isEmpty { return "/" }
        return rest.first == UInt8(ascii: "/") ? String(Substring(rest)) : nil
    }

    private func isOwn(_ authority: Substring) -> Bool {
        guard let authority = Authority(authority.utf8) else { return false }
        return authority.host == host && authority.port ?? (isSecure ? 443 : 80) == Int(port)
    }
}

/// The segments of a URL's path as browsers read them (URL Standard, path state): a backslash separates as a
/// slash does, and `%2e` is a dot.
private enum PathSegments {
    static func hasDots(_ path: Substring) -> Bool { split(path).contains { dots($0) != nil } }

    /// The path without its dot segments (RFC 3986 §5.2.4), unchanged where it has none.
    static func withoutDots(_ path: String) -> String {
        guard hasDots(path[...]) else { return path }
        var kept: [Substring] = []
        let segments = split(path[...]).dropFirst()
        for index in segments.indices {
            switch dots(segments[index]) {
            case nil:
                kept.append(Substring(segments[index]))
                continue
            case 1: break
            default: _ = kept.popLast()
            }
            if index == segments.endIndex - 1 { kept.append("") }
        }
        return "/" + kept.joined(separator: "/")
    }

    private static func split(_ path: Substring) -> [Substring.UTF8View] {
        path.utf8.split(omittingEmptySubsequences: false) {
            $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\")
        }
    }

    /// 1 or 2 for a dot segment; nil for any other.
    private static func dots(_ segment: Substring.UTF8View) -> Int? {
        var rest = segment
        var count = 0
        while !rest.isEmpty, count < 3 {
            if rest.first == UInt8(ascii: ".") {
                rest = rest.dropFirst()
            } else if rest.starts(with: "%2e".utf8) || rest.starts(with: "%2E".utf8) {
                rest = rest.dropFirst(3)
            } else {
                return nil
            }
            count += 1
        }
        return count == 1 || count == 2 ? count : nil
    }
}
