import Core
import LocalServer
import Updater

/// What web views tell, and the cover before first content (T4).
extension AppHost {
    mutating func webView(_ id: WebViewID, _ event: WebViewEvent) {
        if !views.contains(where: { $0.id == id }) { views.append(ViewState(id: id)) }
        guard let place = views.firstIndex(where: { $0.id == id }) else { return }
        switch event {
        case .navigating(.link, let url) where isNative(url): effects.append(.openLink(id, url: url))
        case .navigating(let kind, _): views[place].wish = kind
        case .moved(let url): if let target = LinkText.target(of: url) { views[place].place = target }
        case .committed(let url): if let token = DocumentURL.load(url) { committed(place, token) }
        case .committedBeside(let url): if let token = DocumentURL.load(url) { committedBeside(place, token) }
        case .left(let url): if let token = DocumentURL.load(url) { left(place, token) }
        case .contentShown:
            tell(place, .contentShown)
            if id == .first { link = nil }
            views[place].hasContent = true
            if id == .first { showScreen() }
        case .loaded: tell(place, .loaded)
        case .touched: tell(place, .touched)
        case .message(let bytes, let url):
            guard let token = DocumentURL.load(url) else {
                log(LogEntry(.bridgeMessageRefused, detail: "no page load in the document's URL"))
                return
            }
            message(bytes, Reply(view: id, token: token))
        case .webProcessDied:
            if id == .first { cover() }
            if let load = views[place].load { stopListening(load) }
            // Before the first commit of a view it is the load that was answered for it.
            guard let token = views[place].load ?? views[place].asked else { return }
            inbox.append(.updater(.page(token, .webProcessDied)))
        case .closed:
            close(views[place].load)
            if id == .first { views[place].load = nil } else { views.remove(at: place) }
        }
    }

    mutating func tell(_ place: Int, _ event: Updater.PageEvent) {
        guard let token = views[place].load else { return }
        inbox.append(.updater(.page(token, event)))
    }

    mutating func committed(_ place: Int, _ token: PageLoadToken) {
        let former = views[place].load
        views[place].load = token
        views[place].wish = nil
        if views[place].id == .first { cover() }
        inbox.append(.server(.committed(token)))
        inbox.append(.updater(.page(token, .committed)))
        if former != token { close(former) }
        flushNotices()
    }

    /// Of documents that never say that they go, only so many are waited for.
    package static let mostBeside = 8

    private mutating func committedBeside(_ place: Int, _ token: PageLoadToken) {
        if let former = views[place].load, former != token {
            views[place].load = nil
            views[place].others.append(former)
            if views[place].others.count > AppHost.mostBeside { close(views[place].others.removeFirst()) }
        }
        committed(place, token)
    }

    private mutating func left(_ place: Int, _ token: PageLoadToken) {
        let isInFront = views[place].load == token
        guard isInFront || views[place].others.contains(token) else { return }
        if isInFront { views[place].load = nil }
        views[place].others.removeAll { $0 == token }
        close(token)
    }

    /// The view whose page load this is.
    func view(of token: PageLoadToken) -> WebViewID {
        views.first { $0.load == token || $0.asked == token || $0.others.contains(token) }?.id ?? .first
    }

    /// The document is gone: no request of this load can come any more.
    mutating func close(_ token: PageLoadToken?) {
        guard let token else { return }
        inbox.append(.server(.ended(token)))
        inbox.append(.updater(.page(token, .closed)))
        stopListening(token)
    }

    private mutating func stopListening(_ token: PageLoadToken) {
        listeners.removeAll { $0 == token }
        notices.lost(token)
        endNativeCalls(of: token)
        for question in questions where question.token == token {
            effects.append(.pageAnswered(question.call, result: nil))
        }
        questions.removeAll { $0.token == token }
    }
}

/// The page load that a document's URL names.
enum DocumentURL {
    static func load(_ url: String) -> PageLoadToken? {
        guard let mark = url.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        let query = url[url.utf8.index(after: mark)...].utf8.split(separator: UInt8(ascii: "#")).first
        guard let query else { return nil }
        for item in query.split(separator: UInt8(ascii: "&")) {
            let text = Substring(item)
            if text.hasPrefix("otalab-load=") { return PageLoadToken(text: text.dropFirst(12)) }
        }
        return nil
    }
}
