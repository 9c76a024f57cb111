import Core
import LocalServer
import Updater

/// Page loads on their way to a document: those that the host requests of a web view, and navigations that
/// wait for the updater's choice of a version.
///
/// **Invariants.** At most one load of each view waits for the socket, and at most one is requested of the
/// web view: the newest. A load is taken out when its navigation comes, so that its token counts once.
struct LoadRequests: Sendable {
    /// A load that the host requests of a web view.
    struct Request: Sendable {
        var token: PageLoadToken
        var view: WebViewID
        var moment: Updater.Moment
        /// Path, query and fragment.
        var target: String
    }

    /// A document for which the server has requested a version.
    struct Navigation: Sendable {
        var load: PageLoadToken
        var id: LocalServer.NavigationID
        var view: WebViewID
    }

    /// Waiting for the socket.
    private var waiting: [Request] = []
    /// Sent to the web view; its navigation has not come yet.
    private var sent: [Request] = []
    /// Waiting for a version.
    private var navigations: [Navigation] = []
    /// The one that was answered last: its answer may be on its way to the server.
    private var answered: Navigation?
    /// A document has been requested that a version answers, in whichever view.
    private(set) var hasLoadedPage = false

    mutating func wait(_ request: Request) {
        waiting.removeAll { $0.view == request.view }
        waiting.append(request)
    }

    mutating func takeWaiting() -> [Request] {
        defer { waiting = [] }
        return waiting
    }

    mutating func addSent(_ request: Request) {
        sent.removeAll { $0.view == request.view }
        sent.append(request)
    }

    /// The request whose token a navigation carries; nil: it carries none of them.
    mutating func take(_ token: PageLoadToken?) -> Request? {
        guard let index = sent.firstIndex(where: { $0.token == token }) else { return nil }
        return sent.remove(at: index)
    }

    /// The request of this load, if it has been sent and its navigation has not come.
    func request(_ token: PageLoadToken) -> Request? { sent.first { $0.token == token } }

    mutating func add(_ navigation: Navigation) {
        hasLoadedPage = true
        navigations.append(navigation)
    }

    func navigation(_ id: LocalServer.NavigationID) -> Navigation? { navigations.first { $0.id == id } }

    /// The load that this navigation was answered with, if it is the one that was answered last.
    func answeredLoad(of id: LocalServer.NavigationID) -> PageLoadToken? {
        answered.flatMap { $0.id == id ? $0.load : nil }
    }

    /// The navigation of this load, if it waits for a version, is that of another view.
    mutating func move(_ load: PageLoadToken, to view: WebViewID) {
        for index in navigations.indices where navigations[index].load == load {
            navigations[index].view = view
        }
    }

    mutating func takeNavigation(_ load: PageLoadToken) -> Navigation? {
        guard let index = navigations.firstIndex(where: { $0.load == load }) else { return nil }
        answered = navigations.remove(at: index)
        return answered
    }
}
