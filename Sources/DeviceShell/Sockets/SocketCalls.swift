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

/// The system calls for sockets, repeated when a signal interrupts them. Sockets are non-blocking, are not
/// inherited by child processes, and raise no signal when the peer is gone.
///
/// A call that would block returns nil; any other failure is thrown as a ``SystemError``.
package enum SocketCalls {
    /// The two loopback addresses. Any other address would expose the app's pages to the network.
    package enum Loopback: CaseIterable {
        case version4
        case version6
    }

    #if canImport(Darwin)
        static let stream = SOCK_STREAM
        private static let noSignal: Int32 = 0
        private static let more: Int32 = 0
    #else
        #if canImport(Glibc)
            static let stream = Int32(SOCK_STREAM.rawValue)
        #else
            static let stream = SOCK_STREAM
        #endif
        private static let noSignal = Int32(MSG_NOSIGNAL)
        private static let more = Int32(MSG_MORE)
    #endif

    // MARK: - Opening

    /// Opens a listening socket. It sets `SO_REUSEADDR`, so that closed connections of a previous process
    /// don't block the port; never `SO_REUSEPORT`, with which another process could share the port.
    /// - Parameter port: 0 for any free port, see ``port(of:)``.
    package static func listen(at address: Loopback, port: UInt16) throws(SystemError) -> Int32 {
        try listen(on: address == .version4 ? .loopback4(port: port) : .loopback6(port: port))
    }

    /// Opens a listening socket at any address: for programs of the laboratory, never for an app.
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

    /// Lets the system keep a connection until its client has sent something, for about a second, so that
    /// clients that only connect displace no other. Only Linux and Android can; no effect elsewhere.
    package static func deferAccepting(_ listener: Int32) throws(SystemError) {
        #if os(Linux) || os(Android)
            try set(listener, Int32(IPPROTO_TCP), TCP_DEFER_ACCEPT)
        #endif
    }

    /// Accepts the next waiting connection; nil when there is none.
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

    /// Begins to connect. The connection is established when the socket is writable and ``failure(of:)`` is
    /// nil.
    package static func connect(to address: SocketAddress) throws(SystemError) -> Int32 {
        let descriptor = try open(address.family)
        do throws(SystemError) {
            try set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY)
            let code = address.withPointer { pointer, size in
                systemConnect(descriptor, pointer, size) == 0 ? 0 : errno
            }
            guard code == 0 || code == EINPROGRESS || code == EINTR else {
                throw SystemError(errorNumber: code)
            }
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
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

    private static func set(
        _ descriptor: Int32, _ level: Int32, _ name: Int32, to value: Int32 = 1
    ) throws(SystemError) {
        var value = value
        _ = try SystemCalls.answer {
            setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
        }
    }

    /// Sets how many sent bytes the system keeps for a peer that has not taken them (`SO_SNDBUF`). The system
    /// may use another size, within its own limits.
    package static func setSendBuffer(_ descriptor: Int32, bytes: Int32) throws(SystemError) {
        try set(descriptor, SOL_SOCKET, SO_SNDBUF, to: bytes)
    }

    /// The local port of a socket.
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
        // The port has the same offset in both address families.
        return withUnsafeBytes(of: &storage) {
            UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        }
    }

    /// Address of the peer; nil when the socket is not connected.
    package static func peer(of descriptor: Int32) -> SocketAddress? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getpeername(descriptor, $0, &size) == 0 ? SocketAddress($0, size: size) : nil
            }
        }
    }

    /// The pending error of a socket (`SO_ERROR`), cleared by the call; nil when there is none.
    package static func failure(of descriptor: Int32) -> SystemError? {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else {
            return SystemError(errorNumber: errno)
        }
        return code == 0 ? nil : SystemError(errorNumber: code)
    }

    /// Sent bytes that the peer has not acknowledged; 0 where the system does not report them.
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

    /// Receives the available bytes, up to the buffer's length.
    /// - Parameter limit: most bytes.
    /// - Returns: number of bytes; 0 when the peer has closed its side; nil when none are available.
    package static func receive(
        _ descriptor: Int32, into buffer: inout [UInt8], atMost limit: Int = .max
    ) throws(SystemError) -> Int? {
        try buffer.withUnsafeMutableBufferPointer { (bytes) throws(SystemError) in
            try waiting { recv(descriptor, bytes.baseAddress, min(bytes.count, limit), 0) }
        }
    }

    /// Drops the available bytes, up to the limit; Linux need not copy them.
    /// - Returns: number of bytes; 0 when the peer has closed its side; nil when none are available.
    package static func discard(_ descriptor: Int32, atMost limit: Int) throws(SystemError) -> Int? {
        #if canImport(Darwin)
            try withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) {
                (bytes) throws(SystemError) in
                try waiting { recv(descriptor, bytes.baseAddress, min(bytes.count, limit), 0) }
            }
        #else
            try waiting { recv(descriptor, nil, limit, Int32(MSG_TRUNC)) }
        #endif
    }

    /// Sends as many bytes as the socket takes.
    /// - Parameter isFollowed: more bytes follow at once and may share a packet (`MSG_MORE`).
    /// - Returns: number of bytes; nil when the socket's buffer is full.
    package static func send(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>, isFollowed: Bool)
        throws(SystemError) -> Int?
    {
        let flags = noSignal | (isFollowed ? more : 0)
        return try bytes.withUnsafeBufferPointer { (buffer) throws(SystemError) in
            try waiting { systemSend(descriptor, buffer.baseAddress, buffer.count, flags) }
        }
    }

    /// Sends part of a file without copying it through this process (`sendfile`).
    /// - Returns: number of bytes; 0 when the file ends at `offset`; nil when the socket's buffer is full.
    static func sendFile(_ descriptor: Int32, from file: Int32, at offset: Int, count: Int)
        throws(SystemError) -> Int?
    {
        #if canImport(Darwin)
            var sent = off_t(count)
            let answer = sendfile(file, descriptor, off_t(offset), &sent, nil, 0)
            if answer == 0 || sent > 0 { return Int(sent) }
            if errno == EAGAIN || errno == EINTR { return nil }
            throw SystemError(errorNumber: errno)
        #else
            var position = off_t(offset)
            return try waiting { sendfile(descriptor, file, &position, count) }
        #endif
    }

    /// Blocks `SIGPIPE` on this thread, because `sendfile` has no flag to suppress it when the peer is gone.
    package static func ignoreBrokenPipes() {
        #if !canImport(Darwin)
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &signals, nil)
        #endif
    }

    /// Closes the sending side; bytes from the peer can still be read.
    package static func endSending(_ descriptor: Int32) { shutdown(descriptor, Int32(SHUT_WR)) }

    package static func close(_ descriptor: Int32) { systemClose(descriptor) }

    /// Closes with a reset instead of an orderly end; unsent bytes are dropped.
    package static func reset(_ descriptor: Int32) {
        var now = linger(l_onoff: 1, l_linger: 0)
        _ = setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        close(descriptor)
    }

    // MARK: - Results

    private static func waiting<Number: SignedInteger>(_ call: () -> Number) throws(SystemError) -> Number? {
        do throws(SystemError) {
            return try SystemCalls.answer(call)
        } catch {
            if error.errorNumber == EAGAIN || error.errorNumber == EWOULDBLOCK { return nil }
            throw error
        }
    }
}

// System calls whose names ``SocketCalls`` shadows.

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

/// Why a connection could not be established or was lost, derived from `errno`.
enum ConnectionFault {
    case refused
    case unreachable
    case timedOut
    case reset
}

extension SystemError {
    var connectionFault: ConnectionFault {
        switch errorNumber {
        case ECONNREFUSED: .refused
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN: .unreachable
        case ETIMEDOUT: .timedOut
        default: .reset
        }
    }
}
