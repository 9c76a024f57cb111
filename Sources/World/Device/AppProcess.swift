import AppHost
import Core
import LocalServer
import Updater

/// One process of the app, from its launch to its end, with everything that ends with it.
struct AppProcess: Sendable {
    /// Ordinal of the process on its device, from 1; 0: no process.
    let ordinal: Int
    var app = AppHost()
    /// Whether the app has been told of its launch: nothing else reaches it before.
    var hasBegun = false
    /// Whether the first web view shows content.
    var isContentShown = false
    var isInForeground: Bool
    /// Whether the app in front gets the user's input.
    var isActive: Bool
    var inbox = ProcessInbox()
    var waits = AnswerWaits()
    var timers = Timers<AppHost.TimerName>()
    var syncs = SyncQueue()
    /// The queued event that suspends the process at the end of its background time.
    var suspension: QueueTicket?
    var sockets = LocalSockets()
    var webViews: [HostedWebView] = []
    var held = HeldEvents()
    /// Messages that native code has sent to pages.
    var nativeCalls: [NativeCall] = []

    init(ordinal: Int, isInForeground: Bool) {
        self.ordinal = ordinal
        self.isInForeground = isInForeground
        isActive = isInForeground
    }

    /// Link that the process was launched with; nil: none.
    var link: String?

    /// Notes that a page, the user or the platform waits for the input to be handled; other clients' requests
    /// are none of these (rule S9).
    mutating func noteWait(_ input: AppInput, isInInbox: Bool) {
        if !sockets.clients.isEmpty, case .connection(let id, _) = input,
            sockets.clients.contains(where: { $0.id == id })
        {
            return
        }
        waits.arrived(input, isInInbox: isInInbox)
    }

    /// Beginning of the time in which the process is stopped without a notice; nil: it runs, or it is
    /// suspended.
    var frozenSince: Instant?

    var isSuspended: Bool { inbox.isPaused && !isFrozen }
    var isFrozen: Bool { frozenSince != nil }

    /// Index of the web view that handles an event; nil: there is none, or the event is held, because web
    /// views of a suspended process get none.
    mutating func receiver(of event: WebView.Event, _ id: WebViewID) -> Int? {
        guard let index = webViews.firstIndex(where: { $0.id == id }) else { return nil }
        if isSuspended {
            held.hold(event, of: id)
            return nil
        }
        if case .timer(let name) = event { _ = webViews[index].timers.remove(name) }
        return index
    }

    static let none = AppProcess(ordinal: 0, isInForeground: false)
}
