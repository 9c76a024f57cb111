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
/// When the process has no descriptor left, waiting connections can't be accepted and would keep the loop
/// awake; accepting is then paused and tried again ten times a second. `deinit` closes the remaining sockets.
/// One thread at a time.
package final class ListeningSockets {
    private let poller: Poller
    private var descriptors: [Int32] = []
    /// Instant at which accepting resumes; nil while it is not paused.
    package private(set) var acceptsAgain: Instant?

    private static let pause = TimeSpan.milliseconds(100)

    package init(_ poller: Poller) { self.poller = poller }

    deinit { for descriptor in descriptors { SocketCalls.close(descriptor) } }

    /// Takes ownership of a listening socket, even when it throws.
    /// - Throws: the failure of the poller.
    package func add(_ descriptor: Int32) throws(SystemError) {
        descriptors.append(descriptor)
        try poller.watch(descriptor, .reads)
    }

    package func owns(_ descriptor: Int32) -> Bool { descriptors.contains(descriptor) }

    /// Pauses accepting.
    /// - Parameter error: failure of a call of ``SocketCalls/accept(_:)``.
    package func failed(_ error: SystemError, at now: Instant) {
        // The peer closed before it was accepted; the others can be accepted.
        if error.errorNumber == ECONNABORTED || error.errorNumber == EPROTO { return }
        for descriptor in descriptors { poller.forget(descriptor) }
        acceptsAgain = now + ListeningSockets.pause
    }

    /// Resumes accepting when the pause is over.
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
