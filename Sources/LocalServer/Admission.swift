import Core

/// Who gets a place, and who makes room (S10, HT-T3).
///
/// **What it promises.** A connection that has shown the key never makes room for one that has not, whatever
/// either of them does. Newcomers have half of the places at most and compete for them among themselves.
///
/// **What it deliberately does not do.** Tell the page's next connection from a stranger's before its first
/// request: the newest stay, so that a request that follows its connection at once is read.
extension LocalServer {
    mutating func opened(_ id: ConnectionID, _ disk: inout some Disk) {
        let limits = configuration.limits
        let newcomers = connections.count { !$0.isKnown }
        if connections.count >= limits.connections || newcomers >= limits.newcomers, !evictNewcomer(&disk) {
            effects.append(.close(id))
            return
        }
        connections.append(Connection(id: id, limits: limits))
        use(connections.count - 1)
        setTimer(.head(id), limits.headTimeout, id)
    }

    /// The one that has had its answer first; else the one that has been silent or dripping for the longest
    /// time.
    private mutating func evictNewcomer(_ disk: inout some Disk) -> Bool {
        let newcomers = connections.filter { !$0.isKnown }
        let answered = newcomers.filter { $0.state != .reading }
        guard let oldest = (answered.isEmpty ? newcomers : answered).min(by: { $0.lastUse < $1.lastUse })
        else { return false }
        drop(oldest.id, &disk)
        return true
    }

    /// A request of this connection has passed the gate. The longest idle of its kind makes room where too
    /// few places would be left to newcomers; none is taken from an answer, and no half request is lost.
    mutating func admit(_ id: ConnectionID, _ disk: inout some Disk) {
        guard let place = place(id), !connections[place].isKnown else { return }
        connections[place].isKnown = true
        effects.append(.admitted(id))
        guard hasTooManyKnown else { return }
        let idle = connections.filter {
            $0.isKnown && $0.id != id && $0.state == .reading && $0.parser.isBetweenRequests
        }
        if let oldest = idle.min(by: { $0.lastUse < $1.lastUse }) { drop(oldest.id, &disk) }
    }

    /// All of them are busy: the next answer closes its connection.
    var hasTooManyKnown: Bool {
        let most = configuration.limits.known
        return connections.count > most && connections.count { $0.isKnown } > most
    }
}
