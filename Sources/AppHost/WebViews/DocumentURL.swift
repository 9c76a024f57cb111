import Core
import LocalServer

/// The page load that a document's URL names.
package enum DocumentURL {
    package static func load(_ url: String) -> PageLoadToken? {
        guard let mark = url.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        let query = url[url.utf8.index(after: mark)...].utf8.prefix { $0 != UInt8(ascii: "#") }
        for item in query.split(separator: UInt8(ascii: "&")) {
            let text = Substring(item)
            if text.hasPrefix("otalab-load=") { return PageLoadToken(text: text.dropFirst(12)) }
        }
        return nil
    }
}
