import Core
import HTTP1

/// Rule S7's table: how the header fields of an API request and of its response are changed. A field that no
/// rule names is forwarded unchanged, line by line and in its order. `Via` is not added, because to the
/// remote root this server acts as the page itself, and S7 demands that requests are unchanged.
enum ProxyHeaderRules {
    enum HeaderRule: Hashable, Sendable {
        /// Belongs to one connection, not to the message (RFC 9110 §7.6.1).
        case hopByHop
        /// Written anew: framing is computed from what was parsed, no raw bytes are copied.
        case framing
        /// Replaced by the remote root's authority.
        case authority
        /// Replaced by the remote root's origin, as a page of it would send it.
        case origin
        /// Replaced by the same path under the remote root.
        case referer
        /// Forwarded without this server's own cookies, under the names that the remote root knows.
        case cookies
        /// Dropped, because a client could forge where the request comes from; this server adds none.
        case forwarding
        /// Dropped: with `-` for `_` it has the name of a field with another rule. CGI and what follows it
        /// (RFC 3875 §4.1.18) read both names as one.
        case lookalike
        /// Rewritten for loopback http: without `Domain`, and without what demands https. Each line stays
        /// separate; one that would set a cookie of this server is dropped.
        case setCookie
        /// Rewritten so that the same resource is named under this server.
        case reference
        /// Dropped: `Clear-Site-Data` would delete this server's session key, and data of pages that are not
        /// the remote root's.
        case siteData
    }

    typealias NamedRule = (name: String, rule: HeaderRule)

    static let requestRules: [NamedRule] =
        hopByHop + [
            ("Host", .authority), ("Origin", .origin), ("Referer", .referer), ("Cookie", .cookies),
            ("Forwarded", .forwarding), ("X-Forwarded-For", .forwarding), ("X-Forwarded-Host", .forwarding),
            ("X-Forwarded-Proto", .forwarding), ("X-Forwarded-Port", .forwarding),
            ("X-Forwarded-Server", .forwarding),
            ("X-Real-IP", .forwarding),
        ]

    static let responseRules: [NamedRule] =
        hopByHop + [
            ("Set-Cookie", .setCookie), ("Location", .reference), ("Content-Location", .reference),
            ("Clear-Site-Data", .siteData),
        ]

    private static let hopByHop: [NamedRule] = [
        ("Connection", .hopByHop), ("Keep-Alive", .hopByHop), ("Proxy-Connection", .hopByHop),
        ("Proxy-Authenticate", .hopByHop), ("Proxy-Authorization", .hopByHop),
        ("Proxy-Authentication-Info", .hopByHop), ("TE", .hopByHop), ("Trailer", .hopByHop),
        ("Upgrade", .hopByHop), ("HTTP2-Settings", .hopByHop), ("Transfer-Encoding", .framing),
        ("Content-Length", .framing),
    ]

    /// Fields that `Connection` can't remove from a message, because they go from end to end whatever a peer
    /// says (nginx 1.22 drops none of the named fields, others drop all).
    private static let endToEnd = [
        "host", "cookie", "set-cookie", "authorization", "origin", "referer", "content-type",
        "content-encoding", "content-range", "range", "if-match", "if-none-match", "if-modified-since",
        "if-unmodified-since", "if-range", "cache-control", "etag", "location", "vary", "expect", "date",
    ]

    /// The request as the remote root gets it.
    static func request(
        _ head: RequestHead, to root: RemoteRoot, _ policy: RequestPolicy, upgrades: Bool
    ) -> RequestHead {
        let connectionTokens = head.fields.tokens("Connection")
        var fields = HeaderFields()
        fields.append("Host", root.authority)
        for field in head.fields.fields {
            switch requestRule(of: field.name, connectionTokens) {
            case nil: fields.append(field.name, field.value)
            case .hopByHop, .framing, .authority, .forwarding, .lookalike, .setCookie, .reference, .siteData:
                break
            case .origin: fields.append(field.name, root.origin)
            case .referer:
                if let value = referer(field.value, root, policy) { fields.append(field.name, value) }
            case .cookies:
                if let value = ProxyCookies.request(field.value) { fields.append(field.name, value) }
            }
        }
        append(head.framing, to: &fields)
        if upgrades {
            fields.append("Upgrade", "websocket")
            fields.append("Connection", "Upgrade")
        } else {
            // One request per connection, so that no rest of it can become another one.
            fields.append("Connection", "close")
        }
        return RequestHead(head.method, target(of: head, root), fields: fields, framing: head.framing)
    }

    /// Fields of the response as the page gets them, without its framing.
    /// - Parameters:
    ///   - request: as the page sent it
    ///   - date: is added to a response without `Date` (RFC 9110 §6.6.1); nil: this server has no clock
    static func response(
        _ head: ResponseHead, to request: RequestHead, from root: RemoteRoot, date: String?
    ) -> HeaderFields {
        let connectionTokens = head.fields.tokens("Connection")
        var fields = HeaderFields()
        for field in head.fields.fields {
            switch rule(of: field.name, responseRules, connectionTokens) {
            case nil: fields.append(field.name, field.value)
            case .hopByHop, .framing, .authority, .origin, .referer, .cookies, .forwarding, .lookalike,
                .siteData:
                break
            case .setCookie:
                if let value = ProxyCookies.response(field.value, from: root) {
                    fields.append(field.name, value)
                }
            case .reference:
                let path = request.path?.path ?? "/"
                fields.append(field.name, root.localReference(field.value, requestPath: path))
            }
        }
        if let date, !fields.contains("Date") { fields.append("Date", date) }
        return fields
    }

    static func append(_ framing: BodyFraming, to fields: inout HeaderFields) {
        switch framing {
        case .none, .untilClose: break
        case .length(let length): fields.append("Content-Length", "\(length)")
        case .chunked: fields.append("Transfer-Encoding", "chunked")
        }
    }

    private static func requestRule(of name: String, _ connectionTokens: [String]) -> HeaderRule? {
        if let rule = rule(of: name, requestRules, connectionTokens) { return rule }
        let underscore = UInt8(ascii: "_")
        guard name.utf8.contains(underscore) else { return nil }
        let usual = String(
            decoding: name.utf8.map { $0 == underscore ? UInt8(ascii: "-") : $0 }, as: UTF8.self)
        return rule(of: usual, requestRules, connectionTokens) == nil ? nil : .lookalike
    }

    private static func rule(
        of name: String, _ table: [NamedRule], _ connectionTokens: [String]
    ) -> HeaderRule? {
        if let named = table.first(where: { HeaderFields.areEqual($0.name, name) }) { return named.rule }
        let isHopByHop = connectionTokens.contains { HeaderFields.areEqual($0, name) }
        return isHopByHop && !endToEnd.contains { HeaderFields.areEqual($0, name) } ? .hopByHop : nil
    }

    // MARK: - Values

    private static func target(of head: RequestHead, _ root: RemoteRoot) -> RequestHead.Target {
        guard let target = head.path else { return head.target }
        do {
            return .origin(
                try RequestTarget(Array((root.base + ReservedQueryItems.removed(from: target)).utf8)))
        } catch {
            // Can't happen: both were parsed as targets, and one after the other they are one.
            return .origin(target)
        }
    }

    /// nil for a page of another server.
    private static func referer(_ value: String, _ root: RemoteRoot, _ policy: RequestPolicy) -> String? {
        policy.ownTarget(ofReferer: value).map {
            root.origin + root.base + ReservedQueryItems.removed(from: $0)
        }
    }
}
