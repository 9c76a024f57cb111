import Core

/// `method SP target SP HTTP/d.d`, exactly (RFC 9112 §3): single spaces, no fragment, only visible ASCII.
struct RequestLine: Equatable, Sendable {
    let method: RequestMethod
    let target: RequestHead.Target
    let minorVersion: Int

    init(_ line: ArraySlice<UInt8>) throws(ParseFailure) {
        let space: UInt8 = 0x20
        guard let first = line.firstIndex(of: space), let last = line.lastIndex(of: space), first < last
        else {
            throw .badRequestLine
        }
        let name = line[..<first]
        let targetBytes = line[(first + 1)..<last]
        guard Token.isToken(name), !targetBytes.isEmpty, !targetBytes.contains(space) else {
            throw .badRequestLine
        }
        method = RequestMethod(String(decoding: name, as: UTF8.self))
        minorVersion = try RequestLine.minorVersion(line[(last + 1)...])
        target = try RequestLine.target(targetBytes, method)
    }

    /// 0 for HTTP/1.0, 1 for any later HTTP/1.x (RFC 9110 §2.5).
    static func minorVersion(_ bytes: ArraySlice<UInt8>) throws(ParseFailure) -> Int {
        let start = bytes.startIndex
        guard bytes.count == 8, bytes[start] == UInt8(ascii: "H"), bytes[start + 1] == UInt8(ascii: "T"),
            bytes[start + 2] == UInt8(ascii: "T"), bytes[start + 3] == UInt8(ascii: "P"),
            bytes[start + 4] == UInt8(ascii: "/"), bytes[start + 6] == UInt8(ascii: "."),
            Token.isDigit(bytes[start + 5]), Token.isDigit(bytes[start + 7])
        else { throw .badVersion }
        guard bytes[start + 5] == UInt8(ascii: "1") else { throw .versionNotSupported }
        return bytes[start + 7] == UInt8(ascii: "0") ? 0 : 1
    }

    private static func target(
        _ bytes: ArraySlice<UInt8>, _ method: RequestMethod
    ) throws(ParseFailure) -> RequestHead.Target {
        if method == .connect {
            guard let authority = Authority(bytes), authority.port != nil, !authority.host.isEmpty else {
                throw bytes.contains(UInt8(ascii: "@")) ? .userInfoInTarget : .badTarget
            }
            return .authority(authority)
        }
        if bytes.count == 1, bytes.first == UInt8(ascii: "*") {
            guard method == .options else { throw .badTarget }
            return .asterisk
        }
        if bytes.first == UInt8(ascii: "/") { return .origin(try path(bytes)) }
        return try absolute(bytes, method)
    }

    private static func absolute(
        _ bytes: ArraySlice<UInt8>, _ method: RequestMethod
    ) throws(ParseFailure) -> RequestHead.Target {
        let url = URLParts(String(decoding: bytes, as: UTF8.self))
        guard let isSecure = url.isSecure, let named = url.authority else { throw .badTarget }
        if named.utf8.contains(UInt8(ascii: "@")) { throw .userInfoInTarget }
        guard let authority = Authority(named.utf8), !authority.host.isEmpty, url.fragment == nil else {
            throw .badTarget
        }
        let target = try path(Array(((url.path.isEmpty ? "/" : "") + url.target).utf8))
        return .absolute(scheme: isSecure ? "https" : "http", authority, target)
    }

    private static func path(_ bytes: some Collection<UInt8>) throws(ParseFailure) -> RequestTarget {
        do {
            return try RequestTarget(bytes)
        } catch {
            throw .badTarget
        }
    }
}
