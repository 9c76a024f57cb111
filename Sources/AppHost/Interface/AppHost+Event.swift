import Core
import LocalServer
import Updater

extension AppHost {
    /// What the shell reports to the host.
    public enum Event: Hashable, Sendable {
        /// The first event of a process, and only that.
        indirect case launched(Launch)
        /// Answers ``Effect/again(_:)``.
        case again(WorkLane)
        /// Answers ``Effect/sync(_:_:_:)``: nil if everything that it covers is durable.
        case synced(SyncTicket, DiskError?)
        case timer(TimerName)
        /// Of a transfer that ``Effect/fetch(_:_:)`` requested.
        case transfer(TransferID, TransferEvent)
        /// Answers ``Effect/verifySignatures(_:_:)``.
        case signaturesVerified(TransferID, SignatureAnswer)
        case listener(ListenerEvent)
        case connection(ConnectionID, ConnectionEvent)
        /// Of a connection to the remote root that ``Effect/upstream(_:_:)`` requested.
        case upstream(UpstreamID, UpstreamEvent)
        case webView(WebViewID, WebViewEvent)
        /// The app comes to the front: a scene's willEnterForeground (iOS), onStart of its first activity
        /// (Android).
        case foreground
        /// No part of the app is visible any more: the last scene's didEnterBackground (iOS), onStop of the
        /// last activity (Android).
        case background
        /// The app in front gets the user's input again: a scene's didBecomeActive (iOS), onResume (Android).
        case active
        /// The app does not get the user's input any more, although it may still be visible: no scene is
        /// active any more, or the app is about to be terminated (iOS: willResignActive, disconnect,
        /// applicationWillTerminate), onPause of the last activity (Android). The shell sends it at once, on
        /// the platform's callback: the process may end right after.
        ///
        /// The two have no other effect than a note (R2), by which the next process can tell a crash at start
        /// from a user's swipe (R3).
        case inactive
        case suspended
        case resumed
        /// The process did not run for this time, of which it had no notice: it was stopped, the device
        /// slept, or the loop was blocked. The shell sends it before anything that happened in that time. The
        /// time is no evidence about a start (R3, R4) and none of a peer's silence (S10, U5).
        case frozen(TimeSpan)
        /// A silent push arrived (F14).
        case push
        /// The app's native code requests a check.
        case check
        case network(NetworkState)
        case user(UserIntent)
        /// The updater's settings from now on.
        indirect case settings(UpdaterSettings)
        /// The running app is to show this path and query: a link from elsewhere. Never a switch (U6).
        case openLink(String)
        /// Native code calls the page that this web view shows (N5); `params` is UTF-8 JSON. Answered by
        /// ``Effect/pageReturned(_:result:)``, once for each id, which no open call may have.
        case callPage(CallID, WebViewID, method: String, params: [UInt8])
        /// Answers ``Effect/nativeMethodCalled(_:)``.
        case nativeMethodReturned(CallID, NativeMethodResult)
        /// Everything that was sent to the document of this page load has arrived; only with
        /// ``Launch/confirmsDelivery``.
        case delivered(PageLoadToken)
        /// Answers ``Effect/handlerRequested(_:_:)``.
        case handlerAnswer(LocalServer.HandlerCallID, LocalServer.HandlerAnswer)
        /// What answers which path from now on.
        case routes(RouteTable)
    }

    /// What became of ``Effect/listen(port:)``.
    public enum ListenerEvent: Hashable, Sendable {
        case listening
        /// Another process listens on the port.
        case portTaken
        /// The system does not open the port for another reason.
        case portFailed(PortFault)
        /// The system took the socket, as at a suspension.
        case lost
    }

    /// Why the system does not open the app's port, where no other process has it.
    public enum PortFault: Hashable, Sendable {
        /// This process may not listen on it (`EACCES`, `EPERM`): a port below 1024, a sandbox.
        case notAllowed
        /// The process or the system has no file descriptor left (`EMFILE`, `ENFILE`).
        case noDescriptor
        /// The system has no memory for it (`ENOMEM`, `ENOBUFS`).
        case noMemory
        /// Any other failure; its `errno`.
        case other(Int32)
    }

    /// What happened on a connection to the local server; see ``LocalServer/LocalServer/Event``.
    public enum ConnectionEvent: Hashable, Sendable {
        case opened
        /// At least one byte.
        case received([UInt8])
        case sent
        /// A part of a response has left, and more is left.
        case progressed
        /// The peer sends nothing more, and may still read.
        case finished
        /// With the reason where a file body could not be read.
        case closed(DiskError?)
    }
}

extension AppHost.PortFault: CustomStringConvertible {
    /// As the log has it.
    public var description: String {
        switch self {
        case .notAllowed: "not-allowed"
        case .noDescriptor: "no-descriptor"
        case .noMemory: "no-memory"
        case .other(let number): "errno-\(number)"
        }
    }
}
