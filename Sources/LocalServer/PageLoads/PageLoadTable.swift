import Core

/// The page loads whose documents are shown or under way, and the version for requests that belong to none.
///
/// **Invariants.**
/// - Each token occurs once, and its site never changes (S1).
/// - A load that has ended is here only while a response of it is in progress.
/// - `previous` of a load names an older one or one that is gone, so that ``owner(ofCookie:)`` ends.
struct PageLoadTable: Equatable, Sendable {
    private var loads: [PageLoad] = []
    private var lastServed: PageLoadToken?
    /// What requests that belong to no page load get; nil: 503.
    var current: Site?

    subscript(token: PageLoadToken?) -> PageLoad? {
        guard let token else { return nil }
        return loads.first { $0.token == token }
    }

    /// Pins a new load to a version.
    /// - Parameter requester: the load whose document requested it, as far as the request names one.
    mutating func pin(
        _ token: PageLoadToken, to site: Site, requestedBy requester: PageLoadToken?, isByHost: Bool = false
    ) -> PageLoad {
        let previous = self[requester]?.token ?? lastServed
        loads.removeAll { $0.token == token }
        let load = PageLoad(
            token: token, site: site, isByHost: isByHost,
            previous: previous == token ? nil : previous)
        loads.append(load)
        return load
    }

    mutating func markServed(_ token: PageLoadToken, for document: Route) {
        update(token) { load in
            load.isServed = true
            load.document = document
        }
        lastServed = token
    }

    /// The redirect to the load's document, or the document, is handed over on this connection.
    mutating func carry(_ token: PageLoadToken, on connection: ConnectionID) {
        update(token) { $0.carrier = connection }
    }

    /// A response of this load has been sent on this connection; the first one is its document.
    mutating func sent(_ token: PageLoadToken?, on connection: ConnectionID) {
        guard let token, self[token]?.carrier == connection else { return }
        update(token) { $0.carrier = nil }
    }

    /// The peer of this connection is gone.
    /// - Returns: the loads whose documents it has not got. Each is returned once.
    mutating func takeLoads(carriedBy connection: ConnectionID) -> [PageLoadToken] {
        var tokens: [PageLoadToken] = []
        for index in loads.indices where loads[index].carrier == connection {
            loads[index].carrier = nil
            if !loads[index].isCommitted, !loads[index].hasEnded { tokens.append(loads[index].token) }
        }
        return tokens
    }

    mutating func commit(_ token: PageLoadToken) { update(token) { $0.isCommitted = true } }

    /// Commits a load whose own token came with a request.
    /// - Returns: whether that was news.
    mutating func commitOnEvidence(_ token: PageLoadToken) -> Bool {
        guard let load = self[token], load.isServed, !load.isCommitted else { return false }
        commit(token)
        return true
    }

    mutating func end(_ token: PageLoadToken) {
        update(token) { $0.hasEnded = true }
        for load in loads where load.hasEnded && load.responses == 0 { remove(load) }
    }

    /// A load that follows one that was never committed follows what that one followed: the document that is
    /// still in front, to which requests with its cookie belong.
    private mutating func remove(_ load: PageLoad) {
        loads.removeAll { $0.token == load.token }
        guard !load.isCommitted else { return }
        for index in loads.indices where loads[index].previous == load.token {
            loads[index].previous = load.previous
        }
    }

    /// - Returns: whether this is the only response of the load in progress.
    mutating func beginResponse(_ token: PageLoadToken) -> Bool {
        guard let load = self[token] else { return false }
        update(token) { $0.responses += 1 }
        return load.responses == 0
    }

    /// - Returns: whether no response of the load is in progress any more.
    mutating func endResponse(_ token: PageLoadToken) -> Bool {
        update(token) { $0.responses -= 1 }
        guard let load = self[token], load.responses == 0 else { return false }
        if load.hasEnded { remove(load) }
        return true
    }

    /// The load to which a request with this cookie belongs. The cookie came with the newest index; until
    /// that document is committed, requests come from the one before it.
    func owner(ofCookie token: PageLoadToken) -> PageLoadToken {
        var token = token
        // Each step leads to an older load; the count only bounds the loop.
        for _ in loads {
            guard let load = self[token], !load.isCommitted, let previous = self[load.previous] else { break }
            token = previous.token
        }
        return token
    }

    /// A version whose content this URL fixes by its hash: every version that has the URL has the same
    /// content.
    func site(fixing route: Route) -> Site? {
        loads.first { $0.site.file(route.text)?.isImmutable ?? false }?.site
    }

    private mutating func update(_ token: PageLoadToken, _ change: (inout PageLoad) -> Void) {
        guard let index = loads.firstIndex(where: { $0.token == token }) else { return }
        change(&loads[index])
    }
}
