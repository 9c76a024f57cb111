import Core
import HTTP1

/// What is done with a request, in the order of the questions: who asks whom (S6), how, for what.
extension LocalServer {
    static let bridgePath = "/__otalab/bridge"

    mutating func answer(_ id: ConnectionID, _ head: RequestHead, _ disk: inout some Disk) {
        guard isOwnHost(head) else {
            return refuse(id, .misdirectedRequest, "not this server's host", closes: true)
        }
        if head.expectation == .unknown { return refuse(id, .expectationFailed, "unknown expectation") }
        if head.method == .options { return allow(id, .noContent) }
        guard let target = head.path else { return allow(id, .methodNotAllowed) }
        guard isFromOwnPage(head, target) else { return refuse(id, .forbidden, "no session key") }
        if target.path == LocalServer.bridgePath, head.method == .post { return bridge(id, head, target) }
        guard head.method == .get || head.method == .head else {
            return head.method.isKnown
                ? allow(id, .methodNotAllowed) : refuse(id, .notImplemented, "unknown method")
        }
        guard let route = target.route else { return refuse(id, .notFound, "nothing is there") }
        if isNavigation(head, route) { return navigate(id, head, target, route, &disk) }
        file(id, head, target, route, &disk)
    }

    /// Exactly our loopback names with our port (HT-H2).
    private func isOwnHost(_ head: RequestHead) -> Bool {
        guard let authority = head.authority else { return false }
        let names = ["localhost", "127.0.0.1", "[::1]", "::1"]
        return names.contains(authority.host.lowercased()) && authority.port == Int(configuration.port)
    }

    /// The key is given to the first navigation in its URL and then kept as a cookie; compared in constant
    /// time (HT-H5).
    private func isFromOwnPage(_ head: RequestHead, _ target: RequestTarget) -> Bool {
        if head.method.isSafe == false || head.fields.contains("Origin") {
            let own = ["localhost", "127.0.0.1", "[::1]"].map { "http://\($0):\(configuration.port)" }
            if let origin = head.fields["Origin"], !own.contains(origin) { return false }
        }
        let told = target.queryValue(Attribution.keyItem) ?? Cookies.value(Attribution.keyItem, head.fields)
        return told.map(isKey) ?? false
    }

    private func isKey(_ text: String) -> Bool {
        let wanted = Array(configuration.sessionKey.utf8)
        let given = Array(text.utf8)
        guard wanted.count == given.count else { return false }
        return zip(wanted, given).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// S3: `Sec-Fetch-Dest` decides where it is sent; else `Accept` and the last segment's extension.
    private func isNavigation(_ head: RequestHead, _ route: Route) -> Bool {
        if route.text == "/favicon.ico" || route.text.hasPrefix("/.well-known/") { return false }
        if let destination = head.fields["Sec-Fetch-Dest"] { return destination == "document" }
        guard head.fields["Accept"]?.contains("text/html") == true else { return false }
        return !ContentTypes.isKnownExtension(ofName: route.name) || route.name.hasSuffix(".html")
    }

    // MARK: Documents

    private mutating func navigate(
        _ id: ConnectionID, _ head: RequestHead, _ target: RequestTarget, _ route: Route,
        _ disk: inout some Disk
    ) {
        let token = target.queryValue(Attribution.loadItem).flatMap { PageLoadToken(text: $0) }
        if let token, let load = load(token), !load.isServed {
            return document(id, head, target, route, load, &disk)
        }
        let navigation = NavigationID(nextNavigation)
        nextNavigation += 1
        asked.append((navigation, id))
        if let place = place(id) { connections[place].state = .waitingForVersion }
        let caching = head.fields.tokens("Cache-Control")
        let isReload = caching.contains("max-age=0") || caching.contains("no-cache")
        effects.append(
            .navigationAsked(
                Navigation(
                    id: navigation, target: OwnQuery.removed(from: target), token: token, isReload: isReload))
        )
    }

    mutating func answered(_ navigation: NavigationID, _ answer: NavigationAnswer, _ disk: inout some Disk) {
        guard let ask = asked.first(where: { $0.id == navigation }), let place = place(ask.connection),
            let head = connections[place].head, let target = head.path, let route = target.route
        else {
            // The connection is gone; the load has no document and ends with it.
            if case .page(let token, _) = answer { announced.removeAll { $0 == token } }
            asked.removeAll { $0.id == navigation }
            return
        }
        asked.removeAll { $0.id == navigation }
        switch answer {
        case .unavailable: refuse(ask.connection, .unavailable, "no version can be shown now")
        case .page(let token, let site):
            let former = target.queryValue(Attribution.loadItem).flatMap { PageLoadToken(text: $0) }
            let known = load(former).map(\.token) ?? lastServed
            loads.removeAll { $0.token == token }
            let load = Load(token: token, site: site, former: known)
            loads.append(load)
            announced.removeAll { $0 == token }
            if former == token {
                document(ask.connection, head, target, route, load, &disk)
            } else {
                redirect(ask.connection, to: OwnQuery.with(token, target), target)
            }
        }
    }

    private mutating func document(
        _ id: ConnectionID, _ head: RequestHead, _ target: RequestTarget, _ route: Route, _ load: Load,
        _ disk: inout some Disk
    ) {
        let named = load.site.file(route.text)
        let isPage =
            named.map { ($0.type ?? ContentTypes.type(ofName: $0.route)).hasPrefix("text/html") } ?? false
        guard let file = isPage ? named : load.site.file(load.site.index) else {
            return refuse(id, .notFound, "the version has no index")
        }
        change(load.token) { $0.isServed = true }
        lastServed = load.token
        var fields = HeaderFields()
        setKey(target, &fields)
        fields.append(
            "Set-Cookie", "\(Attribution.loadItem)=\(load.token.text); Path=/; HttpOnly; SameSite=Strict")
        fields.append("Content-Security-Policy", "frame-ancestors 'self'")
        send(id, head, file, load.site, load.token, fields, &disk)
        effects.append(.indexServed(load.token))
    }

    private func setKey(_ target: RequestTarget, _ fields: inout HeaderFields) {
        guard target.queryValue(Attribution.keyItem) != nil else { return }
        fields.append(
            "Set-Cookie",
            "\(Attribution.keyItem)=\(configuration.sessionKey); Path=/; HttpOnly; SameSite=Strict")
    }

    // MARK: Files

    private mutating func file(
        _ id: ConnectionID, _ head: RequestHead, _ target: RequestTarget, _ route: Route,
        _ disk: inout some Disk
    ) {
        let attribution = attribute(head, target)
        let pinned = load(attribution.load)
        guard let site = pinned?.site ?? anySite(fixing: route) ?? current else {
            return refuse(id, .unavailable, "no version can be shown now")
        }
        if let file = site.file(route.text) {
            if let load = pinned, attribution.signal != .ownToken, refersFurther(head, route) {
                return redirect(id, to: OwnQuery.with(load.token, target), target)
            }
            return send(id, head, file, site, pinned?.token, HeaderFields(), &disk)
        }
        if let www = configuration.www, let file = www.file(route.text) {
            return send(id, head, file, www, nil, HeaderFields(), &disk)
        }
        refuse(id, .notFound, "nothing is there", load: pinned?.token, site: site.name)
    }

    private func anySite(fixing route: Route) -> Site? {
        loads.first { $0.site.file(route.text)?.isImmutable ?? false }?.site
    }

    /// What it refers to will name it as `Referer`, so that its URL must carry the load's token.
    private func refersFurther(_ head: RequestHead, _ route: Route) -> Bool {
        switch head.fields["Sec-Fetch-Dest"] {
        case "style", "worker", "sharedworker", "serviceworker": true
        case "script": head.fields["Sec-Fetch-Mode"] == "cors"
        case .some: false
        case nil: route.name.hasSuffix(".css") || route.name.hasSuffix(".mjs")
        }
    }

    // MARK: Bridge

    private mutating func bridge(_ id: ConnectionID, _ head: RequestHead, _ target: RequestTarget) {
        guard let token = attribute(head, target).load, let place = place(id) else {
            return refuse(id, .forbidden, "no page load")
        }
        let call = BridgeCall(nextCall)
        nextCall += 1
        calls.append((call, id))
        connections[place].state = .waitingForBridge
        effects.append(.bridge(call, token, connections[place].body))
    }

    mutating func answered(_ call: BridgeCall, _ bytes: [UInt8], _ disk: inout some Disk) {
        guard let row = calls.first(where: { $0.call == call }) else { return }
        calls.removeAll { $0.call == call }
        var fields = HeaderFields()
        fields.append("Content-Type", "application/json")
        send(row.connection, .ok, fields, bytes)
    }
}

extension Site {
    /// By binary search over the routes' bytes.
    func file(_ route: String) -> SiteFile? {
        var low = 0
        var high = files.count
        while low < high {
            let middle = (low + high) / 2
            if files[middle].route.utf8.lexicographicallyPrecedes(route.utf8) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low < files.count && files[low].route == route ? files[low] : nil
    }
}
