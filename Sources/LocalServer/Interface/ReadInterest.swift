extension LocalServer {
    /// When the shell reads a connection's socket.
    public enum ReadInterest: Hashable, Sendable {
        /// While no response is being sent; the interest of a new connection.
        case betweenAnswers
        case always
        /// Not at all: bytes stay in the socket, and the peer is slowed down.
        case never
    }
}
