#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Bionic)
    import Bionic
#endif
#if os(Linux) || os(Android)
    import LinuxSystem
#endif

/// The system calls of sockets, each once again when a signal interrupted it. No socket waits, none is
/// inherited by a child, and none answers a vanished peer with a signal.
///
/// A call that would have to wait answers nil; any other failure is a ``SystemError``.
package enum SocketCalls {
    /// The loopback's two addresses. Another address would offer the app's pages to the network (http.md
    /// HT-H1).
    package enum Loopback: CaseIterable {
        case version4
        case version6
    }

    #if canImport(Darwin)
        private static let stream = SOCK_STREAM
        private static let noSignal: Int32 = 0
        private static let more: Int32 = 0
    #else
        #if canImport(Glibc)
            private static let stream = Int32(SOCK_STREAM.rawValue)
        #else
            private static let stream = SOCK_STREAM
        #endif
        private static let noSignal = Int32(MSG_NOSIGNAL)
        private static let more = Int32(MSG_MORE)
    #endif

    // MARK: - Opening

    /// A socket that accepts at this address. `SO_REUSEADDR`, so that a former process's closed connections
    /// don't keep the port; never `SO_REUSEPORT`, with which a stranger could share it.
    /// - Parameter port: 0: any that is free, see ``port(of:)``.
    package static func listen(at address: Loopback, port: UInt16) throws(SystemError) -> Int32 {
        try listen(on: address == .version4 ? .loopback4(port: port) : .loopback6(port: port))
    }

    /// The same at any address: for programs of a laboratory, never for an app (HT-H1).
    package static func listen(on address: SocketAddress) throws(SystemError) -> Int32 {
        let descriptor = try open(address.family)
        do throws(SystemError) {
            try set(descriptor, SOL_SOCKET, SO_REUSEADDR)
            if address.family == AF_INET6 { try set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY) }
            _ = try SystemCalls.answer {
                address.withPointer { pointer, size in bind(descriptor, pointer, size) }
            }
            _ = try SystemCalls.answer { systemListen(descriptor, 512) }
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// The next connection that waits to be accepted.
    package static func accept(_ listener: Int32) throws(SystemError) -> Int32? {
        guard let descriptor = try waiting({ systemAccept(listener) }) else { return nil }
        do throws(SystemError) {
            try prepare(descriptor)
            try set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY)
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Begins a connection; it is there when the socket can be written to and ``failure(of:)`` is nil.
    package static func connect(to address: SocketAddress) throws(SystemError) -> Int32 {
        let descriptor = try open(address.family)
        do throws(SystemError) {
            try set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY)
            let number = address.withPointer { pointer, size in
                systemConnect(descriptor, pointer, size) == 0 ? 0 : errno
            }
            guard number == 0 || number == EINPROGRESS || number == EINTR else {
                throw SystemError(number: number)
            }
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// The same to the next of a host's addresses; one that fails at once is passed over.
    /// - Parameter failure: of the address before.
    /// - Throws: the last failure when no address is left; refused where there has been none.
    static func connect(
        toNextOf addresses: inout [SocketAddress], after failure: SystemError?
    ) throws(SystemError) -> Int32 {
        var failure = failure ?? SystemError(number: ECONNREFUSED)
        while !addresses.isEmpty {
            do throws(SystemError) {
                return try connect(to: addresses.removeFirst())
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private static func open(_ family: Int32) throws(SystemError) -> Int32 {
        let descriptor = try SystemCalls.answer { socket(family, stream, 0) }
        do throws(SystemError) {
            try prepare(descriptor)
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    private static func prepare(_ descriptor: Int32) throws(SystemError) {
        let flags = try SystemCalls.answer { fcntl(descriptor, F_GETFL) }
        _ = try SystemCalls.answer { fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) }
        _ = try SystemCalls.answer { fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        #if canImport(Darwin)
            try set(descriptor, SOL_SOCKET, SO_NOSIGPIPE)
        #endif
    }

    private static func set(_ descriptor: Int32, _ level: Int32, _ name: Int32) throws(SystemError) {
        var isOn: Int32 = 1
        _ = try SystemCalls.answer {
            setsockopt(descriptor, level, name, &isOn, socklen_t(MemoryLayout<Int32>.size))
        }
    }

    /// The local port.
    package static func port(of descriptor: Int32) throws(SystemError) -> UInt16 {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        _ = try SystemCalls.answer {
            withUnsafeMutablePointer(to: &storage) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getsockname(descriptor, $0, &size)
                }
            }
        }
        // The port stands at the same place for both families.
        return withUnsafeBytes(of: &storage) {
            UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        }
    }

    /// Whoever is at the other end; nil: nobody any more.
    package static func peer(of descriptor: Int32) -> SocketAddress? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getpeername(descriptor, $0, &size) == 0 ? SocketAddress($0, size: size) : nil
            }
        }
    }

    /// What became of a connection that was begun, or of one that failed; nil: nothing is wrong.
    package static func failure(of descriptor: Int32) -> SystemError? {
        var number: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &size) == 0 else {
            return SystemError(number: errno)
        }
        return number == 0 ? nil : SystemError(number: number)
    }

    /// Bytes that the peer's system has not acknowledged; 0 where this system does not say.
    package static func unacknowledged(_ descriptor: Int32) -> Int {
        #if canImport(Darwin)
            var count: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            let answer = getsockopt(descriptor, SOL_SOCKET, SO_NWRITE, &count, &size)
        #else
            var count: Int32 = 0
            let answer = ioctl(descriptor, UInt(TIOCOUTQ), &count)
        #endif
        return answer == 0 ? Int(count) : 0
    }

    // MARK: - Bytes

    /// As much as there is, up to the buffer's length.
    /// - Returns: 0 when the peer will send nothing more; nil when nothing is there now.
    package static func receive(_ descriptor: Int32, into buffer: inout [UInt8]) throws(SystemError) -> Int? {
        try buffer.withUnsafeMutableBufferPointer { (bytes) throws(SystemError) in
            try waiting { recv(descriptor, bytes.baseAddress, bytes.count, 0) }
        }
    }

    /// - Parameter isFollowed: more comes at once, and may share a packet with it.
    package static func send(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>, isFollowed: Bool)
        throws(SystemError) -> Int?
    {
        let flags = noSignal | (isFollowed ? more : 0)
        return try bytes.withUnsafeBufferPointer { (buffer) throws(SystemError) in
            try waiting { systemSend(descriptor, buffer.baseAddress, buffer.count, flags) }
        }
    }

    /// From a file to a socket without passing through this process.
    /// - Returns: 0 when the file ends there.
    static func sendFile(_ descriptor: Int32, from file: Int32, at offset: Int, count: Int)
        throws(SystemError) -> Int?
    {
        #if canImport(Darwin)
            var sent = off_t(count)
            let answer = sendfile(file, descriptor, off_t(offset), &sent, nil, 0)
            if answer == 0 || sent > 0 { return Int(sent) }
            if errno == EAGAIN || errno == EINTR { return nil }
            throw SystemError(number: errno)
        #else
            var place = off_t(offset)
            return try waiting { sendfile(descriptor, file, &place, count) }
        #endif
    }

    /// `sendfile` has no flag against the signal of a vanished peer: this thread takes none from now on.
    package static func ignoreBrokenPipes() {
        #if !canImport(Darwin)
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &signals, nil)
        #endif
    }

    /// Nothing more will be sent; what the peer still says can be read.
    package static func endSending(_ descriptor: Int32) { shutdown(descriptor, Int32(SHUT_WR)) }

    package static func close(_ descriptor: Int32) { systemClose(descriptor) }

    /// Closes so that the peer sees a reset, not an end: what was not sent is dropped.
    package static func reset(_ descriptor: Int32) {
        var now = linger(l_onoff: 1, l_linger: 0)
        _ = setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        close(descriptor)
    }

    // MARK: - Answers

    private static func waiting<Number: SignedInteger>(_ call: () -> Number) throws(SystemError) -> Number? {
        do throws(SystemError) {
            return try SystemCalls.answer(call)
        } catch {
            if error.number == EAGAIN || error.number == EWOULDBLOCK { return nil }
            throw error
        }
    }
}

// Names that ``SocketCalls`` has of its own.

private func systemListen(_ descriptor: Int32, _ backlog: Int32) -> Int32 { listen(descriptor, backlog) }

private func systemAccept(_ descriptor: Int32) -> Int32 { accept(descriptor, nil, nil) }

private func systemConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t)
    -> Int32
{
    connect(descriptor, address, size)
}

private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int
{
    send(descriptor, bytes, count, flags)
}

private func systemClose(_ descriptor: Int32) { _ = close(descriptor) }

/// Why a connection can't be had, or is gone, as far as the system tells.
enum ConnectionFault {
    case refused
    case unreachable
    case timedOut
    case reset
}

extension SystemError {
    var connectionFault: ConnectionFault {
        switch number {
        case ECONNREFUSED: .refused
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN: .unreachable
        case ETIMEDOUT: .timedOut
        default: .reset
        }
    }
}
