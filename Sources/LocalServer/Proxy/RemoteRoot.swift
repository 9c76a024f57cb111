import Core
import HTTP1

/// Where API requests go (rule S7): an http or https URL whose host is fixed by configuration, or by the
/// app's own page over the bridge, and by nothing in a request (http.md HT-X1).
public struct RemoteRoot: Hashable, Sendable {
    /// https
    public let isSecure: Bool
    /// In small letters; an IPv6 address in its brackets.
    public let host: String
    public let port: UInt16
    /// What stands before every path, encoded, without a slash at its end; often empty.
    public let base: String

    /// Why a text is no remote root.
    public enum Malformed: String, Error, Hashable, Sendable {
        case scheme = "it does not start with http:// or https://"
        case authority = "its host or port is malformed"
        case userInfo = "it carries user information"
        case query = "it has a query or a fragment"
        case path = "its path is malformed or has dot segments"
    }

    public init(_ text: String) throws(Malformed) {
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

    /// As `Host` names it: the port only where it is not the scheme's own.
    public var authority: String { port == (isSecure ? 443 : 80) ? host : "\(host):\(port)" }

    /// As `Origin` names it.
    public var origin: String { (isSecure ? "https://" : "http://") + authority }
}

extension RemoteRoot: CustomStringConvertible {
    public var description: String { origin + base }
}
