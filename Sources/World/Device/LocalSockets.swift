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
    private var nextConnection: UInt32 = 1

    mutating func accept(from webView: WebViewID) -> ConnectionID {
        let id = ConnectionID(nextConnection)
        nextConnection += 1
        connections.append(Loopback(id: id, webView: webView))
        return id
    }
}

/// A connection between a web view and the server, on the device itself.
struct Loopback: Sendable {
    let id: ConnectionID
    let webView: WebViewID
    /// The rest of the answer that is being sent.
    var output: Pending?

    struct Pending: Sendable {
        var head: [UInt8]
        var body: LocalServer.Output.Body
        /// Bytes of a file body sent so far.
        var sent = 0
    }
}
