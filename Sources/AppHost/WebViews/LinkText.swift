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

    /// Fragment of a URL or of a target, with its `#`; empty where it has none.
    static func fragment(of url: String) -> String {
        url.utf8.firstIndex(of: UInt8(ascii: "#")).map { String(url[$0...]) } ?? ""
    }

    /// Whether an absolute URL names this server.
    static func isOwn(_ url: String, port: UInt16) -> Bool {
        let parts = URLParts(url)
        guard parts.isSecure == false, let authority = parts.authority else { return false }
        return ["localhost", "127.0.0.1", "[::1]"].contains { authority == "\($0):\(port)" }
    }

    /// Whether a pattern, a path or the beginning of paths followed by `*`, names the path of a target,
    /// encoded or not.
    static func fits(_ pattern: String, _ target: String) -> Bool {
        let path = String(target.prefix { $0 != "?" && $0 != "#" })
        var spellings = [path]
        do {
            if let route = try RequestTarget(Array(path.utf8)).route { spellings.append(route.text) }
        } catch {
            // Only as it is written.
        }
        return spellings.contains { path in
            pattern.hasSuffix("*") ? path.hasPrefix(pattern.dropLast()) : path == pattern
        }
    }
}
