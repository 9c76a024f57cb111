import Core
import LocalServer
import Updater

/// The server's effects: as events for the updater, or as effects of the host.
extension AppHost {
    /// Connection of the page whose request is forwarded on an upstream connection; nil: none.
    package func connection(of upstream: UpstreamID) -> ConnectionID? { server?.connection(of: upstream) }

    mutating func perform(_ effect: LocalServer.Effect) {
        switch effect {
        case .send(let id, let output): effects.append(.send(id, output))
        case .close(let id): effects.append(.close(id))
        case .authenticated(let id): effects.append(.authenticated(id))
        case .setReadInterest(let id, let interest): effects.append(.setReadInterest(id, interest))
        case .upstream(let id, let call): effects.append(.upstream(id, call))
        case .setTimer(let name, let after): setTimer(.server(name), after)
        case .cancelTimer(let name): cancelTimer(.server(name))
        case .navigationRequested(let navigation): begin(navigation)
        case .navigationGone(let id): navigationGone(id)
        case .documentNotTaken(let token): documentNotTaken(token)
        case .documentElsewhere(let token): documentElsewhere(token)
        case .indexServed(let token): partEvents.append(.updater(.page(token, .indexServed)))
        case .sending(let token, let isSending):
            partEvents.append(.updater(.page(token, .sending(isSending))))
            report(.sending(isSending), of: token)
        case .seen(let token): report(.seen, of: token)
        case .bridge(let call, let token, let bytes):
            report(.seen, of: token)
            receive(bytes, ReplyAddress(view: webViews.view(of: token), load: token, call: call))
        case .handlerRequested(let call, let request): effects.append(.handlerRequested(call, request))
        case .answered(let answer):
            if !answer.isRemote, answer.status == 403 || answer.status == 421 {
                append(LogEntry(.requestRefused, detail: AppHost.refusal(answer)))
            }
            effects.append(.answered(answer))
        case .readFailed(let name, let path, let error):
            logServingFailure(path, error)
            if let key = sites.key(ofSite: name) { partEvents.append(.updater(.readFailed(key, path))) }
        case .noRoomForFile(let path, let error): logServingFailure(path, error)
        }
    }

    private mutating func logServingFailure(_ path: DiskPath, _ error: DiskError) {
        append(LogEntry(.diskFailed, detail: "serving \(path.name.prefix(16)): \(error.code.rawValue)"))
    }

    /// Without the query, which may contain anything; of the path, what a line can show.
    private static func refusal(_ answer: LocalServer.AccessLogEntry) -> String {
        let path = String(Substring(answer.target.utf8.prefix { $0 != UInt8(ascii: "?") }.prefix(100)))
        let facts = [
            "status=\(answer.status)", "method=\(answer.method)", path.isEmpty ? nil : "path=\(path)",
            answer.refusal.map { "reason=" + $0.split(separator: " ").joined(separator: "-") },
        ]
        return facts.compactMap { $0 }.joined(separator: " ")
    }

    private mutating func report(_ traffic: PageTraffic, of token: PageLoadToken) {
        guard launch?.reportsPageTraffic == true else { return }
        effects.append(.pageTraffic(webViews.view(of: token), token, traffic))
    }

    // MARK: - Navigations

    /// A document is requested: the strongest evidence decides which load it is. First a token that this host
    /// gave out; then a view that announced this address; then the document that sends the request; then what
    /// a view announced before.
    private mutating func begin(_ navigation: LocalServer.Navigation) {
        let load: PageLoadToken
        let view: WebViewID
        let moment: Updater.Moment
        if let requested = loads.take(navigation.token) {
            (load, view, moment) = (requested.token, requested.view, requested.moment)
        } else if isOfFrame(navigation) {
            return partEvents.append(.server(.navigationAnswer(navigation.id, .frame)))
        } else {
            view = self.view(of: navigation)
            if takeOver(navigation, in: view) { return }
            load = secrets.newToken()
            moment = self.moment(of: navigation, view)
        }
        webViews.request(navigation.target, of: load, in: view)
        // The cover is shown before the old page goes (T4).
        if view == .first { cover() }
        loads.add(LoadRequests.Navigation(load: load, id: navigation.id, view: view))
        partEvents.append(.updater(.pageLoadRequested(load, moment)))
    }

    /// Whether a frame of a page requests the document. Where the browser does not say so, it is one that no
    /// view announced and none waits for.
    private func isOfFrame(_ navigation: LocalServer.Navigation) -> Bool {
        guard launch?.announcesDocuments == true, !navigation.isCertain else { return false }
        return !webViews.all.contains { [$0.awaitedTarget, $0.takenLink].contains(navigation.target) }
    }

    private func view(of navigation: LocalServer.Navigation) -> WebViewID {
        // What the server redirected to the load of a cookie names that load, whichever view asks.
        let announcing = webViews.all.filter { $0.announced?.target == navigation.target }
        if announcing.count == 1, let view = announcing.first, !navigation.isReload { return view.id }
        if let token = navigation.token, let view = webViews.all.first(where: { $0.load == token }) {
            return view.id
        }
        return webViews.all.first { $0.announced != nil }?.id ?? .first
    }

    private func moment(of navigation: LocalServer.Navigation, _ id: WebViewID) -> Updater.Moment {
        // The documents before were another server's: nothing is in use that a switch could disturb.
        guard loads.hasLoadedPage else { return .processStart }
        guard id == .first else { return .otherWebView }
        let view = webViews.first
        // A page's address need not name its load (G2), and it may change while a reload is on its way.
        let isOwnDocument =
            navigation.token.map { $0 == view.load }
            ?? [view.target, view.targetBefore].contains(navigation.target)
        let isReload =
            view.announcedNavigation == .reload
            || (view.announcedNavigation == nil && navigation.isReload && isOwnDocument)
        guard isReload, !switchHold.isActive(at: now) else { return .navigation }
        return .reload
    }

    /// The document that the host has opened is another server's. The load is not taken: the next one that a
    /// version answers is the first of this process (U6).
    private mutating func documentElsewhere(_ token: PageLoadToken) {
        guard let request = loads.request(token), request.view == .first else { return }
        isElsewhere(token)
    }

    // MARK: - Documents that a web view gives up

    /// The web view has given this navigation up before its answer: no version is chosen for it.
    private mutating func navigationGone(_ id: LocalServer.NavigationID) {
        guard let navigation = loads.navigation(id) else {
            // Its answer is on its way to the server, which drops it.
            if let load = loads.answeredLoad(of: id) { documentNotTaken(load) }
            return
        }
        guard webViews[navigation.view]?.mayStay == true else { return }
        _ = loads.takeNavigation(navigation.load)
        partEvents.append(.updater(.page(navigation.load, .closed)))
        stayInFront(navigation.view, insteadOf: navigation.load)
    }

    /// The load is left for now, and continues if its document is shown all the same.
    private mutating func documentNotTaken(_ token: PageLoadToken) {
        guard let view = webViews.all.first(where: { $0.uncommitted.contains(token) }), view.mayStay else {
            return
        }
        partEvents.append(.updater(.page(token, .left)))
        stayInFront(view.id, insteadOf: token)
    }

    /// The cover goes if the document in front has content; else it has its time for content anew (R13).
    private mutating func stayInFront(_ id: WebViewID, insteadOf token: PageLoadToken) {
        guard webViews.stay(in: id, insteadOf: token), id == .first, let load = webViews.first.load else {
            return
        }
        guard webViews.first.hasContent else { return partEvents.append(.updater(.page(load, .stays))) }
        // R9's screen may have replaced the cover.
        partEvents.append(.updater(.page(load, .contentShown)))
        screen.contentShown()
        showScreen()
    }
}
