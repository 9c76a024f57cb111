import Core
import HTTP1

/// Where API requests go (rule S7): an http or https URL whose host is set by configuration, or by the app's
/// page over the bridge, and by nothing in a request. Its syntax is RFC 3986's, without user information,
/// query and fragment.
public struct RemoteRoot: Hashable, Sendable {
    /// Whether the scheme is https.
    public let isSecure: Bool
    /// Host in lower case; an IPv6 address in its brackets.
    public let host: String
    public let port: UInt16
    /// Path that is put before every request's path: percent-encoded, without a slash at its end; often
    /// empty.
    public let base: String

    /// Why a text is not the URL of a remote root.
    public enum InvalidURL: String, Error, Hashable, Sendable {
        case scheme = "it does not start with http:// or https://"
        case authority = "its host or port is malformed"
        case userInfo = "it carries user information"
        case query = "it has a query or a fragment"
        case path = "its path is malformed or has dot segments"
    }

    /// - Throws: ``InvalidURL`` for anything but an http or https URL of a host, an optional port and a base
    ///   path.
    public init(_ text: String) throws(InvalidURL) {
        let url = URLParts(text)
        guard let isSecure = url.isSecure, let named = url.authority else { throw .scheme }
        if url.query != nil || url.fragment != nil { throw .query }
        if named.utf8.contains(UInt8(ascii: "@")) { throw .userInfo }
        guard let authority = Authority(named.utf8), !authority.host.isEmpty, authority.port != 0 else {
            throw .authority
        }
        self.isSecure = isSecure
        host = authority.host
        port = UInt16(authority.port ?? (isSecure ? 443 : 80))
        var path = Array(url.path.utf8)
        while path.last == UInt8(ascii: "/") { path.removeLast() }
        guard !path.isEmpty else {
            base = ""
            return
        }
        let target: RequestTarget
        do {
            target = try RequestTarget(path)
        } catch {
            throw .path
        }
        guard target.route != nil else { throw .path }
        base = target.path
    }

    /// Value of `Host` (RFC 9110 §7.2): the port only where it is not the scheme's default.
    package var authority: String { port == (isSecure ? 443 : 80) ? host : "\(host):\(port)" }

    /// Value of `Origin` (RFC 6454 §6.1).
    package var origin: String { scheme + "://" + authority }

    var scheme: String { isSecure ? "https" : "http" }
}

extension RemoteRoot: CustomStringConvertible {
    public var description: String { origin + base }
}
