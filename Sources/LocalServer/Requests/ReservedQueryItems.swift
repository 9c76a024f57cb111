import Core
import HTTP1

/// The names of this server's query items and cookies, and targets with and without them. No page and no file
/// uses them.
///
/// A cookie has the name of its query item with the port behind it: all ports of a host share their cookies
/// (RFC 6265 §8.5), so that without it two apps on one host would overwrite each other's.
package enum ReservedQueryItems {
    /// Names the page load: 16 hex digits.
    static let load = "otalab-load"
    /// The session key: 128 bits in hex.
    static let key = "otalab-key"

    /// Name of the cookie for a query item.
    static func cookie(_ item: String, port: UInt16) -> String { "\(item)-\(port)" }

    /// Whether a cookie is of this server, or of one like it on another port.
    static func isCookie(_ name: Substring) -> Bool {
        [key, load].contains { item in
            name.utf8.elementsEqual(item.utf8) || name.utf8.starts(with: "\(item)-".utf8)
        }
    }

    static func token(_ target: RequestTarget) -> PageLoadToken? {
        target.queryValue(load).flatMap { PageLoadToken(text: $0) }
    }

    /// Path and query without this server's items.
    package static func removed(from target: RequestTarget) -> String { without([load, key], target) }

    /// Path and query without the session key (S6), which no log and no script may contain.
    package static func withoutKey(_ target: RequestTarget) -> String { without([key], target) }

    /// The same target for the page load of this token.
    static func with(_ token: PageLoadToken, _ target: RequestTarget) -> String {
        let plain = removed(from: target)
        let separator = plain.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        return plain + separator + load + "=" + token.text
    }

    private static func without(_ names: [String], _ target: RequestTarget) -> String {
        guard let query = target.query else { return target.path }
        let kept = query.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
            .filter { item in !names.contains { item.hasPrefix($0 + "=") } }
        return kept.isEmpty ? target.path : target.path + "?" + kept.joined(separator: "&")
    }
}
