#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Bionic)
    import Bionic
#endif

/// An IPv4 or IPv6 address with a port, as the socket calls take it.
package struct SocketAddress: Sendable {
    private var storage = sockaddr_storage()
    private let size: socklen_t

    var family: Int32 { Int32(storage.ss_family) }

    /// Copies an address that the system returned.
    init(_ address: UnsafePointer<sockaddr>, size: socklen_t) {
        self.size = min(size, socklen_t(MemoryLayout<sockaddr_storage>.size))
        withUnsafeMutableBytes(of: &storage) { bytes in
            bytes.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(self.size)))
        }
    }

    package static func loopback4(port: UInt16) -> SocketAddress {
        var address = sockaddr_in()
        #if canImport(Darwin)
            address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
        #endif
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return of(&address)
    }

    package static func loopback6(port: UInt16) -> SocketAddress {
        var address = sockaddr_in6()
        #if canImport(Darwin)
            address.sin6_len = UInt8(MemoryLayout<sockaddr_in6>.size)
        #endif
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_addr = in6addr_loopback
        return of(&address)
    }

    private static func of<Address>(_ address: inout Address) -> SocketAddress {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                SocketAddress($0, size: socklen_t(MemoryLayout<Address>.size))
            }
        }
    }

    /// Parses a numeric address (`127.0.0.1`, `::1`, `0.0.0.0`); nil for anything else. Names are not
    /// resolved.
    package init?(numeric text: String, port: UInt16) {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(text, String(port), &hints, &found) == 0 else { return nil }
        defer { freeaddrinfo(found) }
        guard let entry = found?.pointee, let address = entry.ai_addr else { return nil }
        self.init(address, size: entry.ai_addrlen)
    }

    /// Numeric address without the port.
    package var text: String {
        var bytes = [CChar](repeating: 0, count: 64)
        let answer = withPointer { pointer, size in
            getnameinfo(pointer, size, &bytes, socklen_t(bytes.count), nil, 0, NI_NUMERICHOST)
        }
        guard answer == 0 else { return "?" }
        return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, size) }
        }
    }
}
