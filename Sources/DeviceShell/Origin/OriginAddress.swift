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
        let bytes = Array(url.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        switch String(decoding: bytes[..<colon], as: UTF8.self).lowercased() {
        case "http": isSecure = false
        case "https": isSecure = true
        default: return nil
        }
        let slashes = bytes[(colon + 1)...].prefix(2)
        guard slashes.elementsEqual("//".utf8) else { return nil }
        let rest = bytes[(colon + 3)...]
        let ends: [UInt8] = [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")]
        let end = rest.firstIndex(where: ends.contains) ?? rest.endIndex
        guard let named = Authority(rest[..<end]), !named.host.isEmpty else { return nil }
        let usual = isSecure ? 443 : 80
        guard let port = UInt16(exactly: named.port ?? usual), port > 0 else { return nil }
        self.port = port
        authority = port == usual ? named.host : "\(named.host):\(port)"
        host = named.host.hasPrefix("[") ? String(named.host.dropFirst().dropLast()) : named.host
        let path = rest[end...].prefix { $0 != UInt8(ascii: "#") }
        do {
            target = try RequestTarget(path.first == UInt8(ascii: "/") ? Array(path) : Array("/".utf8) + path)
        } catch {
            return nil
        }
    }
}
