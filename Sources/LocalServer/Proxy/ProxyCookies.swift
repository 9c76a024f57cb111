import Core
import HTTP1

/// How cookies of the remote root are rewritten for pages on loopback http, and their names back (rule S7).
enum ProxyCookies {
    /// Prefixes of cookies that browsers accept over https only (RFC 6265bis §4.1.3), whatever their case.
    private static let securePrefixes = ["__secure-", "__host-", "__http-"]
    /// Beginning of the name under which the browser keeps such a cookie; the whole name follows it.
    private static let mark = "otalab-"

    /// The `Cookie` of a page for the remote root: without this server's cookies, other names as the remote
    /// root gave them. nil: nothing is left.
    static func request(_ value: String) -> String? {
        let pairs = split(value)
        let kept = pairs.filter { !isOwn(name(of: $0)) }
        let named = kept.map { pair in
            guard isMarked(name(of: pair)) else { return pair }
            let blanks = pair.utf8.prefix(while: Token.isBlank)
            let name = pair.utf8.dropFirst(blanks.count + mark.utf8.count)
            return String(Substring(blanks)) + Substring(name)
        }
        if named == pairs { return value }
        let text = named.joined(separator: ";")
        if kept.count == pairs.count { return text }
        let rest = trimmed(text)
        return rest.isEmpty ? nil : String(rest)
    }

    /// The value of a `Set-Cookie` as the page's browser keeps it; nil: it is dropped, because it would be a
    /// cookie of this server, or because no request for the remote root has a path below its `Path`.
    static func response(_ value: String, from root: RemoteRoot) -> String? {
        var parts = split(value)
        let name = name(of: parts[0])
        if isOwn(name) || isMarked(name) { return nil }
        if hasSecurePrefix(name), parts[0].utf8.contains(UInt8(ascii: "=")) {
            parts[0] = mark + trimmed(parts[0])
        }
        for index in parts.indices.dropFirst().reversed() {
            let value = valueOfAttribute(parts[index])
            switch lowercased(ProxyCookies.name(of: parts[index])) {
            // Partitioned cookies must be secure (CHIPS §3.1), and so must cookies with SameSite=None.
            case "secure", "partitioned", "domain": parts.remove(at: index)
            case "samesite" where lowercased(value) == "none": parts[index] = " SameSite=Lax"
            case "path":
                guard let path = root.localCookiePath(String(value)) else { return nil }
                if path != value { parts[index] = " Path=" + path }
            default: break
            }
        }
        return parts.joined(separator: ";")
    }

    private static func isOwn(_ name: Substring) -> Bool { ReservedQueryItems.isCookie(name) }

    private static func isMarked(_ name: Substring) -> Bool {
        name.utf8.starts(with: mark.utf8)
            && hasSecurePrefix(Substring(name.utf8.dropFirst(mark.utf8.count)))
    }

    private static func hasSecurePrefix(_ name: Substring) -> Bool {
        let name = lowercased(name)
        return securePrefixes.contains { name.utf8.starts(with: $0.utf8) }
    }

    // MARK: - Parts of a line

    private static func split(_ value: String) -> [String] {
        value.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
    }

    /// What comes before the first `=`, without blanks around it.
    private static func name(of part: String) -> Substring {
        trimmed(String(Substring(part.utf8.prefix { $0 != UInt8(ascii: "=") })))
    }

    /// What comes after the first `=`, without blanks around it.
    private static func valueOfAttribute(_ part: String) -> Substring {
        trimmed(String(Substring(part.utf8.drop { $0 != UInt8(ascii: "=") }.dropFirst())))
    }

    private static func trimmed(_ text: String) -> Substring { Substring(Token.trimmed(text.utf8)) }

    /// ASCII letters in lower case.
    private static func lowercased(_ text: Substring) -> String {
        String(decoding: text.utf8.map(Token.lowercased), as: UTF8.self)
    }
}
