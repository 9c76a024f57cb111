import Core
import HTTP1

/// What is done with a request, in the order of the questions: may it ask (``RequestPolicy``), how, for
/// what. Route order: bridge · the route table · the version's files · `www` files · the index for
/// navigations · 404.
extension LocalServer {
    static let bridgePath = "/__otalab/bridge"

    mutating func answer(_ id: ConnectionID, _ head: RequestHead, _ disk: inout some Disk) {
        if let refusal = gate.refusal(of: head) { return refuse(id, refusal, closes: false) }
        admit(id, &disk)
        guard let target = head.path else { return allow(id, .noContent, LocalServer.fileMethods) }
        if isBridge(head) { return bridge(id, head, target) }
        if byTable(id, head, &disk) { return }
        if head.method == .options { return allow(id, .noContent, LocalServer.fileMethods) }
        guard head.method == .get || head.method == .head else {
            return allow(id, .methodNotAllowed, LocalServer.fileMethods)
        }
        guard let route = target.route else { return refuse(id, .notFound, "nothing is there") }
        if head.method == .get, isNavigation(head, route) {
            // The document that is being left is the one that asks.
            if let asking = refererToken(head) { saw(asking) }
            return navigate(id, head, target, route, &disk)
        }
        file(id, head, target, route, &disk)
    }

    /// A row of the table may say that only the index answers, or that it never does.
    private func isNavigation(_ head: RequestHead, _ route: Route) -> Bool {
        switch wish(for: head) {
        case .usual: IndexRule.isNavigation(head, route)
        case .index: IndexRule.isDocument(head)
        case .file: false
        }
    }

    private func index(of site: Site, for head: RequestHead, _ route: Route) -> SiteFile? {
        wish(for: head) == .index ? site.file(site.index) : IndexRule.index(of: site, for: head, route)
    }

    func isBridge(_ head: RequestHead?) -> Bool { head?.path?.path == LocalServer.bridgePath }

    // MARK: Documents

    private mutating func navigate(
        _ id: ConnectionID, _ head: RequestHead, _ target: RequestTarget, _ route: Route,
        _ disk: inout some Disk
    ) {
        let token = ReservedQueryItems.token(target)
        if gate.carriesKeyInURL(head), let token, load(token)?.isServed != true {
            // On to the same URL without the key, which becomes a cookie that no script can read.
            return redirect(id, to: ReservedQueryItems.with(token, target), head)
        }
        if let token, let load = load(token), !load.isServed, !load.hasEnded {
            return document(id, head, target, route, load, &disk)
        }
        let navigation = NavigationID(nextNavigation)
        nextNavigation += 1
        asked.append(Asked(id: navigation, connection: id))
        if let place = place(id) { connections[place].state = .waitingForVersion }
        let caching = head.fields.tokens("Cache-Control")
        let isReload = caching.contains("max-age=0") || caching.contains("no-cache")
        effects.append(
            .navigationAsked(
                Navigation(
                    id: navigation, target: ReservedQueryItems.removed(from: target), token: token,
                    isReload: isReload))
        )
    }

    mutating func answered(_ navigation: NavigationID, _ answer: NavigationAnswer, _ disk: inout some Disk) {
        guard let ask = asked.first(where: { $0.id == navigation }), let place = place(ask.connection),
            let head = connections[place].head, let target = head.path, let route = target.route
        else {
            // The connection is gone, and with it the document.
            asked.removeAll { $0.id == navigation }
            return
        }
        asked.removeAll { $0.id == navigation }
        switch answer {
        case .unavailable: refuse(ask.connection, .unavailable, "no version can be shown now")
        case .page(let token, let site):
            let asked = ReservedQueryItems.token(target)
            let former = load(asked).map(\.token) ?? lastServed
            loads.removeAll { $0.token == token }
            let load = Load(token: token, site: site, former: former == token ? nil : former)
            loads.append(load)
            if asked == token, !gate.carriesKeyInURL(head) {
                document(ask.connection, head, target, route, load, &disk)
            } else {
                redirect(ask.connection, to: ReservedQueryItems.with(token, target), head)
            }
        }
    }

    private mutating func document(
        _ id: ConnectionID, _ head: RequestHead, _ target: RequestTarget, _ route: Route, _ load: Load,
        _ disk: inout some Disk
    ) {
        let www = configuration.www
        let file: SiteFile
        var site = load.site
        if wish(for: head) == .index, let index = site.file(site.index) {
            file = index
        } else if let named = site.file(route.text) {
            file = named
        } else if let www, let named = www.file(route.text) {
            file = named
            site = www
        } else if let index = index(of: site, for: head, route) {
            file = index
        } else {
            return refuse(id, .notFound, "nothing is there", load: load.token, site: site.name)
        }
        var fields = HeaderFields()
        fields.append("Set-Cookie", Cookies.line(ReservedQueryItems.load, load.token.text))
        fields.append("Content-Security-Policy", "frame-ancestors 'self'")
        change(load.token) { $0.isServed = true }
        lastServed = load.token
        let isHandedOver = send(id, head, file, site, load.token, fields, &disk)
        if isHandedOver, type(of: file).hasPrefix("text/html") { effects.append(.indexServed(load.token)) }
    }

    // MARK: Files

    private mutating func file(
        _ id: ConnectionID, _ head: RequestHead, _ target: RequestTarget, _ route: Route,
        _ disk: inout some Disk
    ) {
        if wish(for: head) == .index, head.method == .get { return refuse(id, .notFound, "nothing is there") }
        let attribution = attribute(head, target)
        let pinned = load(attribution.load)
        let site = pinned?.site ?? siteFixing(route) ?? current
        if let site, let file = site.file(route.text) {
            if let load = pinned, attribution.signal != .ownToken, refersFurther(head, route) {
                return redirect(id, to: ReservedQueryItems.with(load.token, target), head)
            }
            send(id, head, file, site, pinned?.token, HeaderFields(), &disk)
            return
        }
        if let www = configuration.www, let file = www.file(route.text) {
            send(id, head, file, www, nil, HeaderFields(), &disk)
            return
        }
        guard let site else { return refuse(id, .unavailable, "no version can be shown now") }
        // HEAD learns what a navigation would get, without being one.
        if head.method == .head, isNavigation(head, route), let index = index(of: site, for: head, route) {
            send(id, head, index, site, pinned?.token, HeaderFields(), &disk)
            return
        }
        refuse(id, .notFound, "nothing is there", load: pinned?.token, site: site.name)
    }

    /// A version whose content this URL fixes by its hash: whichever has it has the same.
    private func siteFixing(_ route: Route) -> Site? {
        loads.first { $0.site.file(route.text)?.isImmutable ?? false }?.site
    }

    /// What it refers to will name it as `Referer`, so that its URL must carry the load's token. Not a
    /// service worker: its script must not come by a redirect (Service Workers §4.1).
    private func refersFurther(_ head: RequestHead, _ route: Route) -> Bool {
        guard head.method == .get else { return false }
        return switch head.fields["Sec-Fetch-Dest"] {
        case "style", "worker", "sharedworker", "iframe", "frame", "embed", "object": true
        case "script": head.fields["Sec-Fetch-Mode"] == "cors"
        case .some: false
        case nil: route.name.hasSuffix(".css") || route.name.hasSuffix(".mjs")
        }
    }

    // MARK: Bridge

    private mutating func bridge(_ id: ConnectionID, _ head: RequestHead, _ target: RequestTarget) {
        let methods = "POST, OPTIONS"
        if head.method == .options { return allow(id, .noContent, methods) }
        guard head.method == .post else { return allow(id, .methodNotAllowed, methods) }
        // A message counts for the load that sent it (R6): one that names none counts for none.
        guard let token = attribute(head, target).load, let place = place(id) else {
            return refuse(id, .forbidden, "no page load")
        }
        let call = BridgeCall(nextCall)
        nextCall += 1
        calls.append(Called(call: call, connection: id))
        connections[place].state = .waitingForBridge
        effects.append(.bridge(call, token, connections[place].body))
    }

    mutating func answered(_ call: BridgeCall, _ bytes: [UInt8], _ disk: inout some Disk) {
        guard let row = calls.first(where: { $0.call == call }) else { return }
        calls.removeAll { $0.call == call }
        var fields = HeaderFields()
        fields.append("Content-Type", "application/json; charset=utf-8")
        fields.append("Cache-Control", "no-store")
        send(row.connection, .ok, fields, bytes)
    }
}
