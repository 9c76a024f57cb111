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
    /// The user goes back: to the document before, if it is in the page cache, else by a request for the
    /// address of this page.
    mutating func goBack(_ address: String, _ newName: String?, _ environment: Environment) {
        guard let shown, let documentID = cached.filter({ $0 < shown }).max() else {
            return navigate(address, .history, newName, bypass: false, environment)
        }
        showAgain(documentID, newName, environment)
    }

    /// The document in front makes room for another one.
    ///
    /// - Parameter isReplaced: whether that one replaces it in the history.
    mutating func leaveFront(isReplaced: Bool, _ environment: Environment) {
        guard let page = shownDocument else { return }
        waiting.removeAll(of: page.id)
        cancelStartup(page.id)
        let isKept = page.hasLoaded && !page.hasFailed && !page.hasDied && !isReplaced
        guard isKept else { return effects.append(.record(.pageClosed(id, load: page.load))) }
        change(page.id) { $0.leftAt = environment.now }
        cached.append(page.id)
        let surplus = cached.prefix(max(cached.count - environment.cachedPages, 0))
        dropCached { surplus.contains($0) }
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
        leaveFront(isReplaced: false, environment)
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
