import Core
import HTTP1

/// The page load to which a request belongs, by the signals that the head of ``LocalServer`` explains.
struct PageLoadAttribution: Hashable, Sendable {
    enum Signal: Hashable, Sendable {
        /// The token in the request's own URL.
        case ownToken
        case referer
        case cookie
        /// None: the hash in the URL decides, or the current version answers.
        case none
    }

    var load: PageLoadToken?
    var signal: Signal

    static let unknown = PageLoadAttribution(load: nil, signal: .none)
}

extension LocalServer {
    /// A token of a load that is over, or of a previous process, shows that the request belongs to none of
    /// the loads here: then the cookie is not used, because it may name another load.
    mutating func attribute(_ head: RequestHead, _ target: RequestTarget) -> PageLoadAttribution {
        if let token = ReservedQueryItems.token(target) { return attribute(to: token, .ownToken) }
        if let token = refererToken(head) { return attribute(to: token, .referer) }
        guard let owner = cookieOwner(head) else { return .unknown }
        return PageLoadAttribution(load: owner, signal: .cookie)
    }

    /// The load that the cookie of the newest document stands for; nil: none that is known.
    func cookieOwner(_ head: RequestHead) -> PageLoadToken? {
        let tokens = Cookies.values(loadCookie, head.fields).compactMap { PageLoadToken(text: $0) }
        return tokens.first { pageLoads[$0] != nil }.map { pageLoads.owner(ofCookie: $0) }
    }

    private mutating func attribute(
        to token: PageLoadToken, _ signal: PageLoadAttribution.Signal
    ) -> PageLoadAttribution {
        guard pageLoads[token] != nil else { return .unknown }
        observe(token)
        return PageLoadAttribution(load: token, signal: signal)
    }

    /// A request carried this token: the load's document is in use.
    mutating func observe(_ token: PageLoadToken) {
        if pageLoads.commitOnEvidence(token) { effects.append(.seen(token)) }
    }

    /// The token in the URL of this server's document, style sheet, module or worker that sends the request.
    func refererToken(_ head: RequestHead) -> PageLoadToken? {
        head.fields["Referer"].flatMap { policy.ownTarget(ofReferer: $0) }.flatMap {
            ReservedQueryItems.token($0)
        }
    }
}
