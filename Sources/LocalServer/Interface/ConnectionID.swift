/// One accepted connection of this process. Ids are given by the shell and not used again.
public struct ConnectionID: Hashable, Comparable, Sendable {
    public let rawValue: UInt32

    public init(_ rawValue: UInt32) { self.rawValue = rawValue }

    public static func < (left: ConnectionID, right: ConnectionID) -> Bool { left.rawValue < right.rawValue }
}

extension LocalServer {
    /// Names a timer of a connection; setting it again replaces it.
    public enum TimerName: Hashable, Comparable, Sendable {
        /// Until a request is complete.
        case head(ConnectionID)
        /// Until the next request begins.
        case idle(ConnectionID)
        /// Until the peer takes a part of a response.
        case write(ConnectionID)
        /// Until the remote root takes or sends a byte.
        case upstream(ConnectionID)
    }
}
