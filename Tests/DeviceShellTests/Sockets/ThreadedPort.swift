import Foundation

@testable import DeviceShell

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A port of the loopback where each connection has a separate thread with blocking calls.
final class ThreadedPort: Sendable {
    let port: UInt16
    private let listener: Int32

    init() throws {
        listener = try SocketCalls.listen(at: .version4, port: 0)
        _ = fcntl(listener, F_SETFL, fcntl(listener, F_GETFL) & ~O_NONBLOCK)
        port = try SocketCalls.port(of: listener)
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// Accepts until this object is deallocated. A connection is closed when it has been served.
    func accepting(_ serve: @escaping @Sendable (_ connection: Int32) -> Void) {
        let descriptor = listener
        Thread.detachNewThread {
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { return }
                Thread.detachNewThread {
                    serve(connection)
                    close(connection)
                }
            }
        }
    }

    /// - Returns: false where the peer takes no more.
    static func say(_ bytes: [UInt8], on connection: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return false }
            sent += count
        }
        return true
    }
}
