import AppHost
import Core
import LocalServer

/// What a platform keeps of a web view when the app's process ends: the HTTP cache, what pages stored, and
/// the cookies that last. Session cookies go.
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

    /// What the user sees of it, as of its last event.
    private(set) var isContentShown = false

    mutating func handle(_ event: WebView.Event, in surroundings: WebView.Surroundings) -> [WebView.Effect] {
        let effects = view.handle(event, in: surroundings)
        isContentShown = view.hasContent
        return effects
    }

    /// The scenario's name for one of its page loads, also for one that is gone.
    func knows(_ page: String) -> Bool { view.documents.contains { $0.name == page } }

    var storage: WebStorage {
        WebStorage(cache: view.cache, items: view.storage, cookies: view.cookies.filter(\.isLasting))
    }

    var timers = Timers<WebView.TimerName>()
    /// The server's numbers of its sockets.
    var sockets: [(socket: Int, connection: ConnectionID)] = []
}
