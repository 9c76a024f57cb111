import AppHost
import Backend
import Core

/// The page cache (HTML §7.4.6, back/forward cache): a platform keeps documents alive behind the one in
/// front, and shows one of them again without a request when the user goes back.
///
/// **What it imitates.** Only a document that has loaded, and that a link, a form or the history leads away
/// from, is kept; a reload, `location.replace` and a load of the host replace it. Its scripts stand still,
/// their timers too. A new document ends those that could only be reached by going forward. The web view of
/// iOS does not report that a document is dropped, so that its host is never told here either.
extension WebView {
    /// The user goes back: within the page, to the document before from the page cache, or by a request for
    /// its address.
    mutating func goBack(_ newName: String?, _ environment: Environment) {
        guard let last = history.last else {
            return effects.append(.record(.actionDidNothing("no page lies behind the one in front")))
        }
        if last.document == shown {
            history.removeLast()
            setAddress(last.address, ofDocument: last.document, environment)
        } else if cached.contains(last.document) {
            showAgain(last.document, newName, environment)
        } else {
            navigate(last.address, .history, newName, bypass: false, environment)
        }
    }

    /// The document in front makes room for another one.
    ///
    /// - Parameters:
    ///   - isReplaced: whether that one replaces it in the history.
    ///   - isBack: whether that one lies behind it.
    mutating func leaveFront(isReplaced: Bool, isBack: Bool, _ environment: Environment) {
        guard let page = shownDocument else { return }
        if isBack {
            _ = history.popLast()
        } else if !isReplaced {
            remember(address(of: page, environment) + page.fragment, of: page)
        }
        waiting.removeAll(of: page.id)
        cancelStartup(page.id)
        let isKept = page.hasLoaded && !page.hasFailed && !page.hasDied && !isReplaced
        guard isKept else { return effects.append(.record(.pageClosed(id, load: page.load))) }
        change(page.id) { $0.leftAt = environment.now }
        cached.append(page.id)
        let surplus = cached.prefix(max(cached.count - environment.cachedPages, 0))
        dropCached { surplus.contains($0) }
    }

    /// A document's address lies behind what comes next.
    mutating func remember(_ address: String, of page: Document) {
        history.append(HistoryEntry(document: page.id, address: address))
        // As many as WebKit keeps (BackForwardList, DefaultCapacity).
        if history.count > 100 { history.removeFirst() }
    }

    /// Reports the document in front to the host. A host can't see whether the one before lives on: where
    /// there is a page cache, it may after any navigation but a reload and the host's own.
    mutating func reportCommit(_ url: String, mayKeep: Bool, _ environment: Environment) {
        let keeps = mayKeep && environment.cachedPages > 0
        effects.append(.host(keeps ? .committedKeepingPrevious(url: url) : .committed(url: url)))
    }

    private mutating func showAgain(_ documentID: Int, _ newName: String?, _ environment: Environment) {
        guard let page = document(documentID), let leftAt = page.leftAt else { return }
        abandonIncoming()
        effects.append(.record(.navigation(id, .history, name: newName)))
        let address = address(of: page, environment) + page.fragment
        effects.append(.host(.navigating(.history, url: address)))
        cached.removeAll { $0 == documentID }
        leaveFront(isReplaced: false, isBack: true, environment)
        shown = documentID
        change(documentID) { document in
            document.name = newName ?? document.name
            document.committedAt = document.committedAt + (environment.now - leftAt)
            document.leftAt = nil
            document.isOlderThanCookie = true
        }
        effects.append(.record(.committed(id, load: page.load, page.versions)))
        reportCommit(address, mayKeep: true, environment)
        let returned = document(documentID).map { self.address(of: $0, environment) + $0.fragment }
        // `pageshow`: the shipped script puts the load's token into the address, for good.
        if let returned, returned != address { effects.append(.host(.addressChanged(url: returned))) }
        if page.isShown {
            effects.append(.record(.contentShown(id)))
            effects.append(.host(.contentShown))
        }
        if !page.isReady { allFilesArrived(documentID, environment) }
    }

    mutating func dropAllCached() { dropCached { _ in true } }

    mutating func dropCached(_ isDropped: (Int) -> Bool) {
        for documentID in cached.filter(isDropped) {
            effects.append(.record(.pageClosed(id, load: document(documentID)?.load)))
            change(documentID) { $0.leftAt = nil }
        }
        cached.removeAll(where: isDropped)
    }
}
