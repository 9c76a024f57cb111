import Core
import LocalServer
import Updater

/// What the host knows of one web view.
struct WebViewState: Sendable {
    let id: WebViewID
    /// The load whose document the view shows.
    fileprivate(set) var load: PageLoadToken?
    /// The version of that load, if it is known.
    fileprivate(set) var version: VersionKey?
    /// The navigation that the view announced; counts for the next document it requests, and ends with its
    /// commit, so that a stale reload never turns a later link into a switch (U6).
    var announced: AnnouncedNavigation? {
        didSet { if let announced { awaitedTarget = announced.target } }
    }
    /// nil also where the platform did not say why.
    var announcedNavigation: AppHost.NavigationKind? {
        announced?.kind == .unknown ? nil : announced?.kind
    }
    /// Path and query of what the view announced last, until it commits a document: the request may come a
    /// second time, on another connection.
    private(set) var awaitedTarget: String?
    /// Path and query of the last link of this view that native code took over when the view announced it. A
    /// platform that can't wait for native code requests it all the same.
    var takenLink: String?
    /// Path and query of what it shows, without the server's query items.
    var target: String?
    /// The same before the page changed it last without a request.
    fileprivate(set) var targetBefore: String?
    /// Fragment of what it shows, with its `#`; empty where it has none or none was reported.
    var fragment = ""
    /// Loads that were answered for this view and whose documents were not shown, the newest last.
    fileprivate(set) var uncommitted: [PageLoadToken] = []
    /// The newest load that was answered for this view; its document may not be shown yet.
    fileprivate(set) var answeredLoad: PageLoadToken?
    fileprivate var answeredVersion: VersionKey?
    var hasContent = false
    /// The load that the host has requested last whose document is another server's; or a load made for a
    /// document in front that no version answers. Only the first view has one.
    var elsewhere: PageLoadToken?
    /// The load of the document in front, also where that is another server's and its address names none.
    var loadInFront: PageLoadToken? { load ?? elsewhere }
    /// The document that has been requested for this view since its last commit. Content that comes before
    /// the next commit is that of the document that goes: the cover stays for the one that comes (T4).
    fileprivate(set) var expected: ExpectedDocument?
    /// Whether the newest document that was requested has no version: its commit is that of an error, which
    /// has no load.
    fileprivate(set) var awaitsError = false
    /// Loads of documents that were in front and live on
    /// (``AppHost/AppHost/WebViewEvent/committedKeepingPrevious(url:)``), the newest last.
    fileprivate(set) var background: [BackgroundDocument] = []

    /// A navigation of this view got this version.
    fileprivate mutating func answered(_ load: PageLoadToken, _ key: VersionKey) {
        answeredLoad = load
        answeredVersion = key
        awaitsError = false
    }

    /// The document of this load is in front; nil: that of an error.
    fileprivate mutating func committed(_ token: PageLoadToken?) {
        if token != load {
            let returned = background.first { $0.load == token }
            version = returned?.version ?? (token == answeredLoad ? answeredVersion : nil)
            background.removeAll { $0.load == token }
        }
        load = token
        if token != nil { elsewhere = nil }
        announced = nil
        awaitedTarget = nil
        expectNothing()
    }

    /// What this view waits for is the document of this load.
    /// - Parameter key: the version it was answered with; nil: it waits for one.
    fileprivate mutating func wait(
        for load: PageLoadToken, with key: VersionKey?, insteadOf other: PageLoadToken
    ) {
        uncommitted.removeAll { $0 == other }
        if answeredLoad == other { (answeredLoad, answeredVersion) = (nil, nil) }
        if let key {
            (answeredLoad, answeredVersion) = (load, key)
            uncommitted.append(load)
        }
        expected?.load = load
    }

    /// The document of this load is another view's. What this view announced may be the load that was
    /// answered for it before.
    fileprivate mutating func giveUp(_ token: PageLoadToken) {
        uncommitted.removeAll { $0 == token }
        guard expected?.load == token else { return }
        if awaitedTarget != nil, let newest = uncommitted.last { expected?.load = newest } else { stay() }
    }

    /// The document that is expected does not come: the one in front stays.
    fileprivate mutating func stay() {
        if let front = expected?.front {
            target = front.target
            hasContent = hasContent || front.hasContent
        }
        expectNothing()
    }

    private mutating func expectNothing() {
        expected = nil
        awaitsError = false
    }

    /// Whether a document is in front that stays if the expected one does not come.
    var mayStay: Bool { load != nil && expected.map { !$0.isByHost && $0.front != nil } ?? true }

    /// Whether the view shows, or keeps, the document of this load.
    func hasDocument(of token: PageLoadToken) -> Bool { load == token || isInBackground(token) }

    func isInBackground(_ token: PageLoadToken) -> Bool { background.contains { $0.load == token } }
}

/// What a view announced before it requests a document.
struct AnnouncedNavigation: Hashable, Sendable {
    var kind: AppHost.NavigationKind
    /// Path and query, without the server's query items; nil where the address has none.
    var target: String?
}

/// A document that is requested for a view, until the view shows it or another one.
struct ExpectedDocument: Sendable {
    /// The newest load that was requested.
    fileprivate(set) var load: PageLoadToken
    /// What was in front at the first request; nil: the process of that document has died.
    fileprivate(set) var front: FrontDocument?
    /// Whether the host has requested one of them: the document in front is to go, whatever becomes of the
    /// request (R3, R9).
    fileprivate(set) var isByHost = false
    /// Whether the server has stopped before it came: its request has failed, which a platform need not
    /// report.
    fileprivate(set) var isCutOff = false
}

/// What a view has in front while it waits for another document.
struct FrontDocument: Hashable, Sendable {
    /// Path and query, without the server's query items.
    var target: String?
    var hasContent: Bool
}

/// A document that was in front and lives on.
struct BackgroundDocument: Hashable, Sendable {
    let load: PageLoadToken
    /// Its version, if it is known.
    let version: VersionKey?
}

/// The web views of the app, the first one at index 0.
///
/// **Invariants.**
/// - The first web view is always here; another one from its first event to its close. Each id occurs once.
/// - `load`, `background` and `uncommitted` change only by the methods here, so that a load that goes from a
///   view is returned, to be ended.
/// - A load is not shown any more when one that was answered later is: the navigation was aborted, by another
///   reload for example. At most ``AppHost/AppHost/maximumUncommittedLoads`` of a view are kept.
/// - At most ``AppHost/AppHost/maximumBackgroundDocuments`` documents of a view are in background, because
///   some never report that they go.
struct WebViewTable: Sendable {
    private var views: [WebViewState] = [WebViewState(id: .first)]

    var all: [WebViewState] { views }

    var first: WebViewState { views[0] }

    subscript(id: WebViewID) -> WebViewState? { views.first { $0.id == id } }

    mutating func add(_ id: WebViewID) {
        if self[id] == nil { views.append(WebViewState(id: id)) }
    }

    mutating func update(_ id: WebViewID, _ change: (inout WebViewState) -> Void) {
        guard let index = views.firstIndex(where: { $0.id == id }) else { return }
        change(&views[index])
    }

    /// The view of a page load; the first one where no view has it.
    func view(of token: PageLoadToken) -> WebViewID {
        views.first { $0.hasDocument(of: token) || $0.answeredLoad == token }?.id ?? .first
    }

    /// A document is requested for the view, by its page, the user or the host. To be called before the cover
    /// is shown for it, which hides the content in front.
    mutating func expectDocument(of load: PageLoadToken, in id: WebViewID, byHost: Bool = false) {
        update(id) { view in
            let front = FrontDocument(target: view.target, hasContent: view.hasContent)
            var expected = view.expected ?? ExpectedDocument(load: load, front: front)
            expected.load = load
            expected.isCutOff = false
            if byHost { expected.isByHost = true }
            view.expected = expected
        }
    }

    /// The view requests the document of this load.
    /// - Parameter target: path and query, without the server's query items.
    mutating func request(_ target: String, of load: PageLoadToken, in id: WebViewID) {
        expectDocument(of: load, in: id)
        update(id) { view in
            view.announced = nil
            view.target = target
            view.targetBefore = nil
        }
    }

    /// The document of this load, which was requested for the view, does not come.
    /// - Returns: whether the document in front stays; false: a newer one is expected.
    mutating func stay(in id: WebViewID, insteadOf load: PageLoadToken) -> Bool {
        guard let view = self[id], view.expected.map({ $0.load == load }) ?? true else { return false }
        update(id) { $0.stay() }
        return true
    }

    /// First content of the document in front is on the screen.
    /// - Returns: whether no other document is expected.
    mutating func contentShown(in id: WebViewID) -> Bool {
        guard let view = self[id] else { return false }
        update(id) { view in
            if view.expected == nil {
                view.hasContent = true
            } else {
                view.expected?.front?.hasContent = true
            }
        }
        return view.expected == nil
    }

    /// The document in front has another address.
    mutating func addressChanged(to target: String, fragment: String, in id: WebViewID) {
        update(id) { view in
            if view.target != target { view.targetBefore = view.target }
            view.target = target
            view.expected?.front?.target = target
            view.fragment = fragment
        }
    }

    /// The process of the view's documents has died: none of them stays.
    mutating func processDied(in id: WebViewID) { update(id) { $0.expected?.front = nil } }

    /// The loads that the view has given up for the document of this load: one that comes back from the
    /// background needs no request, and ends those on their way.
    func givenUp(for load: PageLoadToken, in id: WebViewID) -> [PageLoadToken] {
        guard let view = self[id], view.isInBackground(load) else { return [] }
        return view.uncommitted
    }

    /// The server's connections are gone, and with them documents on their way.
    mutating func serverStopped() {
        for index in views.indices { views[index].expected?.isCutOff = true }
    }

    /// A load is answered with a version; the view may show its document, or abort it.
    /// - Returns: loads that are given up, because the view shows none of many.
    mutating func answer(_ token: PageLoadToken, with key: VersionKey, in id: WebViewID) -> [PageLoadToken] {
        var dropped: [PageLoadToken] = []
        update(id) { view in
            view.answered(token, key)
            view.uncommitted.append(token)
            let surplus = max(view.uncommitted.count - AppHost.maximumUncommittedLoads, 0)
            dropped = Array(view.uncommitted.prefix(surplus))
            view.uncommitted.removeFirst(surplus)
        }
        return dropped
    }

    /// A navigation of the view was answered with an error. Its document may have the address of the one
    /// before, and with that its load.
    mutating func answerWithError(in id: WebViewID) { update(id) { $0.awaitsError = true } }

    /// The document of an error replaces the one in front, if one is due.
    /// - Returns: the loads whose documents are gone with that; nil: no error is due.
    mutating func commitError(in id: WebViewID) -> [PageLoadToken]? {
        self[id]?.awaitsError == true ? commitWithoutLoad(in: id) : nil
    }

    /// A document that has no load replaces the one in front: that of an error, of the remote root, or of
    /// another site.
    /// - Returns: the loads whose documents are gone with that.
    mutating func commitWithoutLoad(in id: WebViewID) -> [PageLoadToken] {
        var ended: [PageLoadToken] = []
        update(id) { view in
            ended = [view.load].compactMap { $0 } + view.uncommitted
            view.uncommitted = []
            view.committed(nil)
        }
        return ended
    }

    /// Two views wait for one address, and this one shows the document that was requested for the other
    /// one: the requests, which name no view, were mistaken for each other. What was requested for this
    /// view is the other one's, which goes on waiting (T4).
    /// - Returns: the load that this view was to show, and the view that waits for it; nil: no view does.
    mutating func exchange(for token: PageLoadToken, in id: WebViewID) -> (
        load: PageLoadToken, view: WebViewID
    )? {
        let other = views.first {
            $0.id != id && $0.expected?.load == token && $0.uncommitted.contains(token)
        }
        guard let view = self[id], let own = view.expected?.load, own != token, let other,
            other.awaitedTarget != nil, other.awaitedTarget == view.target
        else { return nil }
        let version = view.answeredLoad == own ? view.answeredVersion : nil
        let otherVersion = other.answeredLoad == token ? other.answeredVersion : nil
        update(other.id) { $0.wait(for: own, with: version, insteadOf: token) }
        update(id) { $0.wait(for: token, with: otherVersion, insteadOf: own) }
        return (own, other.id)
    }

    /// The document of this load replaces the one in front. It may come from the background, as one from the
    /// page cache does.
    /// - Returns: the load whose document is gone with that, and those that were answered before and will not
    ///   be shown.
    mutating func commit(_ token: PageLoadToken, in id: WebViewID) -> [PageLoadToken] {
        var ended: [PageLoadToken] = []
        update(id) { view in
            if let previous = view.load, previous != token { ended.append(previous) }
            if let index = view.uncommitted.firstIndex(of: token) {
                ended += view.uncommitted[..<index]
                view.uncommitted.removeFirst(index)
            }
            view.committed(token)
        }
        // Two views that navigate at the same time may have been mistaken for each other.
        for index in views.indices where views[index].uncommitted.contains(token) {
            views[index].giveUp(token)
        }
        return ended
    }

    /// The document in front goes to the background, because one of this load replaces it; nil: an error.
    /// - Returns: the load that is given up for it; nil: none is.
    mutating func moveToBackground(in id: WebViewID, for token: PageLoadToken?) -> PageLoadToken? {
        guard let previous = self[id]?.load, previous != token else { return nil }
        var dropped: PageLoadToken?
        update(id) { view in
            view.background.append(BackgroundDocument(load: previous, version: view.version))
            view.load = nil
            // The one that comes to the front leaves the background with its commit.
            let others = view.background.filter { $0.load != token }
            if others.count > AppHost.maximumBackgroundDocuments, let oldest = others.first {
                view.background.removeAll { $0 == oldest }
                dropped = oldest.load
            }
        }
        return dropped
    }

    /// The documents in background are gone, as with the web view's process.
    /// - Returns: their loads.
    mutating func emptyBackground(of id: WebViewID) -> [PageLoadToken] {
        let gone = self[id]?.background ?? []
        update(id) { $0.background = [] }
        return gone.map(\.load)
    }

    /// The document of this load is gone.
    /// - Returns: whether the view had it.
    mutating func remove(_ token: PageLoadToken, from id: WebViewID) -> Bool {
        guard self[id]?.hasDocument(of: token) == true else { return false }
        update(id) { view in
            if view.load == token { view.load = nil }
            view.background.removeAll { $0.load == token }
        }
        return true
    }

    /// - Returns: the loads of all its documents, and those that were answered for it.
    mutating func close(_ id: WebViewID) -> [PageLoadToken] {
        var ended: [PageLoadToken] = []
        update(id) { view in
            ended = [view.load].compactMap { $0 } + view.background.map(\.load) + view.uncommitted
            view.load = nil
            view.background = []
            view.uncommitted = []
        }
        if id != .first { views.removeAll { $0.id == id } }
        return ended
    }
}
