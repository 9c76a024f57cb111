import AppHost
import Core
import LocalServer

/// What replaces one web view: the tabs of a browser.
struct BrowserView: Sendable {
    let id: WebViewID
    /// The newest load that was answered; its document may not be committed yet.
    var answeredLoad: PageLoadToken?
    /// The load whose document was committed last.
    var load: PageLoadToken?
    /// That document has shown content.
    var hasContent = false
    /// That document and all it refers to have been loaded.
    var isLoaded = false
    /// Loads of documents in other tabs, the newest last.
    var background: [PageLoadToken] = []
    /// Path, query and fragment that the host requested after the newest load was answered. The document that
    /// is to go there may not poll for messages yet, or be on its way still.
    var requestedTarget: String?
}

/// A plain browser in place of the web view.
///
/// No platform reports when a document replaced the one before, showed content, or was touched. So the page's
/// script reports it (`webView`), and for a page without the script the server's traffic does: a request with
/// the load's own token commits it; half a second without a response in progress means that it is shown and
/// loaded.
///
/// What can go wrong: a page without the script that is still drawing counts as shown; one that sends
/// requests again and again never counts as loaded.
extension DevelopmentHost {
    static let quiet = TimeSpan.milliseconds(500)

    mutating func answered(_ id: WebViewID, _ token: PageLoadToken) {
        if let index = views.firstIndex(where: { $0.id == id }) {
            views[index].answeredLoad = token
            views[index].requestedTarget = nil
        } else {
            views.append(BrowserView(id: id, answeredLoad: token))
        }
    }

    mutating func observe(_ traffic: AppHost.PageTraffic, _ token: PageLoadToken) {
        switch traffic {
        case .seen: committed(token)
        case .sending(let isSending):
            guard let view = views.first(where: { $0.answeredLoad == token }), !isDone(view, token) else {
                return
            }
            if isSending { cancel(.quiet(token)) } else { set(.quiet(token), after: DevelopmentHost.quiet) }
        }
    }

    private func isDone(_ view: BrowserView, _ token: PageLoadToken) -> Bool {
        view.load == token && view.hasContent && view.isLoaded
    }

    /// The document of this load is there: it has sent a request.
    private mutating func committed(_ token: PageLoadToken) {
        guard let index = views.firstIndex(where: { $0.answeredLoad == token }), views[index].load != token
        else {
            return
        }
        views[index].hasContent = false
        views[index].isLoaded = false
        // It may be in another tab: the previous document counts as gone when its script reports that, or
        // when many came after it.
        if let previous = views[index].load { views[index].background.append(previous) }
        if views[index].background.count > AppHost.maximumBackgroundDocuments {
            closed(views[index].id, views[index].background.removeFirst())
        }
        views[index].load = token
        queue.append(.webView(views[index].id, .committedKeepingPrevious(url: DevelopmentHost.url(token))))
    }

    /// No response to this load has been in progress for a while.
    mutating func becameQuiet(_ token: PageLoadToken) {
        committed(token)
        shown(token)
        loaded(token)
    }

    private mutating func shown(_ token: PageLoadToken) {
        guard let index = views.firstIndex(where: { $0.load == token }), !views[index].hasContent else {
            return
        }
        views[index].hasContent = true
        queue.append(.webView(views[index].id, .contentShown))
    }

    private mutating func loaded(_ token: PageLoadToken) {
        guard let index = views.firstIndex(where: { $0.load == token }), !views[index].isLoaded else {
            return
        }
        views[index].isLoaded = true
        queue.append(.webView(views[index].id, .loaded))
    }

    /// Handles what the page's script reports of its document (the method `webView`).
    /// - Returns: whether the event is known.
    mutating func pageReported(_ params: JSONNode, _ token: PageLoadToken) -> Bool {
        let inFront = views.first { $0.load == token }?.id
        switch params["event"]?.string {
        case "moved":
            if let inFront {
                queue.append(.webView(inFront, .addressChanged(url: params["url"]?.string ?? "")))
            }
        case "contentShown": shown(token)
        case "loaded": loaded(token)
        case "touched": if let inFront { queue.append(.webView(inFront, .touched)) }
        case "closed": wentAway(token)
        default: return false
        }
        return true
    }

    private mutating func wentAway(_ token: PageLoadToken) {
        guard let index = views.firstIndex(where: { $0.load == token || $0.background.contains(token) })
        else {
            return
        }
        if views[index].load == token { views[index].load = nil }
        views[index].background.removeAll { $0 == token }
        closed(views[index].id, token)
    }

    private mutating func closed(_ view: WebViewID, _ token: PageLoadToken) {
        closeMailbox(token)
        queue.append(.webView(view, .documentGone(url: DevelopmentHost.url(token))))
    }

    /// Makes the page navigate, because only its script can do that in a browser; it gets a message, if it
    /// polls. Without the session key, which no script may see; the browser has the cookie. The document in
    /// front may be about to go: one that polls for the first time is sent there too, until a load is
    /// answered.
    mutating func requestLoad(_ view: WebViewID, _ url: String) {
        guard let index = views.firstIndex(where: { $0.id == view }),
            let target = DevelopmentHost.target(of: url)
        else { return }
        views[index].requestedTarget = target
        guard let token = views[index].load, mailboxIndex(token) != nil else { return }
        post(token, MailboxJSON.load(target))
    }

    /// The document of this load polls for the first time: where the host wants it to go instead.
    func requestedTarget(instead token: PageLoadToken) -> String? {
        views.first { $0.answeredLoad == token || $0.load == token }?.requestedTarget
    }

    /// Path, query and fragment without the session key.
    private static func target(of url: String) -> String? {
        let parts = URLParts(url)
        let fragment = parts.fragment.map { "#" + $0 } ?? ""
        do {
            return ReservedQueryItems.withoutKey(try RequestTarget(Array(parts.target.utf8))) + fragment
        } catch {
            return nil
        }
    }

    /// The URL of a document of this load, reduced to what the host reads of it.
    private static func url(_ token: PageLoadToken) -> String { "/?otalab-load=" + token.text }
}
