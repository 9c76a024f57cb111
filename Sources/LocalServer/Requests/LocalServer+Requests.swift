import Core
import HTTP1

/// Which code answers a request, in this order: request policy · bridge · the route table · the version's
/// files · `www` files · the index for document navigations · 404.
extension LocalServer {
    /// Methods that files answer; any other gets 405 with this list, an unknown one 501.
    static let fileMethods = "GET, HEAD, OPTIONS"
    static let bridgeMethods = "POST, OPTIONS"

    mutating func answer(_ id: ConnectionID, _ head: RequestHead, _ disk: inout some Disk) {
        if let refusal = policy.refusal(of: head) { return refuse(id, refusal, closes: false) }
        authenticate(id, &disk)
        guard let target = head.path else { return sendAllow(id, .noContent, LocalServer.fileMethods) }
        if routing.isBridge(head) { return answerBridge(id, head, target) }
        switch routing.target(of: head) {
        case nil, .site, .file: answerFromSite(id, head, target, &disk)
        case .folder(let site, let age):
            if !openElsewhere(id, head) { answerFromFolder(id, head, site, age, &disk) }
        case .handler(let name): if !openElsewhere(id, head) { callHandler(name, id, head) }
        case .remote:
            // A request for the remote root is forwarded when its head has come, unless the table changed
            // while its body came.
            refuse(id, .unavailable, "the routes have changed; ask again")
        }
    }

    /// The version's files, `www` files, or the index.
    private mutating func answerFromSite(
        _ id: ConnectionID, _ head: RequestHead, _ target: RequestTarget, _ disk: inout some Disk
    ) {
        guard isForFile(id, head) else { return }
        guard let route = target.route else { return refuse(id, .notFound, "nothing is there") }
        if head.method == .get, isNavigation(head, route) || isForHostLoad(head, target, route) {
            // The document that is being left sends the request.
            if let requester = refererToken(head) { observe(requester) }
            return navigate(id, head, target, route, &disk)
        }
        answerWithFile(id, head, target, route, &disk)
    }

    /// Files of a folder that belongs to no version.
    private mutating func answerFromFolder(
        _ id: ConnectionID, _ head: RequestHead, _ site: Site, _ age: TimeSpan, _ disk: inout some Disk
    ) {
        guard isForFile(id, head) else { return }
        guard let route = head.path?.route?.text,
            let file = site.file(route.hasSuffix("/") ? route + "index.html" : route)
        else { return refuse(id, .notFound, "nothing is there") }
        sendFile(id, head, file, site, nil, HeaderFields(), &disk, age: age)
    }

    /// - Returns: false where the method has been answered.
    private mutating func isForFile(_ id: ConnectionID, _ head: RequestHead) -> Bool {
        switch head.method {
        case .get, .head: return true
        case .options: sendAllow(id, .noContent, LocalServer.fileMethods)
        default: sendAllow(id, .methodNotAllowed, LocalServer.fileMethods)
        }
        return false
    }

    /// An entry of the table may say that only the index answers, or that it never does.
    private func isNavigation(_ head: RequestHead, _ route: Route) -> Bool {
        switch routing.intent(for: head) {
        case .usual: IndexFallback.isNavigation(head, route)
        case .index: IndexFallback.isDocument(head)
        case .file: false
        }
    }

    func index(of site: Site, for head: RequestHead, _ route: Route) -> ServedFile? {
        routing.intent(for: head) == .index
            ? site.file(site.index) : IndexFallback.index(of: site, for: head, route)
    }

    // MARK: - Files

    /// - Parameter isForFrame: whether the host knows that a frame's document is requested.
    mutating func answerWithFile(
        _ id: ConnectionID, _ head: RequestHead, _ target: RequestTarget, _ route: Route,
        isForFrame: Bool = false, _ disk: inout some Disk
    ) {
        if routing.intent(for: head) == .index, head.method == .get {
            return refuse(id, .notFound, "nothing is there")
        }
        let attribution = attribute(head, target)
        let pinned = pageLoads[attribution.load]
        let site = pinned?.site ?? pageLoads.site(fixing: route) ?? pageLoads.current
        if let site, let file = site.file(route.text) {
            let mayCauseRequests = isForFrame || mayCauseRequests(head, route)
            if let load = pinned, attribution.signal != .ownToken, mayCauseRequests {
                return redirect(id, to: ReservedQueryItems.with(load.token, target), head)
            }
            sendFile(id, head, file, site, pinned?.token, HeaderFields(), &disk)
            return
        }
        if let www = configuration.www, let file = www.file(route.text) {
            sendFile(id, head, file, www, nil, HeaderFields(), &disk)
            return
        }
        guard let site else { return refuse(id, .unavailable, "no version can be shown now") }
        // HEAD gets the fields that a navigation would get, without being one.
        if head.method == .head, isNavigation(head, route), let index = index(of: site, for: head, route) {
            sendFile(id, head, index, site, pinned?.token, HeaderFields(), &disk)
            return
        }
        refuse(id, .notFound, "nothing is there", load: pinned?.token, site: site.name)
    }

    /// Whether the resource may cause requests that name it as `Referer`, so that its URL must carry the
    /// load's token. Not a service worker: its script must not be redirected (Service Workers §4.1).
    private func mayCauseRequests(_ head: RequestHead, _ route: Route) -> Bool {
        guard head.method == .get else { return false }
        return switch head.fields["Sec-Fetch-Dest"] {
        case "style", "worker", "sharedworker", "iframe", "frame", "embed", "object": true
        case "script": head.fields["Sec-Fetch-Mode"] == "cors"
        case .some: false
        case nil: route.name.hasSuffix(".css") || route.name.hasSuffix(".mjs")
        }
    }

    // MARK: - Bridge

    private mutating func answerBridge(_ id: ConnectionID, _ head: RequestHead, _ target: RequestTarget) {
        if head.method == .options { return sendAllow(id, .noContent, LocalServer.bridgeMethods) }
        guard head.method == .post else { return sendAllow(id, .methodNotAllowed, LocalServer.bridgeMethods) }
        // A message counts for the load that sent it (R6): one that names none counts for none.
        let attribution = attribute(head, target)
        guard let token = attribution.load, let index = connections.index(of: id) else {
            return refuse(id, .forbidden, "no page load")
        }
        // A message may change settings of the app, so that cookies alone don't suffice.
        guard attribution.signal != .cookie || policy.isNamedAsOwn(head) else {
            return refuse(id, .forbidden, "only cookies name the page")
        }
        connections[index].state = .waitingForBridge
        effects.append(.bridge(hostCalls.bridge.add(id), token, connections[index].requestBody))
    }

    mutating func bridgeAnswered(_ call: BridgeCallID, _ bytes: [UInt8]) {
        guard let connection = hostCalls.bridge.take(call) else { return }
        var fields = HeaderFields()
        fields.append("Content-Type", "application/json; charset=utf-8")
        fields.append("Cache-Control", "no-store")
        send(connection, .ok, fields, bytes)
    }
}
