#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Bionic)
    import Bionic
#endif

/// Resolves host names with the system's resolver, each on a separate thread, because the call may block for
/// seconds.
enum NameResolver {
    /// - Parameter then: called on the other thread with the addresses in the system's order; empty when the
    ///   name can't be resolved.
    static func resolve(_ host: String, port: UInt16, then: @escaping @Sendable ([SocketAddress]) -> Void) {
        let isStarted = DetachedThread.start { then(addresses(host, port)) }
        if !isStarted { then([]) }
    }

    private static func addresses(_ host: String, _ port: UInt16) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_socktype = SocketCalls.stream
        hints.ai_flags = AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &found) == 0 else { return [] }
        defer { freeaddrinfo(found) }
        var result: [SocketAddress] = []
        var next = found
        while let entry = next {
            if let address = entry.pointee.ai_addr {
                result.append(SocketAddress(address, size: entry.pointee.ai_addrlen))
            }
            next = entry.pointee.ai_next
        }
        return result
    }
}
