import Core
import HTTP1

/// Which requests are answered at all (rule S6), decided from the head alone and before anything else: they
/// need this server's Host, a known method, the session key, and no foreign page as their origin.
struct RequestPolicy: Hashable, Sendable {
    let port: Int
    let key: [UInt8]
    /// Name of the cookie with the key.
    let keyCookie: String

    struct Refusal: Hashable, Sendable {
        var status: StatusCode
        var sentence: String
        /// Value of `Allow`, with 405.
        var allow: String?
    }

    init(_ configuration: LocalServer.Configuration) {
        port = Int(configuration.port)
        key = Array(configuration.sessionKey.utf8)
        keyCookie = ReservedQueryItems.cookie(ReservedQueryItems.key, port: configuration.port)
    }

    /// Why the request is refused; nil: it is not.
    func refusal(of head: RequestHead) -> Refusal? {
        guard let authority = head.authority, isOwn(authority), isPlainHTTP(head.target) else {
            return Refusal(status: .misdirectedRequest, sentence: "not this server's host")
        }
        guard head.method.isKnown else { return Refusal(status: .notImplemented, sentence: "unknown method") }
        if head.method == .connect || head.method == .trace {
            return Refusal(
                status: .methodNotAllowed, sentence: "not with this method", allow: LocalServer.fileMethods)
        }
        guard hasKey(head) else { return Refusal(status: .forbidden, sentence: "no session key") }
        guard isFromOwnPage(head, authority) else {
            return Refusal(status: .forbidden, sentence: "not from a page of this server")
        }
        guard head.expectation != .unknown else {
            return Refusal(status: .expectationFailed, sentence: "unknown expectation")
        }
        return nil
    }

    /// Whether the URL carries the key, as the start URL does; then the cookie is to be set.
    func carriesKeyInURL(_ head: RequestHead) -> Bool {
        head.path?.queryValue(ReservedQueryItems.key).map(isKey) ?? false
    }

    /// Exactly these names, without a trailing dot: a name that only ends like them is another host's.
    func isOwn(_ authority: Authority) -> Bool {
        switch authority.host {
        case "localhost", "127.0.0.1", "[::1]":
            authority.port == port || (authority.port == nil && port == 80)
        default: false
        }
    }

    /// Path and query of the `Referer`, if it is a URL of this server; else nil.
    func ownTarget(ofReferer referer: String) -> RequestTarget? {
        let url = URLParts(referer)
        guard url.isSecure == false, url.fragment == nil, let named = url.authority,
            let authority = Authority(named.utf8), isOwn(authority)
        else { return nil }
        do {
            return try RequestTarget(Array(url.target.utf8))
        } catch {
            return nil
        }
    }

    private func isPlainHTTP(_ target: RequestHead.Target) -> Bool {
        switch target {
        case .absolute(let scheme, _, _): scheme == "http"
        case .origin, .asterisk, .authority: true
        }
    }

    /// Whether the URL or a cookie has the key; any of several cookies of that name, because other servers on
    /// this host set cookies too.
    private func hasKey(_ head: RequestHead) -> Bool {
        carriesKeyInURL(head) || Cookies.values(keyCookie, head.fields).contains(where: isKey)
    }

    /// Compares in the same time wherever the texts differ, so that the time tells nothing about the key. No
    /// text equals an empty key.
    private func isKey(_ text: String) -> Bool {
        let given = text.utf8
        guard given.count == key.count, !key.isEmpty else { return false }
        var difference: UInt8 = 0
        for (one, other) in zip(given, key) { difference |= one ^ other }
        return difference == 0
    }

    /// Whether the browser says that a page of this server sends the request. No browser leaves both fields
    /// out of a page's POST; a program on another port of this host, which gets this server's cookies from
    /// the browser (RFC 6265 §8.5), may.
    func isNamedAsOwn(_ head: RequestHead) -> Bool {
        // A foreign origin has been refused.
        head.fields.contains("Origin") || head.fields.all("Sec-Fetch-Site").contains("same-origin")
    }

    /// What a page shows inside itself. Its address may be any page's choice, and the browser sends this
    /// host's cookies with it.
    private static let embedded = ["iframe", "frame", "fencedframe", "embed", "object"]

    /// Whether `Origin`, where it is sent, is this server, and `Sec-Fetch-Site` is `same-origin`, or `none`
    /// as for the user's own navigation: another port of this host would be `same-site`. A navigation of a
    /// whole window may come from any page, because it has the key; that of a frame may not.
    private func isFromOwnPage(_ head: RequestHead, _ authority: Authority) -> Bool {
        guard head.fields.all("Origin").allSatisfy({ $0 == "http://\(authority)" }) else { return false }
        let isEmbedded = head.fields.all("Sec-Fetch-Dest").contains { RequestPolicy.embedded.contains($0) }
        if head.method.isSafe, head.fields["Sec-Fetch-Mode"] == "navigate", !isEmbedded { return true }
        return head.fields.all("Sec-Fetch-Site").allSatisfy { $0 == "same-origin" || $0 == "none" }
    }
}
