import Core
import LocalServer

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
