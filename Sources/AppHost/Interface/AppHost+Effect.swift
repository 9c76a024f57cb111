import Core
import LocalServer
import Updater

extension AppHost {
    /// What the shell is to do. Effects of a step are performed in order.
    public enum Effect: Hashable, Sendable {
        /// Sends ``Event/again(_:)`` with this lane. At most one of each lane is outstanding.
        case again(WorkLane)
        /// Makes a file or directory durable; answered by ``Event/synced(_:_:)``. The sync takes place beside
        /// the steps and covers what was written before this effect. Urgent ones go before all background
        /// ones that have not begun. A file is neither written nor closed before the answer; at most four
        /// syncs are outstanding.
        case sync(SyncTicket, SyncTarget, WorkLane)
        /// Sends ``Event/timer(_:)`` after this time, unless it is cancelled or set again: then never, also
        /// when it is due already. What had arrived before in its lane is sent first.
        case setTimer(TimerName, after: TimeSpan)
        case cancelTimer(TimerName)
        /// Requests something of the origin, with ``Event/transfer(_:_:)``.
        indirect case fetch(TransferID, OriginRequest)
        case cancelFetch(TransferID)
        /// Verifies the signatures of a manifest (U16), with a `SignatureVerifier`; answered by
        /// ``Event/signaturesVerified(_:_:)``. Hashing a manifest of 4 MiB takes some 10 ms, and a shell may
        /// do it on another thread.
        indirect case verifySignatures(TransferID, SignatureRequest)
        /// Binds this port on the loopback interface; answered by ``Event/listener(_:)``, exactly once,
        /// also when ``stopListening`` comes between.
        case listen(port: UInt16)
        case stopListening
        /// As ``LocalServer/LocalServer/Effect/send(_:_:)``.
        case send(ConnectionID, LocalServer.Output)
        /// As ``LocalServer/LocalServer/Effect/close(_:)``.
        case close(ConnectionID)
        /// As ``LocalServer/LocalServer/Effect/authenticated(_:)``.
        case authenticated(ConnectionID)
        /// As ``LocalServer/LocalServer/Effect/setReadInterest(_:_:)``.
        case setReadInterest(ConnectionID, LocalServer.ReadInterest)
        /// Something to do for a connection to the remote root; answered by ``Event/upstream(_:_:)``.
        case upstream(UpstreamID, UpstreamCommand)
        /// Navigates a web view to this URL on the local server. It replaces the document in front in the
        /// history, so that the user does not go back to a version that was left: by `location.replace`, or
        /// in a new web view. Its commit is reported by ``WebViewEvent/committed(url:)``.
        case load(WebViewID, url: String)
        /// A message event (UTF-8 JSON) for the document of this page load; dropped if the view shows another
        /// by then.
        case message(WebViewID, PageLoadToken, [UInt8])
        /// What the page answered to ``Event/callPage(_:_:method:params:)``, as JSON; nil: no document was
        /// there, it went before it answered, it did not answer within 30 s, or 100 calls were open already.
        case pageReturned(CallID, result: [UInt8]?)
        /// A page calls the app's native code; it waits, without a limit, for
        /// ``Event/nativeMethodReturned(_:_:)``.
        indirect case nativeMethodCalled(NativeMethodCall)
        /// A request that native code answers; it waits, without a limit, for ``Event/handlerAnswer(_:_:)``.
        indirect case handlerRequested(LocalServer.HandlerCallID, LocalServer.HandlerRequest)
        /// What the server sees of a page load, if ``Launch/reportsPageTraffic`` is set.
        case pageTraffic(WebViewID, PageLoadToken, PageTraffic)
        /// Shows this native screen.
        case screen(Screen)
        /// The updater's status, whenever it has changed.
        indirect case status(UpdaterStatus)
        case log(LogEntry)
        /// A page load has begun: this load of this web view gets this version.
        case pageLoad(WebViewID, PageLoadToken, VersionKey)
        /// A request that the server answered; for logs.
        case answered(LocalServer.AccessLogEntry)
        /// The error report that the user requested (F4), as text.
        case report(String)
        /// A link that native code takes over: the web view is not to follow it (H4).
        case openLink(WebViewID, url: String)
        /// A page pointed the app at another environment, for this process. An app that is to stay there
        /// after its end stores this and launches with it.
        indirect case environmentSwitched(Environment)
    }

    /// Names a timer; setting it again replaces it.
    public enum TimerName: Hashable, Comparable, Sendable {
        case updater(Updater.TimerName)
        case server(LocalServer.TimerName)
        /// The next attempt to bind a taken port.
        case retryListening
        /// The end of the time that a page has for its answer to native code.
        case pageAnswer(CallID)
        /// A timer of a value around the host (``HostedApp``), by that value's own id; the host ignores it.
        case wrapper(UInt64)

        /// Whether its expiry decides about a start (R3, R6). While one is set, the shell must notice time in
        /// which the process does not run (``Event/frozen(_:)``) within seconds.
        package var decidesAboutStart: Bool {
            switch self {
            case .updater(.startup), .updater(.sendingAllowance), .updater(.aliveAfterLoad): true
            case .updater, .server, .retryListening, .pageAnswer, .wrapper: false
            }
        }
    }
}
