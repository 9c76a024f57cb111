import Backend
import AppHost
import Core
import HTTP1
import ScenarioLanguage
import Updater

/// A web view of the app as a value: it asks the local server through HTTP/1.1 bytes for a document and for
/// what the bytes refer to, shows it, and runs the start-up of the version that those bytes are.
///
/// **What it promises.** It knows a version only by the bytes it got. It does what browsers do where that
/// hurts: the old document goes on asking until the new one is committed, cookies are taken from the head of
/// an answer, requests of a style sheet name the style sheet as `Referer`, connections are shared and kept, a
/// reload revalidates.
///
/// **What it deliberately does not do.** Layout, scripts of its own, storage quotas, HTTP caching beyond
/// entity tags and immutable answers.
package struct WebView: Sendable {
    package enum Event: Hashable, Sendable {
        /// The host, the page or the user asks for a document. `url` is absolute on the local server.
        case navigate(url: String, AppHost.NavigationKind, name: String?)
        case act(PageAction, on: String?, name: String?)
        case opened(Int)
        case received(Int, [UInt8])
        case closed(Int)
        case timer(TimerName)
        case hostMessage(PageLoadToken, [UInt8])
        case typed
        case tapped
        /// The platform killed the view's process.
        case processKilled
    }

    package enum Effect: Hashable, Sendable {
        case open(Int)
        case send(Int, [UInt8])
        case close(Int)
        case host(AppHost.WebViewEvent)
        case setTimer(TimerName, after: TimeSpan)
        case cancelTimer(TimerName)
        case fact(TraceEvent.Kind)
        /// A version's start-up began; counts starts on this device.
        case started(place: Int)
        /// The start-up kills the whole app.
        case appDies
    }

    package enum TimerName: Hashable, Comparable, Sendable {
        /// A moment of a document's start-up.
        case startup(document: Int, StartupMoment)
    }

    package enum StartupMoment: Int, Hashable, Comparable, Sendable {
        case usable, confirms, fails, dies

        package static func < (left: StartupMoment, right: StartupMoment) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    /// What a page can't know by itself and the world knows.
    package struct Surroundings: Sendable {
        package var library: Library
        package var now: Instant
        /// Label of the installed build's native interface.
        package var native: String?
        /// Starts of each version on this device so far, by place.
        package var starts: [Int]
        package var origin: String
        /// Of the origin: what `Host` says.
        package let host: String
        /// The page calls `startupDidComplete` (R6: `confirm: "called"`).
        package var callsWhenReady: Bool
        /// The platform tells the host of a reload before its request (not so on Android).
        package var announcesReload: Bool

        package init(
            library: Library, now: Instant, native: String?, starts: [Int], origin: String,
            callsWhenReady: Bool = true,
            announcesReload: Bool = true
        ) {
            self.library = library
            self.now = now
            self.native = native
            self.starts = starts
            self.origin = origin
            host = String(origin.dropFirst("http://".count))
            self.callsWhenReady = callsWhenReady
            self.announcesReload = announcesReload
        }
    }

    package let id: WebViewID
    var documents: [Document] = []
    /// Number of the document on the screen, and of the one on its way.
    var shown: Int?
    var incoming: Int?
    var nextDocument = 1
    var connections: [ViewConnection] = []
    var nextConnection = 1
    var waiting: [Fetch] = []
    var cookies: [Cookie] = [] {
        didSet { cookieLine = cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; ") }
    }
    /// As the field carries them.
    private(set) var cookieLine = ""
    var cache: [CachedAnswer] = []
    var storage: [StoredItem] = []
    var startedHere = VersionMask()
    var isDead = false
    var effects: [Effect] = []

    static let parallel = 6

    package init(id: WebViewID) { self.id = id }

    package mutating func handle(_ event: Event, in world: Surroundings) -> [Effect] {
        switch event {
        case .navigate(let url, let kind, let name): navigate(url, kind, name, bypass: false, world)
        case .act(let action, let page, let name): act(action, page, name, world)
        case .opened(let number): opened(number, world)
        case .received(let number, let bytes): received(number, bytes, world)
        case .closed(let number): closed(number, world)
        case .timer(let name): timerFired(name, world)
        case .hostMessage(let load, let bytes):
            // A document that was replaced meanwhile gets nothing, and nobody says so.
            if shownDocument?.load == load, !isDead { effects.append(.fact(.told(id, bytes))) }
        case .typed: touched()
        case .tapped: break
        case .processKilled: die()
        }
        let result = effects
        effects.removeAll(keepingCapacity: true)
        return result
    }

    // MARK: What is to be seen

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
        return WebViewView(
            id: id, state: state, name: document.name, load: document.load, versions: document.versions,
            isTouched: document.isTouched, hasConfirmed: document.hasConfirmed)
    }

    /// Content of some document is on the screen: the old one stays until the new one is committed.
    package var hasContent: Bool { !isDead && (shownDocument?.isShown ?? false) }

    var shownDocument: Document? { shown.flatMap { document($0) } }

    func document(_ number: Int) -> Document? { documents.first { $0.number == number } }

    mutating func change(_ number: Int, _ body: (inout Document) -> Void) {
        guard let place = documents.firstIndex(where: { $0.number == number }) else { return }
        body(&documents[place])
    }

    mutating func die() {
        isDead = true
        for connection in connections { effects.append(.close(connection.number)) }
        connections = []
        waiting = []
        incoming = nil
        effects.append(.fact(.webProcessDied(id)))
        effects.append(.host(.webProcessDied))
    }
}
