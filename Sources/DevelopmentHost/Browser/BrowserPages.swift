import AppHost
import Core
import LocalServer

/// What stands in one web view's place: the tabs of a browser.
struct BrowserView: Sendable {
    let id: WebViewID
    /// The newest load that was answered; its document may not be there yet.
    var asked: PageLoadToken?
    /// The load whose document came last.
    var load: PageLoadToken?
    /// What that document has come to.
    var hasContent = false
    var isLoaded = false
    /// Documents in other tabs, the newest last.
    var others: [PageLoadToken] = []
}

/// A plain browser in the place of the web view.
///
/// No platform says when a document replaced the one before, showed content, or was touched. So the page's
/// script says it (`webView`), and for a page without one the server's answers do: a request with the load's
/// own token commits it, half a second without an answer under way means that it is shown and loaded.
///
/// What can go wrong: a page without the script that is still drawing counts as shown; one that asks again
/// and again never comes to rest.
extension DevelopmentHost {
    static let quiet = TimeSpan.milliseconds(500)

    mutating func asked(_ id: WebViewID, _ token: PageLoadToken) {
        if let place = views.firstIndex(where: { $0.id == id }) {
            views[place].asked = token
        } else {
            views.append(BrowserView(id: id, asked: token))
        }
    }

    mutating func saw(_ traffic: AppHost.PageTraffic, _ token: PageLoadToken) {
        switch traffic {
        case .seen: committed(token)
        case .sending(let isSending):
            guard let view = views.first(where: { $0.asked == token }), !isDone(view, token) else { return }
            if isSending { cancel(.quiet(token)) } else { set(.quiet(token), after: DevelopmentHost.quiet) }
        }
    }

    private func isDone(_ view: BrowserView, _ token: PageLoadToken) -> Bool {
        view.load == token && view.hasContent && view.isLoaded
    }

    /// The document of this load is there: it asks for something.
    private mutating func committed(_ token: PageLoadToken) {
        guard let place = views.firstIndex(where: { $0.asked == token }), views[place].load != token else {
            return
        }
        views[place].hasContent = false
        views[place].isLoaded = false
        // It may be in a tab of its own: the document before goes when it says so, or when many came after
        // it.
        if let former = views[place].load { views[place].others.append(former) }
        if views[place].others.count > AppHost.mostBeside {
            closed(views[place].id, views[place].others.removeFirst())
        }
        views[place].load = token
        queue.append(.webView(views[place].id, .committedBeside(url: DevelopmentHost.url(token))))
    }

    /// It has asked for nothing for a while.
    mutating func isQuiet(_ token: PageLoadToken) {
        committed(token)
        shown(token)
        loaded(token)
    }

    private mutating func shown(_ token: PageLoadToken) {
        guard let place = views.firstIndex(where: { $0.load == token }), !views[place].hasContent else {
            return
        }
        views[place].hasContent = true
        queue.append(.webView(views[place].id, .contentShown))
    }

    private mutating func loaded(_ token: PageLoadToken) {
        guard let place = views.firstIndex(where: { $0.load == token }), !views[place].isLoaded else {
            return
        }
        views[place].isLoaded = true
        queue.append(.webView(views[place].id, .loaded))
    }

    /// What the page's script tells of its document.
    /// - Returns: whether it was a word that is known.
    mutating func said(_ params: JSONNode, _ token: PageLoadToken) -> Bool {
        let inFront = views.first { $0.load == token }?.id
        switch params["event"]?.string {
        case "moved":
            if let inFront { queue.append(.webView(inFront, .moved(url: params["url"]?.string ?? ""))) }
        case "contentShown": shown(token)
        case "loaded": loaded(token)
        case "touched": if let inFront { queue.append(.webView(inFront, .touched)) }
        case "closed": wentAway(token)
        default: return false
        }
        return true
    }

    private mutating func wentAway(_ token: PageLoadToken) {
        guard let place = views.firstIndex(where: { $0.load == token || $0.others.contains(token) }) else {
            return
        }
        if views[place].load == token { views[place].load = nil }
        views[place].others.removeAll { $0 == token }
        closed(views[place].id, token)
    }

    private mutating func closed(_ view: WebViewID, _ token: PageLoadToken) {
        closeMailbox(token)
        queue.append(.webView(view, .left(url: DevelopmentHost.url(token))))
    }

    /// Nobody can make a browser navigate but its page: it is told, if it listens. Without the session key,
    /// which no script is to see; the cookie is there already.
    mutating func askToLoad(_ view: WebViewID, _ url: String) {
        guard let token = views.first(where: { $0.id == view })?.load, mailbox(token) != nil,
            let target = DevelopmentHost.target(of: url)
        else { return }
        post(token, Mail.load(target))
    }

    /// Path and query without the session key.
    private static func target(of url: String) -> String? {
        let path = url.utf8.dropFirst("http://".utf8.count).drop { $0 != UInt8(ascii: "/") }
        do {
            return ReservedQueryItems.withoutKey(try RequestTarget(Array(path)))
        } catch {
            return nil
        }
    }

    /// The URL of a document of this load, as far as a host looks at it.
    private static func url(_ token: PageLoadToken) -> String { "/?otalab-load=" + token.text }
}
