import AppHost
import Core
import LocalServer
import Updater

/// One process of the app, from its launch to its end, with everything that ends with it.
struct AppProcess: Sendable {
    /// Ordinal of the process on its device, from 1; 0: no process.
    let ordinal: Int
    var app = AppHost()
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

    init(ordinal: Int, isInForeground: Bool) {
        self.ordinal = ordinal
        self.isInForeground = isInForeground
        isActive = isInForeground
    }

    /// Beginning of the time in which the process is stopped without a notice; nil: it runs, or it is
    /// suspended.
    var frozenSince: Instant?

    var isSuspended: Bool { inbox.isPaused && !isFrozen }
    var isFrozen: Bool { frozenSince != nil }

    static let none = AppProcess(ordinal: 0, isInForeground: false)
}
