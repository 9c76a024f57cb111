import AppHost
import Core

/// The shape that the world expects of a web view, until the real one is here.
struct WebView: Sendable {
    /// A connection of this web view to the server, numbered by the web view.
    typealias Socket = UInt32

    enum Event: Hashable, Sendable {
        /// The host asks for a document. `name` is what a scenario calls the load.
        case load(url: String, name: String?)
        case connected(Socket)
        /// Nobody listens.
        case refused(Socket)
        case received(Socket, [UInt8])
        case closed(Socket)
        case timer(TimerName)
        /// From the host, for the document of this load.
        case message(PageLoadToken, [UInt8])
        /// A scenario's: on the load it names, or on the document in front; `name` is that of the load it begins.
        case act(PageAction, page: String?, name: String?)
        /// The user types, or follows a link.
        case typed
        case tapped
        case foreground(Bool)
    }

    enum TimerName: Hashable, Comparable, Sendable { case none }

    enum Effect: Hashable, Sendable {
        case connect(Socket)
        case send(Socket, [UInt8])
        case close(Socket)
        case tell(AppHost.WebViewEvent)
        case setTimer(TimerName, after: TimeSpan)
        case cancelTimer(TimerName)
        case fact(Fact.Kind)
        /// The page's start-up takes the app down.
        case appDies
    }

    let view: WebViewView
    var isContentShown: Bool { view.state == .shown || view.state == .ready }

    /// What the pages of this app on this device share: it outlives the process.
    init(_ id: WebViewID, storage: WebStorage, profile: DeviceProfile) { view = WebViewView(id: id) }

    var storage: WebStorage { WebStorage() }

    func knows(_ page: String) -> Bool { false }

    mutating func handle(_ event: Event, at now: Instant, _ site: SiteKnowledge) -> [Effect] { [] }
}

/// Cookies, cache and storage of a web view's origin.
struct WebStorage: Sendable, Equatable {}
