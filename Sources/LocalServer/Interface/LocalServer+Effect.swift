import Core

extension LocalServer {
    /// What the shell or the host is to do. Effects of a step are performed in order.
    public enum Effect: Hashable, Sendable {
        /// Sends head and body in one write. The server sends nothing else on this connection before
        /// ``Event/sent(_:)`` or ``Event/closed(_:_:)``.
        case send(ConnectionID, Output)
        /// Closes at once. What was handed over and has not left is dropped, and the peer sees a reset; what
        /// has left still reaches it. The descriptor is free within a second.
        case close(ConnectionID)
        /// A request of this connection has shown the key: the shell serves it before those that have not.
        case authenticated(ConnectionID)
        /// Sends ``Event/timer(_:)`` after this time, unless it is cancelled or set again.
        case setTimer(TimerName, after: TimeSpan)
        case cancelTimer(TimerName)
        /// Changes when the connection's socket is read, from now on.
        case setReadInterest(ConnectionID, ReadInterest)
        /// Something to do for a connection to the remote root.
        case upstream(UpstreamID, UpstreamCommand)
        /// A document is requested; waits, without a limit, for ``Event/navigationAnswer(_:_:)``.
        case navigationRequested(Navigation)
        /// The peer that waits for ``Event/navigationAnswer(_:_:)`` is gone: no answer can reach it.
        case navigationGone(NavigationID)
        /// The peer is gone, and the document of this load has not been sent to it: it has not followed the
        /// redirect, or the document had not left. As a rule a web view has given the document up. The load
        /// stays, because a client may come for it on another connection.
        case documentNotTaken(PageLoadToken)
        /// The host has opened an address that no version answers: the remote root does, a handler or a
        /// folder. Its document has no page load.
        case documentElsewhere(PageLoadToken)
        /// The head of this load's index has been handed over.
        case indexServed(PageLoadToken)
        /// The first response of this load in progress has begun (true), or the last one has ended (false).
        case sending(PageLoadToken, Bool)
        /// A request carried this load's own token: its document is in use.
        case seen(PageLoadToken)
        /// A bridge message of a page load, UTF-8 JSON; waits, without a limit, for
        /// ``Event/bridgeAnswer(_:_:)``.
        case bridge(BridgeCallID, PageLoadToken, [UInt8])
        /// An entry of the route table gives this request to native code. It waits, without a limit, for
        /// ``Event/handlerAnswer(_:_:)``.
        case handlerRequested(HandlerCallID, HandlerRequest)
        /// A request has been answered; for logs.
        case answered(AccessLogEntry)
        /// A file of the site with this name could not be opened or read.
        case readFailed(site: String, DiskPath, DiskError)
        /// A file could not be opened because process or system have no descriptor or memory left for it
        /// (`EMFILE`, `ENFILE`, `ENOMEM`): the request is answered with 503, and nothing is wrong with the
        /// file (R10).
        case noRoomForFile(DiskPath, DiskError)
    }
}
