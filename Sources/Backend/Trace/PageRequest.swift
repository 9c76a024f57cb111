import AppHost
import Core

/// A request of a page to the local server.
package struct PageRequest: Hashable, Sendable {
    package var webView: WebViewID
    /// The page-load token in the requesting document's URL; nil for a navigation that has none yet.
    package var load: PageLoadToken?
    /// The request target: path and query.
    package var target: String
    package var destination: Destination

    package init(webView: WebViewID, load: PageLoadToken?, target: String, destination: Destination) {
        self.webView = webView
        self.load = load
        self.target = target
        self.destination = destination
    }

    /// The target without its query.
    package var path: Substring {
        target[..<(target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex)]
    }

    /// The values of `Sec-Fetch-Dest` that are told apart; all others are `other`.
    package enum Destination: String, Hashable, Sendable, CaseIterable {
        case document, script, style, image, font, fetch, other
        case frame = "iframe"

        /// Whether a script of the page causes it, whenever and for whatever it likes.
        package var isOfScript: Bool { self == .fetch || self == .frame }
    }
}

/// An answer as a page received it.
package struct PageAnswer: Hashable, Sendable {
    /// HTTP status; 0: there was no answer, because the connection failed.
    package var status: Int
    /// Media type without parameters, lower case.
    package var type: String
    /// Bytes of the body.
    package var bytes: Int
    /// The versions that have exactly these bytes at this route; empty for files of `www`.
    package var contentOf: VersionMask
    /// Whether the body was complete by its framing.
    package var isWhole: Bool
    package var source: Source
    /// Head and beginning of the body of an answer that belongs to no version; nil for a file of a version,
    /// and for what the page loads to be shown.
    package var content: PageAnswerContent?

    /// Where the body came from.
    package enum Source: UInt64, Hashable, Sendable {
        case server
        /// The web view's cache, without a request.
        case cache
        /// The web view's cache, after the server's 304. ``PageAnswer/status`` is that of the cached answer,
        /// as a page sees it.
        case revalidatedCache
    }

    /// Whether the body came from the web view's cache.
    package var isCached: Bool { source != .server }

    /// Status that the server sent; nil if it was not asked.
    package var serverStatus: Int? {
        switch source {
        case .server: status
        case .cache: nil
        case .revalidatedCache: 304
        }
    }

    package init(
        status: Int, type: String, bytes: Int, contentOf: VersionMask, isWhole: Bool,
        source: Source = .server, content: PageAnswerContent? = nil
    ) {
        self.content = content
        self.status = status
        self.type = type
        self.bytes = bytes
        self.contentOf = contentOf
        self.isWhole = isWhole
        self.source = source
    }
}

/// Header fields and body of an answer, for expectations.
package struct PageAnswerContent: Hashable, Sendable {
    /// Fields as `name: value`, with the name in lower case.
    package var fields: [String]
    /// The first 64 KiB of the body as text; nil: it is the content of a version's file.
    package var body: String?

    package init(fields: [String], body: [UInt8]?) {
        self.fields = fields
        self.body = body.map { String(decoding: $0.prefix(64 << 10), as: UTF8.self) }
    }

    /// Whether a field is there, with this value if one follows the name.
    package func hasField(_ text: String) -> Bool {
        let wanted = text.split(separator: ":", maxSplits: 1).map(String.init)
        guard let name = wanted.first?.lowercased() else { return false }
        if wanted.count == 1 { return fields.contains { $0.hasPrefix(name + ": ") } }
        return fields.contains(name + ": " + wanted[1].drop { $0 == " " })
    }
}
