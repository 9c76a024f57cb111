import Core
import HTTP1

/// Query items and cookies of this server's own, which no page and no file knows of.
enum ReservedQueryItems {
    /// The page load.
    static let load = "otalab-load"
    /// The session key.
    static let key = "otalab-key"

    static func token(_ target: RequestTarget) -> PageLoadToken? {
        target.queryValue(load).flatMap { PageLoadToken(text: $0) }
    }

    /// The target without our items.
    static func removed(from target: RequestTarget) -> String { without([load, key], target) }

    /// The target without the session key, which belongs into no log.
    static func withoutKey(_ target: RequestTarget) -> String { without([key], target) }

    /// The same target for the page load of this token.
    static func with(_ token: PageLoadToken, _ target: RequestTarget) -> String {
        let plain = removed(from: target)
        let mark = plain.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        return plain + mark + load + "=" + token.text
    }

    private static func without(_ names: [String], _ target: RequestTarget) -> String {
        guard let query = target.query else { return target.path }
        let kept = query.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
            .filter { item in !names.contains { item.hasPrefix($0 + "=") } }
        return kept.isEmpty ? target.path : target.path + "?" + kept.joined(separator: "&")
    }
}

/// The same for whoever knows a page by its URL.
public enum ReservedItems {
    /// Path and query without items of this server's own.
    public static func removed(from target: RequestTarget) -> String {
        ReservedQueryItems.removed(from: target)
    }

    /// Path and query without the session key (S6): what a script may see.
    public static func withoutKey(_ target: RequestTarget) -> String { ReservedQueryItems.withoutKey(target) }
}

/// Cookie fields of a request (RFC 6265 §4.2).
enum Cookies {
    /// All values of a name, in order.
    static func values(_ name: String, _ fields: HeaderFields) -> [String] {
        var values: [String] = []
        for field in fields.all("Cookie") {
            TextBytes.eachValue(of: name, in: field, separator: UInt8(ascii: ";")) { value in
                values.append(value)
                return true
            }
        }
        return values
    }

    /// For this server's own pages only, and out of reach of their scripts.
    static func line(_ name: String, _ value: String) -> String {
        "\(name)=\(value); Path=/; HttpOnly; SameSite=Strict"
    }
}
