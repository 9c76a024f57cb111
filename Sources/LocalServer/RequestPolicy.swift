import Core
import HTTP1

/// Who may ask at all (rule S6; http.md HT-H2 to H8), decided from the head alone and before any handler: own
/// Host, a method of ours, the session key, no foreign page.
struct RequestPolicy: Hashable, Sendable {
    let port: Int
    let key: [UInt8]

    struct Refusal: Hashable, Sendable {
        var status: StatusCode
        var sentence: String
        /// What `Allow` says, with 405.
        var allow: String?
    }

    init(_ configuration: LocalServer.Configuration) {
        port = Int(configuration.port)
        key = Array(configuration.sessionKey.utf8)
    }

    /// nil when the request may go on.
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

    /// The key in the URL: a start of ours, and the cookie is to be set.
    func carriesKeyInURL(_ head: RequestHead) -> Bool {
        head.path?.queryValue(ReservedQueryItems.key).map(isKey) ?? false
    }

    /// Exactly these names, without a trailing dot: a name that only ends like ours is somebody else's.
    func isOwn(_ authority: Authority) -> Bool {
        switch authority.host {
        case "localhost", "127.0.0.1", "[::1]":
            authority.port == port || (authority.port == nil && port == 80)
        default: false
        }
    }

    /// Path and query of a page of ours that asks; nil for a stranger, and for what is no URL.
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

    /// In the URL or in a cookie; any of several of that name, for other servers on this host set cookies too
    /// (HT-H10).
    private func hasKey(_ head: RequestHead) -> Bool {
        carriesKeyInURL(head) || Cookies.values(ReservedQueryItems.key, head.fields).contains(where: isKey)
    }

    /// Takes the same time wherever the texts differ (HT-H5). An empty key is nobody's.
    private func isKey(_ text: String) -> Bool {
        let given = text.utf8
        guard given.count == key.count, !key.isEmpty else { return false }
        var difference: UInt8 = 0
        for (one, other) in zip(given, key) { difference |= one ^ other }
        return difference == 0
    }

    /// `Origin`, where it is told, is the origin that is asked; `Sec-Fetch-Site` is ours, or the user's own
    /// doing: another port of this host is `same-site`, and a stranger. A navigation may come from anywhere;
    /// the key has let it in.
    private func isFromOwnPage(_ head: RequestHead, _ authority: Authority) -> Bool {
        guard head.fields.all("Origin").allSatisfy({ $0 == "http://\(authority)" }) else { return false }
        if head.method.isSafe, head.fields["Sec-Fetch-Mode"] == "navigate" { return true }
        return head.fields.all("Sec-Fetch-Site").allSatisfy { $0 == "same-origin" || $0 == "none" }
    }
}
