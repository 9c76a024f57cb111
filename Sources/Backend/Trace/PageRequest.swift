import AppHost
import Core

/// A request of a page to the local server, as the page knows itself.
package struct PageRequest: Hashable, Sendable {
    package var webView: WebViewID
    /// The load that the asking document's own URL named; nil for a navigation that has none yet.
    package var load: PageLoadToken?
    package var target: String
    package var destination: Destination

    package init(webView: WebViewID, load: PageLoadToken?, target: String, destination: Destination) {
        self.webView = webView
        self.load = load
        self.target = target
        self.destination = destination
    }

    /// `Sec-Fetch-Dest`, as far as it matters.
    package enum Destination: String, Hashable, Sendable, CaseIterable {
        case document, script, style, image, font, fetch, other
    }
}

/// What a page got.
package struct PageAnswer: Hashable, Sendable {
    /// 0: no answer, the connection failed.
    package var status: Int
    /// Media type without parameters, lower case.
    package var type: String
    /// Of the body.
    package var bytes: Int
    /// The versions that have exactly these bytes under this route; those of `www` have none.
    package var contentOf: VersionMask
    /// The body ended as its framing said.
    package var isWhole: Bool
    /// It came from the web view's own cache: no request or a 304.
    package var isCached: Bool

    package init(
        status: Int, type: String, bytes: Int, contentOf: VersionMask, isWhole: Bool, isCached: Bool = false
    ) {
        self.status = status
        self.type = type
        self.bytes = bytes
        self.contentOf = contentOf
        self.isWhole = isWhole
        self.isCached = isCached
    }
}
