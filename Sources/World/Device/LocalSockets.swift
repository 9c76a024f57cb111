import AppHost
import LocalServer

/// The sockets of one process: its listening port, connections of web views, and those to the remote root.
///
/// Invariants
/// - A connection id is used once in a process.
/// - Without a port no connection begins; connections that were accepted outlive the port.
struct LocalSockets: Sendable {
    /// The bound port; nil: nothing listens.
    var port: UInt16?
    var connections: [Loopback] = []
    var remotes: [RemoteConnection] = []
    /// Open connections of clients that are no pages of the app.
    var clients: [LocalClient] = []
    private var nextConnection: UInt32 = 1

    mutating func accept(from peer: Loopback.Peer) -> ConnectionID {
        let id = ConnectionID(nextConnection)
        nextConnection += 1
        connections.append(Loopback(id: id, peer: peer))
        return id
    }

    /// Closes the listening socket.
    /// - Returns: the connections that it had and the app has not accepted, which the system resets.
    mutating func stopListening() -> [Loopback] {
        port = nil
        let waiting = connections.filter { !$0.isAccepted }
        connections.removeAll { !$0.isAccepted }
        return waiting
    }
}

/// A connection between a web view, or another client, and the server, on the device itself.
struct Loopback: Sendable {
    let id: ConnectionID
    let peer: Peer
    /// Whether the app has it; before, it waits at the listening socket.
    var isAccepted = false
    /// The rest of the answer that is being sent.
    var output: Pending?

    enum Peer: Hashable, Sendable {
        case webView(WebViewID)
        /// A client of ``LocalSockets/clients``.
        case client
    }

    struct Pending: Sendable {
        var head: [UInt8]
        var body: LocalServer.Output.Body
        /// Bytes of a file body sent so far.
        var sent = 0
    }
}
