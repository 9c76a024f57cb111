import Core

extension LocalServer {
    /// What the shell and the host report to the server.
    public enum Event: Hashable, Sendable {
        /// A connection has been accepted.
        case opened(ConnectionID)
        /// At least one byte has been received.
        case received(ConnectionID, [UInt8])
        /// All of the last ``Effect/send(_:_:)`` on this connection has been handed to the peer.
        case sent(ConnectionID)
        /// A part of the last ``Effect/send(_:_:)`` has been handed over, and more is left.
        case progressed(ConnectionID)
        /// The peer has ended its side: it sends nothing more, and may still read responses (RFC 9112 §9.6).
        case finished(ConnectionID)
        /// The peer is gone, or sending failed; with the reason where a file could not be read.
        case closed(ConnectionID, DiskError?)
        case timer(TimerName)
        /// The process did not run for a time, without a notice. Every time limit begins anew, because no
        /// connection could be served in it.
        case frozen
        /// Answers ``Effect/navigationRequested(_:)``.
        case navigationAnswer(NavigationID, NavigationAnswer)
        /// The web view shows this load's document now.
        case committed(PageLoadToken)
        /// No request of this load can come any more.
        case ended(PageLoadToken)
        /// The site for requests that belong to no page load; nil: they get 503.
        case current(Site?)
        /// Answers ``Effect/bridge(_:_:_:)`` with JSON.
        case bridgeAnswer(BridgeCallID, [UInt8])
        /// The listening socket is gone. Every connection is closed: peers keep theirs over a suspension, and
        /// would wait for responses.
        case stopped
        /// Answers ``Effect/upstream(_:_:)``.
        case upstream(UpstreamID, UpstreamEvent)
        /// Where API requests go from now on; those in progress are not changed. nil: they get 502.
        case remoteRoot(RemoteRoot?)
        /// What answers which path from now on. A request whose body is still coming may match another entry
        /// then: 503.
        case routes(RouteTable)
        /// Answers ``Effect/handlerRequested(_:_:)``.
        case handlerAnswer(HandlerCallID, HandlerAnswer)
    }
}
