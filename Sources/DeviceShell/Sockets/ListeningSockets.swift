import Core

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Bionic)
    import Bionic
#endif

/// Sockets at which connections are accepted.
///
/// A socket that can't be emptied, because the process has no descriptor left, would keep its loop awake:
/// for a moment none of them is watched, ten times a second it is tried again. What is left is closed with
/// the last reference to this. One thread at a time.
package final class ListeningSockets {
    private let poller: Poller
    private var descriptors: [Int32] = []
    /// When connections are accepted again, while the process has no descriptors.
    package private(set) var acceptsAgain: Instant?

    private static let pause = TimeSpan.milliseconds(100)

    package init(_ poller: Poller) { self.poller = poller }

    deinit { for descriptor in descriptors { SocketCalls.close(descriptor) } }

    /// One that listens; it is this one's from here on, also where it can't be watched.
    package func add(_ descriptor: Int32) throws(SystemError) {
        descriptors.append(descriptor)
        try poller.watch(descriptor, .reads)
    }

    package func owns(_ descriptor: Int32) -> Bool { descriptors.contains(descriptor) }

    /// - Parameter error: of a call that accepts.
    package func failed(_ error: SystemError, at now: Instant) {
        // The peer was gone before it was accepted.
        if error.number == ECONNABORTED || error.number == EPROTO { return }
        for descriptor in descriptors { poller.forget(descriptor) }
        acceptsAgain = now + ListeningSockets.pause
    }

    package func timePassed(_ now: Instant) {
        guard let again = acceptsAgain, again <= now else { return }
        acceptsAgain = nil
        do throws(SystemError) {
            for descriptor in descriptors { try poller.watch(descriptor, .reads) }
        } catch {
            acceptsAgain = now + ListeningSockets.pause
        }
    }

    package func closeAll() {
        acceptsAgain = nil
        for descriptor in descriptors {
            poller.forget(descriptor)
            SocketCalls.close(descriptor)
        }
        descriptors = []
    }
}
