import Core

/// A page load that the server answers: the version it is pinned to, and how sure it is that its document is
/// shown.
struct Load: Hashable, Sendable {
    let token: PageLoadToken
    let site: Site
    /// The load whose document asked for this one, or the one served before it: what an unclear request
    /// belongs to until this one is committed.
    let former: PageLoadToken?
    var isServed = false
    /// A request with this load's own token came, or the host said so.
    var isCommitted = false
    /// No request can come any more; kept until its last answer is out.
    var hasEnded = false
    /// Answers under way.
    var answers = 0
}

extension LocalServer {
    func load(_ token: PageLoadToken?) -> Load? {
        guard let token else { return nil }
        return loads.first { $0.token == token }
    }

    mutating func change(_ token: PageLoadToken, _ body: (inout Load) -> Void) {
        guard let place = loads.firstIndex(where: { $0.token == token }) else { return }
        body(&loads[place])
    }

    mutating func commit(_ token: PageLoadToken) { change(token) { $0.isCommitted = true } }

    mutating func end(_ token: PageLoadToken) {
        change(token) { $0.hasEnded = true }
        loads.removeAll { $0.hasEnded && $0.answers == 0 }
    }

    mutating func answerBegins(_ token: PageLoadToken) {
        guard let load = load(token) else { return }
        change(token) { $0.answers += 1 }
        if load.answers == 0 { effects.append(.sending(token, true)) }
    }

    mutating func answerEnded(_ token: PageLoadToken) {
        change(token) { $0.answers -= 1 }
        guard let load = load(token), load.answers == 0 else { return }
        effects.append(.sending(token, false))
        if load.hasEnded { loads.removeAll { $0.token == token } }
    }
}
