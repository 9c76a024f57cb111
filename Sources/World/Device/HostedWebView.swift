import AppHost
import Core
import LocalServer

/// The data of a web view that outlives the app's process: HTTP cache, items that pages stored, and
/// persistent cookies. Session cookies are lost.
struct WebStorage: Sendable {
    var cache: [CachedAnswer] = []
    var items: [StoredItem] = []
    var cookies: [Cookie] = []
}

/// A web view in a process, with its connections and timers in the world.
struct HostedWebView: Sendable {
    let id: WebViewID
    var view: WebView

    init(_ id: WebViewID, storage: WebStorage) {
        self.id = id
        view = WebView(id: id)
        view.cache = storage.cache
        view.storage = storage.items
        if !storage.cookies.isEmpty { view.cookies = storage.cookies }
    }

    /// Whether its content is on the screen, as of its last event.
    private(set) var isContentShown = false

    mutating func handle(_ event: WebView.Event, in environment: WebView.Environment) -> [WebView.Effect] {
        let effects = view.handle(event, in: environment)
        isContentShown = view.hasContent
        return effects
    }

    /// Whether one of its page loads, which may have ended, has this name in the scenario.
    func knows(_ page: String) -> Bool { view.documents.contains { $0.name == page } }

    var storage: WebStorage {
        WebStorage(cache: view.cache, items: view.storage, cookies: view.cookies.filter(\.isLasting))
    }

    var timers = Timers<WebView.TimerName>()
    /// Its sockets, with the connection ids of the server.
    var sockets: [(socket: Int, connection: ConnectionID)] = []
}
