import Core

/// What a request of a page or another client has in addition to its target (rule S7).
package struct RequestSpec: Hashable, Sendable {
    /// Method; nil: GET.
    package var method: Spanned<SentMethod>?
    /// Fields in addition to those that the client itself sends, in the order of the file.
    package var headers: [SentHeader] = []
    /// Text of the body; nil: none.
    package var body: Spanned<String>?
    package var span: SourceSpan

    package init(
        method: Spanned<SentMethod>? = nil, headers: [SentHeader] = [], body: Spanned<String>? = nil,
        span: SourceSpan = SourceSpan(start: 0, end: 0)
    ) {
        self.method = method
        self.headers = headers
        self.body = body
        self.span = span
    }
}

/// The methods that scenarios send.
package enum SentMethod: String, CaseIterable, Hashable, Sendable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
    case options = "OPTIONS"

    /// Whether a browser sends no `Origin` with it to the page's own origin (Fetch, "append a request Origin
    /// header").
    package var isSafe: Bool { self == .get || self == .head }
}

/// A field of a request.
package struct SentHeader: Hashable, Sendable {
    package var name: Spanned<String>
    package var value: Spanned<String>

    package init(name: Spanned<String>, value: Spanned<String>) {
        self.name = name
        self.value = value
    }

    /// Whether the name is a token (RFC 9110 §5.6.2).
    var hasValidName: Bool {
        !name.value.isEmpty
            && name.value.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default: Self.marks.contains(byte)
                }
            }
    }

    /// Whether the value has no control characters, and no blank at its ends (RFC 9110 §5.5).
    var hasValidValue: Bool {
        let bytes = value.value.utf8
        let (space, tab) = (UInt8(ascii: " "), UInt8(ascii: "\t"))
        let ends = [bytes.first ?? space, bytes.last ?? space]
        return bytes.allSatisfy { ($0 >= space && $0 != 0x7F) || $0 == tab }
            && !ends.contains(space) && !ends.contains(tab)
    }

    private static let marks = Array("!#$%&'*+-.^_`|~".utf8)

    /// Whether a page can't set the field itself (Fetch, "forbidden request-header").
    var isForbiddenToPages: Bool {
        let name = name.value.lowercased()
        return Self.forbidden.contains(name) || name.hasPrefix("sec-") || name.hasPrefix("proxy-")
    }

    private static let forbidden = [
        "accept-charset", "accept-encoding", "access-control-request-headers",
        "access-control-request-method", "connection", "content-length", "cookie", "cookie2", "date", "dnt",
        "expect", "host", "keep-alive", "origin", "referer", "set-cookie", "te", "trailer",
        "transfer-encoding", "upgrade", "via",
    ]

    /// Whether the client sends the field itself, because the connection needs it.
    var isOfConnection: Bool {
        ["content-length", "host", "transfer-encoding"].contains(name.value.lowercased())
    }
}
