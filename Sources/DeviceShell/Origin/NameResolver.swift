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
        let work = Unmanaged.passRetained(Work { then(addresses(host, port)) })
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        // Not a Dispatch queue, because on Linux its thread pool wakes up every second after its first use.
        let answer = pthread_create(&thread, nil, NameResolver.begin, work.toOpaque())
        guard answer == 0 else {
            work.release()
            return then([])
        }
        #if canImport(Darwin)
            if let thread { pthread_detach(thread) }
        #else
            pthread_detach(thread)
        #endif
    }

    private final class Work: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    #if canImport(Darwin)
        private static let begin: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = {
            Unmanaged<Work>.fromOpaque($0).takeRetainedValue().run()
            return nil
        }
    #else
        private static let begin: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
            if let work = $0 { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().run() }
            return nil
        }
    #endif

    private static func addresses(_ host: String, _ port: UInt16) -> [SocketAddress] {
        var hints = addrinfo()
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
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
