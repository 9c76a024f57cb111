import Core
import HTTP1

/// Scheme, host, port and target of a request to an origin, parsed from its absolute URL.
struct OriginAddress: Hashable, Sendable {
    var isSecure: Bool
    /// Host name or address, without the brackets of an IPv6 address.
    var host: String
    var port: UInt16
    /// Value of the `Host` field: without the scheme's default port (RFC 9110 §7.2).
    var authority: String
    /// Path and query, without the fragment, which is never sent (RFC 9110 §7.1).
    var target: RequestTarget

    /// nil for another scheme than http and https, user information, an authority without host, or a byte
    /// that no request line can carry.
    init?(_ url: String) {
        let url = URLParts(url)
        guard let isSecure = url.isSecure, let named = url.authority.flatMap({ Authority($0.utf8) }),
            !named.host.isEmpty
        else { return nil }
        self.isSecure = isSecure
        let usual = isSecure ? 443 : 80
        guard let port = UInt16(exactly: named.port ?? usual), port > 0 else { return nil }
        self.port = port
        authority = port == usual ? named.host : "\(named.host):\(port)"
        host = named.host.hasPrefix("[") ? String(named.host.dropFirst().dropLast()) : named.host
        do {
            target = try RequestTarget(Array(((url.path.isEmpty ? "/" : "") + url.target).utf8))
        } catch {
            return nil
        }
    }
}
