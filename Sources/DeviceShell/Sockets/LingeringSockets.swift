import Core

/// Connections whose last answer has been sent and whose peers may still be reading it. If one were closed at
/// once with bytes unread, the system would reset it, and the peer could lose the answer (RFC 9112 §9.6).
///
/// Each connection is half-closed and stays open for one second. Bytes that the peer still sends are read and
/// dropped. Where the peer has not taken its answer by then, an unauthenticated one is reset, because the
/// system would keep the bytes for minutes; any other one stays as long as it takes some every thirty
/// seconds. `deinit` closes the remaining sockets. One thread at a time.
package final class LingeringSockets {
    private struct Socket {
        var deadline: Instant
        /// Bytes that may still be read.
        var readLimit: Int
        var isEvictedFirst: Bool
        /// Bytes that the peer had not acknowledged when this was last checked.
        var unacknowledged = Int.max
        /// When the peer was last found to have taken some.
        var progress: Instant
    }

    private let poller: Poller
    private let limit: Int
    private let readLimit: Int
    private var sockets: [Int32: Socket] = [:]

    private static let duration = TimeSpan.seconds(1)
    /// Most bytes dropped in one call.
    private static let portion = 256 << 10
    /// How long an authenticated peer may take nothing.
    private static let patience = TimeSpan.seconds(30)

    /// - Parameters:
    ///   - limit: most sockets; beyond it one is closed: the oldest of those evicted first, else the oldest.
    ///   - readLimit: bytes after which a peer that keeps sending is closed.
    package init(_ poller: Poller, limit: Int = .max, readLimit: Int = .max) {
        self.poller = poller
        self.limit = limit
        self.readLimit = readLimit
    }

    deinit { for descriptor in sockets.keys { SocketCalls.close(descriptor) } }

    /// Half-closes a socket and takes ownership of it.
    /// - Parameter isEvictedFirst: closed before all others when there are too many, because its client is
    ///   unauthenticated.
    package func add(_ descriptor: Int32, at now: Instant, isEvictedFirst: Bool = false) {
        if sockets.count >= limit { evictOne() }
        SocketCalls.endSending(descriptor)
        sockets[descriptor] = Socket(
            deadline: now + LingeringSockets.duration, readLimit: readLimit, isEvictedFirst: isEvictedFirst,
            progress: now)
        do throws(SystemError) {
            try poller.watch(descriptor, .reads)
        } catch {
            forget(descriptor)
        }
    }

    private func evictOne() {
        let evicted = sockets.min { one, other in
            one.value.isEvictedFirst == other.value.isEvictedFirst
                ? one.value.deadline < other.value.deadline : one.value.isEvictedFirst
        }
        guard let evicted else { return }
        forget(evicted.key, isReset: evicted.value.isEvictedFirst && hasUnacknowledged(evicted.key))
    }

    package func owns(_ descriptor: Int32) -> Bool { sockets[descriptor] != nil }

    /// Reads and drops bytes; to be called when the poller reports the descriptor as readable.
    package func drain(_ descriptor: Int32) {
        guard let limit = sockets[descriptor]?.readLimit else { return }
        do throws(SystemError) {
            let portion = min(limit, LingeringSockets.portion)
            guard let count = try SocketCalls.discard(descriptor, atMost: portion) else { return }
            sockets[descriptor]?.readLimit -= count
            if count == 0, hasUnacknowledged(descriptor) {
                // The peer sends nothing more; it may still read until the deadline.
                poller.forget(descriptor)
            } else if count == 0 || (sockets[descriptor]?.readLimit ?? 0) <= 0 {
                forget(descriptor)
            }
        } catch {
            forget(descriptor)
        }
    }

    /// Earliest instant at which a socket is to be closed; nil when there is none.
    package var nextDeadline: Instant? { sockets.values.map(\.deadline).min() }

    /// Closes the sockets whose time is over.
    package func timePassed(_ now: Instant) {
        for (descriptor, socket) in sockets where socket.deadline <= now {
            let unacknowledged = SocketCalls.unacknowledged(descriptor)
            if unacknowledged == 0 {
                forget(descriptor)
            } else if unacknowledged < socket.unacknowledged, !socket.isEvictedFirst {
                sockets[descriptor]?.unacknowledged = unacknowledged
                sockets[descriptor]?.progress = now
                sockets[descriptor]?.deadline = now + LingeringSockets.duration
            } else if socket.isEvictedFirst || now - socket.progress >= LingeringSockets.patience {
                forget(descriptor, isReset: true)
            } else {
                sockets[descriptor]?.deadline = now + LingeringSockets.duration
            }
        }
    }

    private func hasUnacknowledged(_ descriptor: Int32) -> Bool {
        SocketCalls.unacknowledged(descriptor) > 0
    }

    package func closeAll() {
        for descriptor in Array(sockets.keys) { forget(descriptor) }
    }

    private func forget(_ descriptor: Int32, isReset: Bool = false) {
        sockets[descriptor] = nil
        poller.forget(descriptor)
        if isReset { SocketCalls.reset(descriptor) } else { SocketCalls.close(descriptor) }
    }
}
