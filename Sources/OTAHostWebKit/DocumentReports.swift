import AppHost
import Core

/// What the callbacks of one platform web view mean for the host: a callback goes in, reports and decisions
/// come out.
///
/// A platform view lives from one load of the host to the next (``AppHost/AppHost/Effect/load(_:url:)``): the
/// next load gets a new one, because a page that hangs runs no `location.replace`, and because the history of
/// a new view leads to no version that was left.
///
/// **Guarantees.** Each document of the main frame is reported before it is requested, and none of a frame
/// (``AppHost/AppHost/Launch/announcesDocuments``). An address is reported once. A document that is discarded
/// with its view is reported as gone. A message is reported only if its document is the local server's.
struct DocumentReports {
    /// What a platform's web view says.
    enum Callback: Hashable, Sendable {
        /// The view asks whether it may follow a navigation.
        /// - isMainFrame: false: one of a frame; nil: one that opens a window.
        case asks(AppHost.NavigationKind, url: String, isMainFrame: Bool?)
        /// A navigation of the main frame that the view follows has begun.
        case started
        /// The main frame's document is there; `url` is its address.
        case committed(url: String)
        /// A navigation of the main frame that had begun ended without a document.
        case failed
        /// The document and all it refers to have been loaded.
        case finished
        /// The view's address has changed.
        /// - isLoading: whether the view is loading a document.
        case addressChanged(url: String, isLoading: Bool)
        /// From the view's own script: the document has painted content.
        case painted
        /// From the view's own script: the user touched the page, or pressed a key.
        case touched
        /// A script of a page sent a message.
        /// - documentURL: the document's address as the platform knows it.
        /// - origin: of that document, as `http://localhost:12345`.
        case message([UInt8], documentURL: String, origin: String)
        case processDied
        /// The view is thrown away, because the next load has another one.
        case discarded
    }

    enum Effect: Hashable, Sendable {
        case report(AppHost.WebViewEvent)
        /// Answers ``Callback/asks(_:url:isMainFrame:)``: whether the view follows the navigation.
        case decide(Bool)
        /// An address that the view can't show, or that is to open a window: the app opens it.
        case open(url: String)
        /// A message of another site's page was dropped.
        case drop(origin: String)
    }

    /// Port of the local server.
    private let port: UInt16
    private let rules: LinkRules
    /// Address of the document in front, as it was reported last; nil: there is none.
    private var address: String?
    /// The address that the document in front was committed with: it names its load.
    private var committed: String?
    /// Documents that were in front and may live on in the page cache: the addresses that they were committed
    /// with.
    private var kept: [String] = []
    /// The navigation that the view may follow, and that has not begun.
    private var asked: AppHost.NavigationKind?
    /// The navigation that has begun, and has no document yet. One that is asked for ends it: it fails after
    /// the next one was asked for, and before that one begins.
    private var begun: AppHost.NavigationKind?
    private var isShown = false
    private var isTouched = false

    init(port: UInt16, rules: LinkRules) {
        self.port = port
        self.rules = rules
    }

    mutating func handle(_ callback: Callback) -> [Effect] {
        switch callback {
        case .asks(let kind, let url, let isMainFrame):
            guard let isMainFrame else { return [.open(url: url), .decide(false)] }
            return isMainFrame ? asks(kind, url) : [.decide(true)]
        case .started:
            begun = asked ?? .other
            asked = nil
            return []
        case .committed(let url): return commits(url)
        case .failed:
            begun = nil
            return []
        case .finished: return [.report(.loaded)]
        case .addressChanged(let url, let isLoading): return changesAddress(to: url, isLoading)
        case .painted:
            guard !isShown else { return [] }
            isShown = true
            return [.report(.contentShown)]
        case .touched:
            guard isShown, !isTouched else { return [] }
            isTouched = true
            return [.report(.touched)]
        case .message(let bytes, let url, let origin):
            guard DocumentReports.isOwn(origin, port) else { return [.drop(origin: origin)] }
            return [.report(.message(bytes, documentURL: url))]
        case .processDied:
            forgetDocuments()
            return [.report(.webProcessDied)]
        case .discarded:
            // The document in front ends with the commit of the next one.
            defer { forgetDocuments() }
            return kept.map { .report(.documentGone(url: $0)) }
        }
    }

    private static func isOwn(_ origin: String, _ port: UInt16) -> Bool {
        origin == "http://localhost:\(port)"
    }

    private mutating func asks(_ kind: AppHost.NavigationKind, _ url: String) -> [Effect] {
        // A part of the same document is no other document.
        if kind != .reload, kind != .form, let address, DocumentReports.isPart(url, of: address) {
            return [.decide(true)]
        }
        guard DocumentReports.canShow(url) else { return [.open(url: url), .decide(false)] }
        guard !rules.takesOver(kind, url, port: port) else {
            return [.report(.navigating(kind, url: url)), .decide(false)]
        }
        asked = kind
        return [.report(.navigating(kind, url: url)), .decide(true)]
    }

    /// Whether a URL leads to a fragment of the document at this address.
    private static func isPart(_ url: String, of address: String) -> Bool {
        guard url.utf8.contains(UInt8(ascii: "#")) else { return false }
        return url.prefix { $0 != "#" } == address.prefix { $0 != "#" }
    }

    /// Whether a web view shows documents of this scheme; others are the system's (`tel:`, `mailto:`) or
    /// another app's.
    private static func canShow(_ url: String) -> Bool {
        ["http", "https", "about", "blob", "data"].contains(URLParts(url).scheme?.lowercased() ?? "")
    }

    private mutating func commits(_ url: String) -> [Effect] {
        // A redirect is asked for as well, and does not begin anew.
        let kind = begun ?? asked
        let previous = committed
        (begun, asked) = (nil, nil)
        address = url
        name(url)
        isShown = false
        isTouched = false
        // The first document of a view has none before it, and a reload keeps none.
        guard let previous, kind != .reload else { return [.report(.committed(url: url))] }
        if previous != url, DocumentURL.load(previous) != nil { kept.append(previous) }
        return [.report(.committedKeepingPrevious(url: url))]
    }

    /// The document in front has this address, which may name its load.
    private mutating func name(_ url: String) {
        committed = url
        guard let load = DocumentURL.load(url) else { return }
        kept.removeAll { DocumentURL.load($0) == load }
    }

    private mutating func changesAddress(to url: String, _ isLoading: Bool) -> [Effect] {
        // Before its document is there, the address is that of the navigation. One within a document, in its
        // history for example, is asked for as well, and loads nothing.
        let isUnderWay = begun != nil || asked != nil
        guard address != nil, url != address, !isUnderWay || !isLoading else { return [] }
        asked = nil
        address = url
        // One that comes back from the page cache names its load so, and not when it is committed.
        if let committed, DocumentURL.load(committed) == nil { name(url) }
        return [.report(.addressChanged(url: url))]
    }

    private mutating func forgetDocuments() {
        kept = []
        address = nil
        committed = nil
        (begun, asked) = (nil, nil)
    }
}
