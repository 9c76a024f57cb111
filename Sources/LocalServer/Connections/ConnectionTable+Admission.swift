/// Which connections are accepted, and which one is closed to make room.
///
/// **What it promises.** A connection that has shown the session key is never closed in favour of one that
/// has not, whatever either of them does. Unauthenticated connections have half of the table at most and
/// compete for it among themselves.
///
/// **What it deliberately does not do.** Distinguish the page's next connection from an unauthenticated
/// client's before its first request: the newest are kept, so that a request that follows its connection at
/// once is read. On Linux and Android the shell accepts a connection when its request begins to come.
extension ConnectionTable {
    enum Admission: Hashable, Sendable {
        /// There is room, once this connection has been closed.
        case accepted(closing: ConnectionID?)
        case rejected
    }

    /// Whether one more connection is accepted.
    var admission: Admission {
        let unauthenticated = all.count { !$0.isAuthenticated }
        guard all.count >= limits.connections || unauthenticated >= limits.unauthenticated else {
            return .accepted(closing: nil)
        }
        return unauthenticatedToClose.map { .accepted(closing: $0) } ?? .rejected
    }

    /// First one that has been answered; else the one that has been silent or dripping for the longest time.
    private var unauthenticatedToClose: ConnectionID? {
        let candidates = all.filter { !$0.isAuthenticated }
        let answered = candidates.filter { $0.state != .reading }
        return (answered.isEmpty ? candidates : answered).min { $0.lastUse < $1.lastUse }?.id
    }

    /// The authenticated connection to close for the sake of the next one, after this one has shown the key:
    /// the longest idle one, if too little room is left. None that is being answered, and none with half a
    /// request.
    func authenticatedToClose(sparing id: ConnectionID) -> ConnectionID? {
        guard hasTooManyAuthenticated else { return nil }
        let idle = all.filter {
            $0.isAuthenticated && $0.id != id && $0.state == .reading && $0.parser.isBetweenRequests
        }
        return idle.min { $0.lastUse < $1.lastUse }?.id
    }

    /// If all of them are busy, the next response closes its connection.
    var hasTooManyAuthenticated: Bool {
        let limit = limits.authenticated
        return all.count > limit && all.count { $0.isAuthenticated } > limit
    }
}
