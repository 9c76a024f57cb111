import AppHost
import Core
import LocalServer
import Updater

/// One life of the app: from a launch to the kill. Everything in it is gone with it.
struct AppProcess: Sendable {
    /// Counts from 1; 0 stands for no process.
    let number: Int
    var app = AppHost()
    /// The first web view shows content.
    var isContentShown = false
    var isInForeground: Bool
    var inbox = ProcessInbox()
    var timers = Timers<AppHost.TimerName>()
    /// The queued event that suspends the process when its time in background is over.
    var suspension: Ticket?
    var sockets = LocalSockets()
    var webViews: [HostedWebView] = []
    var held = HeldEvents()

    init(number: Int, isInForeground: Bool) {
        self.number = number
        self.isInForeground = isInForeground
    }

    var isSuspended: Bool { inbox.isPaused }

    static let none = AppProcess(number: 0, isInForeground: false)
}
