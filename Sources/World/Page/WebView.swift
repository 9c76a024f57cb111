import Backend
import AppHost
import Core
import HTTP1
import ScenarioLanguage
import Updater

/// A web view of the app as a value: it requests a document and its files from the local server in HTTP/1.1,
/// shows them, and runs the start-up of the version that has these bytes.
///
/// **What it promises.** It knows a version only by the bytes that it received. It imitates the difficult
/// behaviour of browsers: the old document sends requests until the new one is committed, cookies are set by
/// the head of an answer, requests of a style sheet have its URL as `Referer`, connections are shared and
/// kept alive, a reload revalidates.
///
/// **What it deliberately does not do.** Layout, execution of scripts, storage quotas, HTTP caching beyond
/// entity tags and immutable answers.
package struct WebView: Sendable {
    package enum Event: Hashable, Sendable {
        /// The host, the page or the user requests a document. `url` is an absolute URL of the local server.
        case navigate(url: String, AppHost.NavigationKind, name: String?)
        case act(PageAction, on: String?, name: String?)
        /// The page has a handler for a message of native code.
        case handles(NativeSpec)
        /// The connection with this id is open.
        case opened(Int)
        case received(Int, [UInt8])
        case closed(Int)
        case timer(TimerName)
        case hostMessage(PageLoadToken, [UInt8])
        /// Native code takes this link over: the view does not follow it.
        case linkTaken(url: String)
        case typed
        case tapped
    }

    package enum Effect: Hashable, Sendable {
        /// Opens a connection with this id.
        case open(Int)
        case send(Int, [UInt8])
        case close(Int)
        case host(AppHost.WebViewEvent)
        case setTimer(TimerName, after: TimeSpan)
        case cancelTimer(TimerName)
        /// Records a trace event.
        case record(TraceEvent.Kind)
        /// The start-up of the version with this index began, and counts as a start on this device.
        case started(index: Int)
        /// The start-up kills the whole app.
        case appDies
    }

    package enum TimerName: Hashable, Comparable, Sendable {
        /// A moment of a document's start-up.
        case startup(document: Int, StartupMoment)
        /// An answer to native code that the page gives late, by its number.
        case answer(Int)
    }

    package enum StartupMoment: Int, Hashable, Comparable, Sendable {
        case usable, confirms, fails, dies

        package static func < (left: StartupMoment, right: StartupMoment) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    /// What a web view needs from the world.
    package struct Environment: Sendable {
        package var library: VersionLibrary
        package var now: Instant
        /// Label of the installed build's native interface.
        package var native: String?
        /// Number of starts of each version on this device, by the version's index.
        package var starts: [Int]
        /// Web origin of the pages.
        package var origin: String
        /// Host and port of the origin, for the `Host` field.
        package let host: String
        /// Whether the page calls `startupDidComplete` (R6: `confirm: "called"`).
        package var callsWhenReady: Bool
        /// Whether the web view announces a reload to the app before it sends the request (not so on
        /// Android).
        package var announcesReload: Bool
        /// Whether the app learns of each document before its request, of a reload without its kind.
        package var announcesDocuments = false
        /// Whether no other page of the app is open: then the page's script has taken the load's token out of
        /// the address (`PageSide`), and the cookie names the load.
        package var isAlone: Bool
        /// Whether requests have `Sec-Fetch-*`.
        package var sendsFetchMetadata = true
        package var isOnline = true
        /// Number of documents that live on behind the one in front (HTML §7.4.6, back/forward cache).
        package var cachedPages = 0

        package init(
            library: VersionLibrary, now: Instant, native: String?, starts: [Int], origin: String,
            callsWhenReady: Bool = true,
            announcesReload: Bool = true, isAlone: Bool = false
        ) {
            self.library = library
            self.now = now
            self.native = native
            self.starts = starts
            self.origin = origin
            host = String(origin.dropFirst("http://".count))
            self.callsWhenReady = callsWhenReady
            self.announcesReload = announcesReload
            self.isAlone = isAlone
        }
    }

    package let id: WebViewID
    var documents: [Document] = []
    /// Ids of the document on the screen, and of the one that is loading.
    var shown: Int?
    var incoming: Int?
    var nextDocument = 1
    /// What lies behind the document in front in the view's history, the nearest last.
    var history: [HistoryEntry] = []
    /// Ids of documents that live on behind the one in front, in the order in which they were left.
    var cached: [Int] = []
    var connections: [ViewConnection] = []
    var nextConnection = 1
    var waiting = FetchQueue()
    var cookies: [Cookie] = [] {
        didSet { cookieLine = cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; ") }
    }
    /// Value of the `Cookie` field.
    private(set) var cookieLine = ""
    var cache: [CachedAnswer] = []
    var storage: [StoredItem] = []
    /// Versions whose start-up began in this web view.
    var startedHere = VersionMask()
    var isDead = false
    /// What the page does with messages of native code.
    var handlers: [NativeSpec] = []
    var lateAnswers: [LateAnswer] = []
    var nextAnswer = 1
    var effects: [Effect] = []

    static let parallel = 6

    package init(id: WebViewID) { self.id = id }

    package mutating func handle(_ event: Event, in environment: Environment) -> [Effect] {
        switch event {
        case .navigate(let url, let kind, let name):
            navigate(url, kind, name, bypass: false, environment)
            if let incoming { change(incoming) { $0.isOfHost = true } }
        case .act(let action, let page, let name): act(action, page, name, environment)
        case .opened(let id): opened(id, environment)
        case .received(let id, let bytes): received(id, bytes, environment)
        case .closed(let id): closed(id, environment)
        case .timer(let name): timerFired(name, environment)
        case .hostMessage(let load, let bytes):
            // A message for a document that was replaced meanwhile is dropped silently.
            if let page = shownDocument, page.load == load, !isDead { received(bytes, in: page) }
        case .linkTaken(let url): stopFollowing(url)
        case .handles(let spec): addHandler(spec)
        case .typed: touched()
        case .tapped: break
        }
        return effects.takeAll()
    }

    // MARK: What the user sees

    package var view: WebViewView {
        guard let document = shownDocument else {
            return WebViewView(id: id, state: isDead ? .dead : (incoming == nil ? .empty : .loading))
        }
        let state: WebViewView.State
        if isDead {
            state = .dead
        } else if document.hasFailed {
            state = .failed
        } else if document.isReady {
            state = .ready
        } else {
            state = document.isShown ? .shown : .loading
        }
        var view = WebViewView(
            id: id, state: state, name: document.name, load: document.load, versions: document.versions,
            isTouched: document.isTouched, hasConfirmed: document.hasConfirmed)
        view.route = document.route
        return view
    }

    /// Whether content of a document is on the screen: the old one stays until the new one is committed.
    package var hasContent: Bool {
        !isDead && (shownIndex.map { documents[$0].isShown || documents[$0].showsAsItComes } ?? false)
    }

    /// The versions and the load of ``view``.
    var shownVersions: (versions: VersionMask, load: PageLoadToken?)? {
        shownIndex.map { (documents[$0].versions, documents[$0].load) }
    }

    private var shownIndex: Int? { shown.flatMap { index(ofDocument: $0) } }

    var shownDocument: Document? { shownIndex.map { documents[$0] } }

    func document(_ documentID: Int) -> Document? { index(ofDocument: documentID).map { documents[$0] } }

    private func index(ofDocument documentID: Int) -> Int? {
        documents.indices.first { documents[$0].id == documentID }
    }

    mutating func change(_ documentID: Int, _ body: (inout Document) -> Void) {
        guard let index = index(ofDocument: documentID) else { return }
        body(&documents[index])
    }

    mutating func die() {
        isDead = true
        for connection in connections { effects.append(.close(connection.id)) }
        connections = []
        waiting.removeAll()
        incoming = nil
        dropAllCached()
        // With those that were left before: a late request of one comes from the same process.
        for index in documents.indices { documents[index].hasDied = true }
        effects.append(.record(.webProcessDied(id)))
        effects.append(.host(.webProcessDied))
    }
}
