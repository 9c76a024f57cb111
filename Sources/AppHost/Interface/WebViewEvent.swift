extension AppHost {
    /// What a platform's web view reports to its host.
    public enum WebViewEvent: Hashable, Sendable {
        /// The view is about to request a document, not one of a frame, if the platform reports that; before
        /// the server gets the request. With ``Launch/announcesDocuments`` every one is reported.
        case navigating(NavigationKind, url: String)
        /// The document at this URL replaced the one before.
        case committed(url: String)
        /// The document at this URL replaced the one before, which may live on: in the page cache of iOS
        /// after any navigation but a reload and ``Effect/load``, or in another tab. It counts as alive until
        /// ``documentGone(url:)`` names it, the web process dies, or eight came after it.
        ///
        /// A document that comes back from the page cache has no load in its URL, because its script has
        /// taken it out; ``addressChanged(url:)`` follows with it.
        case committedKeepingPrevious(url: String)
        /// The document at this URL is gone, in front or not.
        case documentGone(url: String)
        /// The document has changed its address without a request, as `pushState` does (`url` of a
        /// `WKWebView`, `doUpdateVisitedHistory` of Android).
        case addressChanged(url: String)
        /// First content is on the screen.
        case contentShown
        /// The document and all it refers to have been loaded.
        case loaded
        /// The user typed, or followed a link, after content was shown.
        case touched
        /// A bridge message (UTF-8 JSON) with the URL of the document that sent it, as the platform attaches
        /// it.
        case message([UInt8], documentURL: String)
        case webProcessDied
        case closed
    }

    /// Why a web view requests a document.
    public enum NavigationKind: String, Hashable, Sendable, CaseIterable {
        case reload
        case link
        case form
        case history
        /// Requested by the host or by a script.
        case other
        /// The platform reports that the document is requested, and not why. A kind that was announced for
        /// this address before stands.
        case unknown
    }

    /// What the server sees of a page load.
    public enum PageTraffic: Hashable, Sendable {
        /// The document is there: a request or a message carried its load.
        case seen
        /// The first response of this load in progress has begun (true), or the last one has ended (false).
        case sending(Bool)
    }
}
