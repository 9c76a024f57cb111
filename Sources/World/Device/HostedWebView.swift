import AppHost
import Core
import LocalServer

/// A web view in a process, with its connections and timers in the world.
struct HostedWebView: Sendable {
    let id: WebViewID
    var view: WebView
    var timers = Timers<WebView.TimerName>()
    /// The server's numbers of its sockets.
    var sockets: [(socket: WebView.Socket, connection: ConnectionID)] = []

    func connection(_ socket: WebView.Socket) -> ConnectionID? {
        sockets.first { $0.socket == socket }?.connection
    }

    func socket(_ connection: ConnectionID) -> WebView.Socket? {
        sockets.first { $0.connection == connection }?.socket
    }
}
