import Core
import LocalServer

/// The page load that a document's URL names.
enum DocumentURL {
    static func load(_ url: String) -> PageLoadToken? {
        guard let mark = url.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        let query = url[url.utf8.index(after: mark)...].utf8.split(separator: UInt8(ascii: "#")).first
        guard let query else { return nil }
        for item in query.split(separator: UInt8(ascii: "&")) {
            let text = Substring(item)
            if text.hasPrefix("otalab-load=") { return PageLoadToken(text: text.dropFirst(12)) }
        }
        return nil
    }
}

/// Targets of this app in URLs.
enum LinkText {
    /// Path and query of a URL, without its fragment and the server's query items; nil where it has no path.
    static func target(of url: String) -> String? {
        let url = URLParts(url)
        guard (url.scheme == nil) == (url.authority == nil) else { return nil }
        do {
            return ReservedQueryItems.removed(from: try RequestTarget(Array(url.target.utf8)))
        } catch {
            return nil
        }
    }
}
