import Core
import HTTP1

/// The names of this server's query items and cookies, and targets with and without them. No page and no file
/// uses them.
package enum ReservedQueryItems {
    /// Names the page load: 16 hex digits.
    static let load = "otalab-load"
    /// The session key: 128 bits in hex.
    static let key = "otalab-key"

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
