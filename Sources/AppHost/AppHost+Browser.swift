import Core
import LocalServer
import Updater

/// A plain browser in the place of the web view (``WebViewKind/browser``).
///
/// No platform says when a document replaced the one before, showed content, or was touched. So the page's
/// script says it (`webView`), and for a page without one the server's answers do: a request with the load's
/// own token commits it, half a second without an answer under way means that it is shown and loaded.
///
/// What can go wrong: a page without the script that is still drawing counts as shown; one that asks again
/// and again never comes to rest. A native shell knows better, and none of this is in use there.
extension AppHost {
    static let quiet = TimeSpan.milliseconds(500)

    var isInBrowser: Bool { launch?.webView == .browser }

    /// The document of this load is there: it asks for something.
    mutating func browserCommitted(_ token: PageLoadToken) {
        guard let place = views.firstIndex(where: { $0.asked == token }), views[place].load != token else {
            return
        }
        views[place].hasContent = false
        views[place].isLoaded = false
        // It may be in a tab of its own: the document before goes when it says so, or when many came after
        // it.
        if let former = views[place].load {
            views[place].load = nil
            views[place].others.append(former)
            if views[place].others.count > AppHost.mostTabs { close(views[place].others.removeFirst()) }
        }
        committed(place, token)
    }

    private static let mostTabs = 8

    private mutating func browserClosed(_ token: PageLoadToken) {
        guard let place = views.firstIndex(where: { $0.load == token || $0.others.contains(token) }) else {
            return
        }
        if views[place].load == token { views[place].load = nil }
        views[place].others.removeAll { $0 == token }
        close(token)
    }

    mutating func browserIsSent(_ token: PageLoadToken, _ isSending: Bool) {
        guard isInBrowser, let view = views.first(where: { $0.asked == token }), !isDone(view, token) else {
            return
        }
        effects.append(
            isSending ? .cancelTimer(.quiet(token)) : .setTimer(.quiet(token), after: AppHost.quiet))
    }

    mutating func browserIsQuiet(_ token: PageLoadToken) {
        browserCommitted(token)
        browserShown(token)
        browserLoaded(token)
    }

    private func isDone(_ view: ViewState, _ token: PageLoadToken) -> Bool {
        view.load == token && view.hasContent && view.isLoaded
    }

    private mutating func browserShown(_ token: PageLoadToken) {
        guard let place = views.firstIndex(where: { $0.load == token }), !views[place].hasContent else {
            return
        }
        webView(views[place].id, .contentShown)
    }

    private mutating func browserLoaded(_ token: PageLoadToken) {
        guard let place = views.firstIndex(where: { $0.load == token }), !views[place].isLoaded else {
            return
        }
        views[place].isLoaded = true
        webView(views[place].id, .loaded)
    }

    /// What the page's script tells of its document.
    /// - Returns: whether it was a word that is known.
    mutating func browserTold(_ params: JSONNode?, _ token: PageLoadToken) -> Bool {
        switch params?["event"]?.string {
        case "moved":
            if let place = views.firstIndex(where: { $0.load == token }) {
                webView(views[place].id, .moved(url: params?["url"]?.string ?? ""))
            }
        case "contentShown": browserShown(token)
        case "loaded": browserLoaded(token)
        case "touched":
            if let place = views.firstIndex(where: { $0.load == token }) { tell(place, .touched) }
        case "closed": browserClosed(token)
        default: return false
        }
        return true
    }

    /// The browser can't be told to navigate; its page can.
    mutating func tellToLoad(_ load: Expected) {
        guard let token = views.first(where: { $0.id == load.view })?.load,
            mailboxes.contains(where: { $0.load == token })
        else { return }
        // Without the session key, which no script is to see; the cookie is there already.
        post(load.view, token, Answer.load(load.target(with: "otalab-load=\(load.token.text)")))
    }
}
