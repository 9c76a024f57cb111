import LocalServer
import World

/// The real connections to the remote root, joined to those of the world: its remote root reads what the app
/// has sent, from the socket, and its answers go the same way back.
extension RemoteSockets {
    /// Where the app's connection with this id leads.
    func root(for id: UpstreamID) throws -> RemoteRoot {
        try RemoteRoot("http://127.0.0.1:\(try listen(for: id))")
    }

    /// The app's command; what it sends comes from the socket.
    func observe(_ call: UpstreamCommand, of id: UpstreamID, _ world: inout World) {
        switch call {
        case .open, .receive: world.performExternalEffect(.upstream(id, call))
        case .send, .finish: break
        case .close:
            close(id)
            world.performExternalEffect(.upstream(id, call))
        }
    }

    /// What happened on the world's connection.
    func take(_ event: UpstreamEvent, of id: UpstreamID) {
        switch event {
        case .connected, .sent: break
        case .bytes(let bytes): send(bytes, on: id)
        case .ended: end(id)
        case .failed: reset(id)
        }
    }

    /// Gives the world what has arrived.
    /// - Returns: number of events.
    func deliver(to world: inout World) throws(PortError) -> Int {
        let events = try take()
        for event in events {
            switch event {
            case .received(let id, let bytes): world.performExternalEffect(.upstream(id, .send(bytes)))
            case .closed(let id): world.performExternalEffect(.upstream(id, .close))
            }
        }
        return events.count
    }
}
