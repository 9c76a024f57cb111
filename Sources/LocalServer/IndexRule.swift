import Core
import HTTP1

/// When the index answers (rule S3).
enum IndexRule {
    /// A document is asked for: `Sec-Fetch-Dest` says so where it is sent, else `Accept` and the look of the
    /// path do. A path that ends in `.html` asks for a document too, but never for the index.
    static func isNavigation(_ head: RequestHead, _ route: Route) -> Bool {
        if route.text == "/favicon.ico" || isWellKnown(route) { return false }
        if let isDocument = saysDocument(head) { return isDocument }
        return acceptsHTML(head.fields) && (!looksLikeFile(route) || isHTML(route))
    }

    /// A document is asked for, whatever its path looks like.
    static func isDocument(_ head: RequestHead) -> Bool {
        saysDocument(head) ?? acceptsHTML(head.fields)
    }

    /// Nil where the browser does not tell.
    private static func saysDocument(_ head: RequestHead) -> Bool? {
        guard let destination = head.fields["Sec-Fetch-Dest"] else { return nil }
        // A service worker that passes a navigation on sends `empty`; no script can ask in this mode.
        let isPassedOn = destination == "empty" && head.fields["Sec-Fetch-Mode"] == "navigate"
        return destination == "document" || isPassedOn
    }

    /// The site's index where it may answer this navigation.
    static func index(of site: Site, for head: RequestHead, _ route: Route) -> SiteFile? {
        guard head.fields.contains("Sec-Fetch-Dest") || !looksLikeFile(route) else { return nil }
        return site.file(site.index)
    }

    private static func isWellKnown(_ route: Route) -> Bool {
        route.text == "/.well-known" || route.text.utf8.starts(with: "/.well-known/".utf8)
    }

    private static func looksLikeFile(_ route: Route) -> Bool {
        ContentTypes.isKnownExtension(ofName: route.name)
    }

    private static func isHTML(_ route: Route) -> Bool {
        ContentTypes.type(ofName: route.name).hasPrefix("text/html")
    }

    /// `text/html` itself is named: `*/*` does not name it.
    private static func acceptsHTML(_ fields: HeaderFields) -> Bool {
        fields.tokens("Accept").contains { range in
            range.prefix { $0 != ";" && $0 != " " && $0 != "\t" } == "text/html"
        }
    }
}
