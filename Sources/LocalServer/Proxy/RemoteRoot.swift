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
        let bytes = Array(text.utf8)
        let small = bytes.map { (65...90).contains($0) ? $0 + 32 : $0 }
        let start: Int
        if small.starts(with: "https://".utf8) {
            (isSecure, start) = (true, 8)
        } else if small.starts(with: "http://".utf8) {
            (isSecure, start) = (false, 7)
        } else {
            throw .scheme
        }
        let rest = bytes[start...]
        if rest.contains(UInt8(ascii: "?")) || rest.contains(UInt8(ascii: "#")) { throw .query }
        let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        if rest[..<end].contains(UInt8(ascii: "@")) { throw .userInfo }
        guard let authority = Authority(rest[..<end]), !authority.host.isEmpty, authority.port != 0 else {
            throw .authority
        }
        host = authority.host
        port = UInt16(authority.port ?? (isSecure ? 443 : 80))
        var path = Array(rest[end...])
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
