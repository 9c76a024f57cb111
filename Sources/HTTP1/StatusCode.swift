/// A response's status code, 100 to 599 (RFC 9110 §15).
public struct StatusCode: Hashable, Comparable, Sendable {
    /// Three-digit code.
    public let code: Int

    public init(_ code: Int) { self.code = code }

    public static func < (left: StatusCode, right: StatusCode) -> Bool { left.code < right.code }

    public static let `continue` = StatusCode(100)
    public static let switchingProtocols = StatusCode(101)
    public static let ok = StatusCode(200)
    public static let noContent = StatusCode(204)
    public static let partialContent = StatusCode(206)
    public static let movedPermanently = StatusCode(301)
    public static let notModified = StatusCode(304)
    public static let badRequest = StatusCode(400)
    public static let forbidden = StatusCode(403)
    public static let notFound = StatusCode(404)
    public static let methodNotAllowed = StatusCode(405)
    public static let requestTimeout = StatusCode(408)
    public static let preconditionFailed = StatusCode(412)
    public static let contentTooLarge = StatusCode(413)
    public static let targetTooLong = StatusCode(414)
    public static let rangeNotSatisfiable = StatusCode(416)
    public static let expectationFailed = StatusCode(417)
    public static let misdirectedRequest = StatusCode(421)
    public static let fieldsTooLarge = StatusCode(431)
    public static let internalError = StatusCode(500)
    public static let notImplemented = StatusCode(501)
    public static let badGateway = StatusCode(502)
    public static let unavailable = StatusCode(503)
    public static let gatewayTimeout = StatusCode(504)
    public static let versionNotSupported = StatusCode(505)

    /// Whether the code is 1xx.
    public var isInformational: Bool { code < 200 }
    /// Whether the code is 2xx.
    public var isSuccess: Bool { code / 100 == 2 }

    /// Whether a response with this status never has content, whatever its fields say (RFC 9112 §6.3 rule 1).
    public var neverHasContent: Bool { isInformational || code == 204 || code == 304 }

    /// Reason phrase of RFC 9110; empty for codes not listed here.
    public var reason: String {
        switch code {
        case 100: "Continue"
        case 101: "Switching Protocols"
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 206: "Partial Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 411: "Length Required"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 416: "Range Not Satisfiable"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 426: "Upgrade Required"
        case 428: "Precondition Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        case 507: "Insufficient Storage"
        default: ""
        }
    }
}

extension StatusCode: CustomStringConvertible {
    public var description: String { reason.isEmpty ? String(code) : "\(code) \(reason)" }
}
