import Foundation

@testable import DeviceShell

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A connection of the loopback: a near end for the code under test, and a far end for the test, whose calls
/// wait for ten seconds at most.
final class SocketPair {
    /// Non-blocking. What takes it closes it.
    let near: Int32
    let far: Int32
    private var isFarOpen = true

    init() throws {
        let listener = try SocketCalls.listen(at: .version4, port: 0)
        defer { SocketCalls.close(listener) }
        let port = try SocketCalls.port(of: listener)
        let far = try SocketCalls.connect(to: .loopback4(port: port))
        _ = fcntl(far, F_SETFL, fcntl(far, F_GETFL) & ~O_NONBLOCK)
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        for name in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(far, SOL_SOCKET, name, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        self.far = far
        near = try SocketPair.accepted(listener)
    }

    deinit { closeFar() }

    /// The next connection of a listening socket.
    static func accepted(_ listener: Int32) throws -> Int32 {
        var accepted: Int32?
        _ = try GatedSyncs.wait {
            accepted = try SocketCalls.accept(listener)
            return accepted != nil
        }
        guard let accepted else { throw RawClient.Failure(description: "nothing to accept for 5 s") }
        return accepted
    }

    /// - Returns: false where the near end takes no more.
    @discardableResult
    func say(_ text: String) -> Bool { say(Array(text.utf8)) }

    @discardableResult
    func say(_ bytes: [UInt8]) -> Bool { ThreadedPort.say(bytes, on: far) }

    /// Sends from the near end until the system takes no more, and the far end's has all it can hold. The
    /// near end's buffer is the larger one: on a busy machine a smaller one is full before any of it has
    /// arrived, and empty when all has.
    func fillFar() throws {
        DescriptorFacts.setReceiveBuffer(far, bytes: 64 << 10)
        try SocketCalls.setSendBuffer(near, bytes: 1 << 20)
        while try SocketCalls.send(near, ArraySlice(repeating: 1, count: 65_536), isFollowed: false) != nil {}
    }

    func endSaying() { shutdown(far, Int32(SHUT_WR)) }

    /// This many bytes; fewer where the near end has ended.
    func hear(_ count: Int) -> [UInt8] {
        var heard: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while heard.count < count {
            let length = recv(far, &buffer, min(buffer.count, count - heard.count), 0)
            if length <= 0 { return heard }
            heard += buffer[..<length]
        }
        return heard
    }

    /// How the connection ends for the far end, after what is still to be read.
    func end() -> String {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let length = recv(far, &buffer, buffer.count, 0)
            if length == 0 { return "closed" }
            if length < 0 { return errno == ECONNRESET ? "reset" : "open" }
        }
    }

    /// Whether the near end has neither closed nor reset the connection.
    var isOpen: Bool {
        var byte: UInt8 = 0
        let count = recv(far, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count > 0 || (count < 0 && errno == EAGAIN)
    }

    func closeFar(isReset: Bool = false) {
        guard isFarOpen else { return }
        isFarOpen = false
        if isReset { SocketCalls.reset(far) } else { SocketCalls.close(far) }
    }
}

/// What the system says of a descriptor.
enum DescriptorFacts {
    static func isOpen(_ descriptor: Int32) -> Bool { fcntl(descriptor, F_GETFD) >= 0 }

    static func option(_ descriptor: Int32, _ level: Int32, _ name: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, level, name, &value, &size) == 0 ? value : nil
    }

    /// Sets how many bytes the system keeps that are not read; it may use another size.
    static func setReceiveBuffer(_ descriptor: Int32, bytes: Int32) {
        var bytes = bytes
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Bytes that have arrived and are not read, as far as a megabyte shows them.
    static func unread(_ descriptor: Int32) -> Int {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        return max(recv(descriptor, &buffer, buffer.count, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)), 0)
    }

    #if os(Linux)
        /// A field of `struct tcp_info` (linux/tcp.h).
        enum TCPField: Int {
            /// Most bytes of a segment.
            case segment = 16
            /// Of a listening socket: connections that wait to be accepted.
            case waiting = 24
            /// Of a listening socket: how many may wait.
            case backlog = 28
            /// Bytes that the system keeps back.
            case notSent = 144
            /// Segments with data that have left.
            case dataSegmentsSent = 156
        }

        static func tcp(_ descriptor: Int32, _ field: TCPField) -> Int? {
            var bytes = [UInt8](repeating: 0, count: 256)
            var size = socklen_t(bytes.count)
            guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &bytes, &size) == 0,
                Int(size) >= field.rawValue + 4
            else { return nil }
            return bytes.withUnsafeBytes {
                Int($0.loadUnaligned(fromByteOffset: field.rawValue, as: UInt32.self))
            }
        }

        /// Descriptors of this process whose peer has this port.
        static func connected(to port: UInt16) throws -> [Int32] {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
                .filter { SocketCalls.peer(of: $0)?.withPointer(DescriptorFacts.port) == port }
        }

        private static func port(_ address: UnsafePointer<sockaddr>, _ size: socklen_t) -> UInt16 {
            UInt16(
                bigEndian: UnsafeRawPointer(address).loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        }

        /// What the descriptors of this process are open on: a path, or a kind and number.
        static func targets() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
                // One that was closed meanwhile has no target.
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            }
        }
    #endif

    /// Takes from a poller what the system has given it: each of its calls fails from then on.
    static func disable(_ poller: Poller) throws {
        let other = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(other) }
        guard dup2(other, poller.descriptor) == poller.descriptor else {
            throw SystemError(errorNumber: errno)
        }
    }
}
