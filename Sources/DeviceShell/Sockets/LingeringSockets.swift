import Core

/// Connections whose last answer has left, and whose peers may still be reading it: closed at once with bytes
/// unread, the system would reset them and the answer with it (RFC 9112 §9.6).
///
/// Each tells its peer that nothing more comes and stays a second at most. What the peer still says is taken
/// from the socket and not heard. What is left goes with the last reference to this. One thread at a time.
package final class LingeringSockets {
    private struct Socket {
        var until: Instant
        var mayRead: Int
        var goesFirst: Bool
    }

    private let poller: Poller
    private let most: Int
    private let mayRead: Int
    private var sockets: [Int32: Socket] = [:]

    private static let time = TimeSpan.seconds(1)

    /// - Parameters:
    ///   - most: where there are as many, one goes: of those that go first, the one that has stayed longest.
    ///   - mayRead: bytes after which a peer that goes on talking is not listened to any more.
    package init(_ poller: Poller, most: Int = .max, mayRead: Int = .max) {
        self.poller = poller
        self.most = most
        self.mayRead = mayRead
    }

    deinit { for descriptor in sockets.keys { SocketCalls.close(descriptor) } }

    /// - Parameter goesFirst: makes room before all others: a stranger's (S10).
    package func add(_ descriptor: Int32, at now: Instant, goesFirst: Bool = false) {
        if sockets.count >= most { makeRoom() }
        SocketCalls.endSending(descriptor)
        sockets[descriptor] = Socket(
            until: now + LingeringSockets.time, mayRead: mayRead, goesFirst: goesFirst)
        do throws(SystemError) {
            try poller.watch(descriptor, .reads)
        } catch {
            forget(descriptor)
        }
    }

    private func makeRoom() {
        let oldest = sockets.min { one, other in
            one.value.goesFirst == other.value.goesFirst
                ? one.value.until < other.value.until : one.value.goesFirst
        }
        if let oldest { forget(oldest.key) }
    }

    package func owns(_ descriptor: Int32) -> Bool { sockets[descriptor] != nil }

    /// The poller says that something can be read.
    package func drain(_ descriptor: Int32, _ buffer: inout [UInt8]) {
        do throws(SystemError) {
            guard let count = try SocketCalls.receive(descriptor, into: &buffer) else { return }
            sockets[descriptor]?.mayRead -= count
            if count == 0 || (sockets[descriptor]?.mayRead ?? 0) <= 0 { forget(descriptor) }
        } catch {
            forget(descriptor)
        }
    }

    /// When the first of them has stayed long enough.
    package var nextDeadline: Instant? { sockets.values.map(\.until).min() }

    package func timePassed(_ now: Instant) {
        for (descriptor, socket) in sockets where socket.until <= now { forget(descriptor) }
    }

    package func closeAll() {
        for descriptor in Array(sockets.keys) { forget(descriptor) }
    }

    private func forget(_ descriptor: Int32) {
        sockets[descriptor] = nil
        poller.forget(descriptor)
        SocketCalls.close(descriptor)
    }
}
