import AppHost
import Core
import LocalServer
import Updater

/// One life of the app: from a launch to the kill. Everything in it is gone with it.
///
/// What reaches the app waits in `inbox` while a step's disk work is going on or the process stands still,
/// so that nothing overtakes anything.
struct AppProcess: Sendable {
    /// From 1; 0 stands for no process.
    let number: Int
    var app = AppHost()
    /// The first web view shows content.
    var isContentShown = false
    var isInForeground: Bool
    var isSuspended = false
    private(set) var inbox: [AppInput] = []
    /// The disk work of the last step is done then.
    var busyUntil = Instant.zero
    var isWakeSet = false
    var timers = Timers<AppHost.TimerName>()
    var suspension: Ticket?
    /// The port that is bound.
    var port: UInt16?
    var connections: [Loopback] = []
    var remotes: [RemoteLine] = []
    var nextConnection: UInt32 = 1
    var webViews: [HostedWebView] = []
    /// Cut while the process stood still.
    var lostTransfers: [TransferID] = []
    /// What reached web views while the process stood still.
    var heldPageEvents: [HeldPageEvent] = []

    init(number: Int, isInForeground: Bool) {
        self.number = number
        self.isInForeground = isInForeground
    }

    var isFree: Bool { inbox.isEmpty && !isSuspended }

    /// Something waits, and nothing has been set to take it up.
    var wantsWake: Bool { !inbox.isEmpty && !isWakeSet && !isSuspended }

    mutating func queue(_ input: AppInput) { inbox.append(input) }

    /// These come before all that waits.
    mutating func queueFirst(_ inputs: [AppInput]) { inbox.insert(contentsOf: inputs, at: 0) }

    mutating func next() -> AppInput? { inbox.isEmpty ? nil : inbox.removeFirst() }

    /// A timer that was cancelled or set again, and a transfer that was cancelled, are not heard of any more.
    mutating func forget(_ isForgotten: (AppInput) -> Bool) {
        if !inbox.isEmpty { inbox.removeAll(where: isForgotten) }
    }

    static let none = AppProcess(number: 0, isInForeground: false)
}

struct HeldPageEvent: Sendable {
    let webView: WebViewID
    let event: WebView.Event
}

/// A connection between a web view and the server, on the device itself.
struct Loopback: Sendable {
    let id: ConnectionID
    let webView: WebViewID
    /// What is left of the answer that is being sent.
    var output: Pending?

    struct Pending: Sendable {
        var head: [UInt8]
        var body: LocalServer.Output.Body
        /// Of a file body, what has been sent.
        var sent = 0
    }
}
