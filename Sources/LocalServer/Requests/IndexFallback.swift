import Core
import HTTP1

/// When the version's index answers a request for a path without a file (rule S3): the fallback of
/// single-page apps.
enum IndexFallback {
    /// Whether a document is requested, by `Sec-Fetch-Dest` where it is sent, else by `Accept` and the form
    /// of the path. A path that ends in `.html` requests a document too, but never gets the index.
    static func isNavigation(_ head: RequestHead, _ route: Route) -> Bool {
        guard mayGetIndex(route) else { return false }
        if let isDocument = fetchDestinationIsDocument(head) { return isDocument }
        return acceptsHTML(head.fields) && (!looksLikeFile(route) || isHTML(route))
    }

    /// Whether a document is requested, whatever the form of its path.
    static func isDocument(_ head: RequestHead) -> Bool {
        fetchDestinationIsDocument(head) ?? acceptsHTML(head.fields)
    }

    /// nil where the browser sends no `Sec-Fetch-Dest`.
    private static func fetchDestinationIsDocument(_ head: RequestHead) -> Bool? {
        guard let destination = head.fields["Sec-Fetch-Dest"] else { return nil }
        // A service worker that forwards a navigation sends `empty`; no script can send this mode.
        let isForwarded = destination == "empty" && head.fields["Sec-Fetch-Mode"] == "navigate"
        return destination == "document" || isForwarded
    }

    /// The site's index, if it may answer this navigation.
    static func index(of site: Site, for head: RequestHead, _ route: Route) -> ServedFile? {
        guard head.fields.contains("Sec-Fetch-Dest") || !looksLikeFile(route) else { return nil }
        return site.file(site.index)
    }

    /// Whether the path is one that a single-page app may use.
    static func mayGetIndex(_ route: Route) -> Bool { route.text != "/favicon.ico" && !isWellKnown(route) }

    private static func isWellKnown(_ route: Route) -> Bool {
        route.text == "/.well-known" || route.text.utf8.starts(with: "/.well-known/".utf8)
    }

    private static func looksLikeFile(_ route: Route) -> Bool {
        ContentTypes.isKnownExtension(ofName: route.name)
    }

    private static func isHTML(_ route: Route) -> Bool {
        ContentTypes.type(ofName: route.name).hasPrefix("text/html")
    }

    /// Whether `text/html` itself is listed; `*/*` is not enough.
    private static func acceptsHTML(_ fields: HeaderFields) -> Bool {
        fields.tokens("Accept").contains { range in
            range.prefix { $0 != ";" && $0 != " " && $0 != "\t" } == "text/html"
        }
    }
}
