import Foundation

@testable import DeviceShell

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// An address of the loopback that answers no further connection: its queue of connections is full, and the
/// system drops the packets of new ones.
final class BlackHole {
    let address: SocketAddress
    private let listener: Int32
    private var waiting: [Int32] = []

    init() throws {
        listener = try SocketCalls.listen(at: .version4, port: 0)
        // The queue has room for one connection more than this number.
        guard listen(listener, 0) == 0 else { throw SystemError(errorNumber: errno) }
        address = .loopback4(port: try SocketCalls.port(of: listener))
        for _ in 0..<3 { waiting.append(try SocketCalls.connect(to: address)) }
    }

    deinit { for descriptor in waiting + [listener] { SocketCalls.close(descriptor) } }
}
