import Core
import HTTP1

/// To which page load a request belongs, by the signals that the head of ``LocalServer`` explains.
struct Attribution: Hashable, Sendable {
    enum Signal: Hashable, Sendable {
        /// The request's own URL.
        case ownToken
        case referer
        case cookie
        /// Nothing: the hash in the URL, or the current version.
        case none
    }

    var load: PageLoadToken?
    var signal: Signal

    static let unknown = Attribution(load: nil, signal: .none)
}

extension LocalServer {
    /// A token of a load that is over, or of a former process, says that the request belongs to none of ours:
    /// the cookie, which may name another load, is not asked then.
    mutating func attribute(_ head: RequestHead, _ target: RequestTarget) -> Attribution {
        if let token = ReservedQueryItems.token(target) { return named(token, .ownToken) }
        if let token = refererToken(head) { return named(token, .referer) }
        let cookies = Cookies.values(ReservedQueryItems.load, head.fields)
        guard let token = cookies.compactMap({ PageLoadToken(text: $0) }).first(where: { load($0) != nil })
        else { return .unknown }
        return Attribution(load: inUse(token), signal: .cookie)
    }

    private mutating func named(_ token: PageLoadToken, _ signal: Attribution.Signal) -> Attribution {
        guard load(token) != nil else { return .unknown }
        saw(token)
        return Attribution(load: token, signal: signal)
    }

    /// The cookie came with the newest index; until that document is in use the one before it still asks.
    private func inUse(_ token: PageLoadToken) -> PageLoadToken {
        var token = token
        // Each step leads to a load made earlier; the count only bounds it.
        for _ in loads {
            guard let named = load(token), !named.isCommitted, let former = load(named.former) else { break }
            token = former.token
        }
        return token
    }

    mutating func saw(_ token: PageLoadToken) {
        guard let load = load(token), load.isServed, !load.isCommitted else { return }
        commit(token)
        effects.append(.seen(token))
    }

    /// The token in the URL of the document, style sheet, module or worker of ours that asks.
    func refererToken(_ head: RequestHead) -> PageLoadToken? {
        head.fields["Referer"].flatMap { gate.ownTarget(ofReferer: $0) }.flatMap {
            ReservedQueryItems.token($0)
        }
    }
}
