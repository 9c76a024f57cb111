import Core
import LocalServer
import Updater

/// What web views report.
extension AppHost {
    mutating func handleWebView(_ id: WebViewID, _ event: WebViewEvent) {
        webViews.add(id)
        switch event {
        case .navigating(let kind, let url):
            if kind == .unknown, isAnnounced(url, in: id) { break }
            guard !takeOver(kind, url, in: id) else { break }
            let announced = AnnouncedNavigation(kind: kind, target: LinkText.target(of: url))
            webViews.update(id) { $0.announced = announced }
        case .addressChanged(let url): addressChanged(to: url, in: id)
        case .committed(let url): documentCommitted(url, in: id, keepsPrevious: false)
        case .committedKeepingPrevious(let url): documentCommitted(url, in: id, keepsPrevious: true)
        case .documentGone(let url):
            if let token = DocumentURL.load(url), webViews.remove(token, from: id) { end(token) }
        case .contentShown: contentShown(id)
        case .loaded: report(.loaded, of: id)
        case .touched: report(.touched, of: id)
        case .message(let bytes, let url):
            guard let token = DocumentURL.load(url) ?? load(namedBy: bytes) else {
                return append(LogEntry(.bridgeMessageRefused, detail: "no page load in the document's URL"))
            }
            receive(bytes, ReplyAddress(view: id, load: token))
        case .webProcessDied: webProcessDied(id)
        case .closed: for token in webViews.close(id) { end(token) }
        }
    }

    /// Whether a navigation to this address was announced, or taken over, with its kind.
    private func isAnnounced(_ url: String, in id: WebViewID) -> Bool {
        guard let view = webViews[id], let target = LinkText.target(of: url) else { return false }
        return view.announced?.target == target || view.takenLink == target
    }

    /// The load that a message names itself, because its document has another address by now (G2). It may be
    /// over, like one in the address: the message counts for it alone (R6), and no other page knows it.
    private func load(namedBy message: [UInt8]) -> PageLoadToken? {
        guard message.count <= AppHost.longestMessage else { return nil }
        do {
            let named = try JSONReader.read(message, dialect: .strict)["load"]?.string
            return named.flatMap { PageLoadToken(text: Substring($0)) }
        } catch {
            return nil
        }
    }

    private mutating func report(_ event: Updater.PageEvent, of id: WebViewID) {
        guard let token = webViews[id]?.loadInFront else { return }
        partEvents.append(.updater(.page(token, event)))
    }

    private mutating func contentShown(_ id: WebViewID) {
        report(.contentShown, of: id)
        let isOfNewest = webViews.contentShown(in: id)
        guard id == .first else { return }
        if isOfNewest { pendingLink = nil }
        screen.contentShown()
        showScreen()
    }

    /// - Parameter keepsPrevious: whether the document before may live on.
    mutating func documentCommitted(_ url: String, in id: WebViewID, keepsPrevious: Bool) {
        webViews.update(id) { $0.fragment = LinkText.fragment(of: url) }
        let isError = webViews[id]?.awaitsError == true
        let token = isError ? nil : DocumentURL.load(url)
        guard isError || token != nil || isForeign(url, in: id) else { return }
        if keepsPrevious { leaveDocument(in: id, for: token) }
        if let replaced = webViews.commitError(in: id) {
            errorCommitted(id, replaced)
        } else if let token {
            committed(id, token)
        } else {
            for token in webViews.commitWithoutLoad(in: id) { end(token) }
            if id == .first { isElsewhere(secrets.newToken()) }
        }
    }

    /// The first view's document is one that no version answers, of the remote root or a file that is not
    /// there: a load of its own. Under a cover its content is due as that of a page (R13).
    mutating func isElsewhere(_ token: PageLoadToken) {
        webViews.update(.first) { $0.elsewhere = token }
        partEvents.append(.updater(.page(token, .elsewhere(isDue: !webViews.first.hasContent))))
    }

    /// Whether a document whose address names no load is one of another server, of the remote root for
    /// example: instead of a page, or where the host has opened it and was redirected. A page that comes
    /// back from the page cache may have such an address, too (G2).
    private func isForeign(_ url: String, in id: WebViewID) -> Bool {
        guard let view = webViews[id], view.loadInFront != nil else { return false }
        return view.announcedNavigation != .history && url.hasPrefix("http")
    }

    private mutating func leaveDocument(in id: WebViewID, for token: PageLoadToken?) {
        let previous = webViews[id]?.load
        let dropped = webViews.moveToBackground(in: id, for: token)
        if let previous, previous != token { partEvents.append(.updater(.page(previous, .left))) }
        if let dropped { end(dropped) }
    }

    private mutating func committed(_ id: WebViewID, _ token: PageLoadToken) {
        if let exchanged = webViews.exchange(for: token, in: id) {
            loads.move(exchanged.load, to: exchanged.view)
        }
        let givenUp = webViews.givenUp(for: token, in: id)
        let replaced = webViews.commit(token, in: id)
        // Where two views were mistaken for each other, the first one may show its page again.
        if id == .first { cover() } else { showScreen() }
        for token in givenUp { partEvents.append(.updater(.page(token, .left))) }
        partEvents.append(.server(.committed(token)))
        partEvents.append(.updater(.page(token, .committed)))
        for token in replaced { end(token) }
        sendNotices()
    }

    /// The page before is gone: what it had begun, a confirmation after five seconds for example, is over
    /// (R6).
    private mutating func errorCommitted(_ id: WebViewID, _ replaced: [PageLoadToken]) {
        if id == .first { cover() }
        for token in replaced { end(token) }
    }

    /// Number of loads of a view that were answered and whose documents were not shown: a navigation may be
    /// aborted without a report.
    package static let maximumUncommittedLoads = 8

    /// Number of documents of a view in background that are waited for: some never report that they go.
    package static let maximumBackgroundDocuments = 8

    private mutating func webProcessDied(_ id: WebViewID) {
        webViews.processDied(in: id)
        if id == .first { cover() }
        for token in webViews.emptyBackground(of: id) { end(token) }
        guard let view = webViews[id] else { return }
        if let load = view.load { endBridge(of: load) }
        // Before the first commit of a view it is the load that was answered for it.
        guard let token = view.loadInFront ?? view.answeredLoad else { return }
        partEvents.append(.updater(.page(token, .webProcessDied)))
    }

    /// The document is gone: no request of this load can come any more.
    mutating func end(_ token: PageLoadToken) {
        partEvents.append(.server(.ended(token)))
        partEvents.append(.updater(.page(token, .closed)))
        endBridge(of: token)
    }
}
