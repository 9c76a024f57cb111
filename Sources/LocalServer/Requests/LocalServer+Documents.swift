import Core
import HTTP1

/// Document navigations: the host chooses the version, the document's URL gets the load's token (S1, S3).
extension LocalServer {
    mutating func navigate(
        _ id: ConnectionID, _ head: RequestHead, _ target: RequestTarget, _ route: Route,
        _ disk: inout some Disk
    ) {
        let token = ReservedQueryItems.token(target)
        if policy.carriesKeyInURL(head), let token, pageLoads[token]?.isServed != true {
            // To the same URL without the key, which becomes a cookie that no script can read.
            return redirect(id, to: ReservedQueryItems.with(token, target), head)
        }
        if let load = pageLoads[token], !load.isServed, !load.hasEnded {
            return answerWithDocument(id, head, target, route, load, &disk)
        }
        let navigation = hostCalls.navigations.add(id)
        if let index = connections.index(of: id) { connections[index].state = .waitingForVersion }
        let caching = head.fields.tokens("Cache-Control")
        let isReload = caching.contains("max-age=0") || caching.contains("no-cache")
        effects.append(
            .navigationRequested(
                Navigation(
                    id: navigation, target: ReservedQueryItems.removed(from: target), token: token,
                    isReload: isReload, isCertain: head.fields.contains("Sec-Fetch-Dest"))))
    }

    mutating func navigationAnswered(
        _ navigation: NavigationID, _ answer: NavigationAnswer, _ disk: inout some Disk
    ) {
        // Without the connection the document is gone too.
        guard let id = hostCalls.navigations.take(navigation), let index = connections.index(of: id),
            let head = connections[index].request, let target = head.path, let route = target.route
        else { return }
        switch answer {
        case .unavailable: refuse(id, .unavailable, "no version can be shown now")
        case .handled: send(id, .noContent, ["Cache-Control": "no-store"], [])
        case .frame: answerWithFile(id, head, target, route, isForFrame: true, &disk)
        case .page(let token, let site):
            let requested = ReservedQueryItems.token(target)
            let load = pageLoads.pin(
                token, to: site, requestedBy: requested, isByHost: isForHostLoad(head, target, route))
            if requested == token, !policy.carriesKeyInURL(head) {
                answerWithDocument(id, head, target, route, load, &disk)
            } else {
                pageLoads.carry(token, on: id)
                redirect(id, to: ReservedQueryItems.with(token, target), head)
            }
        }
    }

    private mutating func answerWithDocument(
        _ id: ConnectionID, _ head: RequestHead, _ target: RequestTarget, _ route: Route, _ load: PageLoad,
        _ disk: inout some Disk
    ) {
        pageLoads.carry(load.token, on: id)
        guard let (file, site) = documentFile(head, route, load) else {
            return refuse(id, .notFound, "nothing is there", load: load.token, site: load.site.name)
        }
        var fields = HeaderFields()
        fields.append("Set-Cookie", Cookies.line(loadCookie, load.token.text))
        pageLoads.markServed(load.token, for: route)
        let isServed = sendFile(id, head, file, site, load.token, fields, &disk)
        if isServed, FileResponse.mediaType(of: file).hasPrefix("text/html") {
            effects.append(.indexServed(load.token))
        }
    }

    /// The file that answers the navigation, and whose it is. A web view without Fetch Metadata does not say
    /// that a document is requested where the address looks like a file's; of its own loads the host knows.
    private func documentFile(_ head: RequestHead, _ route: Route, _ load: PageLoad) -> (ServedFile, Site)? {
        let site = load.site
        let intent = routing.intent(for: head)
        if intent == .index, let index = site.file(site.index) { return (index, site) }
        if let file = site.file(route.text) { return (file, site) }
        if let www = configuration.www, let file = www.file(route.text) { return (file, www) }
        guard intent != .file, IndexFallback.mayGetIndex(route) else { return nil }
        let index = load.isByHost ? site.file(site.index) : index(of: site, for: head, route)
        return index.map { ($0, site) }
    }

    /// A request that no version answers. One for a document that the host opens is reported, because it has
    /// no page load; before that, the key of its URL becomes a cookie, as for any other document (S6).
    /// - Returns: whether it is answered.
    mutating func openElsewhere(_ id: ConnectionID, _ head: RequestHead) -> Bool {
        guard head.method == .get, IndexFallback.isDocument(head), let target = head.path,
            let token = ReservedQueryItems.token(target), pageLoads[token] == nil
        else { return false }
        if policy.carriesKeyInURL(head) {
            redirect(id, to: ReservedQueryItems.with(token, target), head)
            return true
        }
        effects.append(.documentElsewhere(token))
        return false
    }

    /// Whether the request is for a document that the host opens, or for one that reloads it: its URL has the
    /// session's key, or, after the redirect that takes the key out, the token of a load that the host alone
    /// knows until it is pinned. A page may have taken the token out of its address.
    func isForHostLoad(_ head: RequestHead, _ target: RequestTarget, _ route: Route) -> Bool {
        guard IndexFallback.isDocument(head) else { return false }
        if policy.carriesKeyInURL(head) { return true }
        if let token = ReservedQueryItems.token(target) { return pageLoads[token]?.isByHost ?? true }
        let shown = cookieOwner(head).flatMap { pageLoads[$0] }
        return shown.map { $0.isByHost && $0.document == route } ?? false
    }
}
