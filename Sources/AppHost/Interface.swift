import Core
import LocalServer
import Updater

/// One web view of the app. The first one is the app's own screen.
public struct WebViewID: Hashable, Comparable, Sendable {
    public let number: Int

    public init(_ number: Int) { self.number = number }

    public static let first = WebViewID(0)

    public static func < (left: WebViewID, right: WebViewID) -> Bool { left.number < right.number }
}

extension AppHost {
    /// What the app itself brings to a launch beside the updater's part.
    public struct Launch: Hashable, Sendable {
        public var updater: Updater.Launch
        /// Fixed by the build; nil: 12000 + FNV-1a-32(app id) mod 1000 (S4).
        public var port: UInt16?
        /// Folder of the app package with the files of bridge and plugins; nil: none (M16).
        public var www: DiskPath?
        /// Of the local server.
        public var limits: LocalServer.Limits
        public var routes = RouteTable()
        /// Where API requests go (S7).
        public var remote: RemoteRoot?
        public var mocks = MockBook()

        public init(
            updater: Updater.Launch, port: UInt16? = nil, www: DiskPath? = nil,
            limits: LocalServer.Limits = LocalServer.Limits()
        ) {
            self.limits = limits
            self.updater = updater
            self.port = port
            self.www = www
        }
    }

    public enum Event: Hashable, Sendable {
        /// The first event of a process, and only that.
        indirect case launched(Launch)
        case again
        case timer(TimerName)
        case transfer(TransferID, TransferEvent)
        case listener(ListenerEvent)
        case connection(ConnectionID, ConnectionEvent)
        /// Of the connections to the remote root that ``Effect/upstream(_:_:)`` asks for.
        case upstream(UpstreamID, UpstreamEvent)
        case webView(WebViewID, WebViewEvent)
        case foreground
        case background
        case suspended
        case resumed
        /// A silent push arrived (F14).
        case push
        /// The native app's own code wishes for a check.
        case check
        case network(NetworkState)
        case user(UserIntent)
        indirect case settings(UpdaterSettings)
    }

    public enum ListenerEvent: Hashable, Sendable {
        case listening
        case portTaken
        /// The system took the socket (suspension).
        case lost
    }

    public enum ConnectionEvent: Hashable, Sendable {
        case opened
        case received([UInt8])
        case sent
        /// A part of an answer has left, and more is left.
        case progressed
        /// The peer sends nothing more, and may still read.
        case finished
        /// With the reason when a file body could not be read.
        case closed(DiskError?)
    }

    /// What a platform's web view tells its host.
    public enum WebViewEvent: Hashable, Sendable {
        /// Before the request goes out, where the platform tells (not for a reload on Android).
        case navigating(NavigationKind, url: String)
        /// The document at this URL replaced the one before.
        case committed(url: String)
        /// First content is on the screen.
        case contentShown
        /// The document and all it refers to have been loaded.
        case loaded
        /// The user typed, or followed a link, after content was shown.
        case touched
        /// A bridge message (UTF-8 JSON) with the URL of the document that sent it, as the platform attaches
        /// it.
        case message([UInt8], documentURL: String)
        case webProcessDied
        case closed
    }

    public enum NavigationKind: String, Hashable, Sendable, CaseIterable {
        case reload
        case link
        case form
        case history
        /// Asked for by the host or by script.
        case other
    }

    /// Buttons of native screens.
    public enum UserIntent: String, Hashable, Sendable, CaseIterable {
        /// Offline screen: check again.
        case retry
        /// Recovery screen: start what stands behind it.
        case tryAgain
        case lookForUpdate
        case sendReport
    }

    public enum Effect: Hashable, Sendable {
        case again
        case setTimer(TimerName, after: TimeSpan)
        case cancelTimer(TimerName)
        indirect case fetch(TransferID, OriginRequest)
        case cancelFetch(TransferID)
        case listen(port: UInt16)
        case stopListening
        case send(ConnectionID, LocalServer.Output)
        case close(ConnectionID)
        case hear(ConnectionID, LocalServer.Hearing)
        case upstream(UpstreamID, UpstreamCall)
        /// Navigates a web view to this URL on the local server.
        case load(WebViewID, url: String)
        /// A message event for the document of this page load; dropped when the view shows another by then.
        case message(WebViewID, PageLoadToken, [UInt8])
        /// What stands on the native side of the screen.
        case screen(Screen)
        indirect case status(Status)
        case log(LogEntry)
        /// A page load has begun: this load of this web view gets this version.
        case pageLoad(WebViewID, PageLoadToken, VersionKey)
        /// What the server answered; for logs and the trace.
        case answered(LocalServer.Answer)
        /// The error report the user asked for.
        case report(String)
    }

    /// The native screen. `cover` looks like the app's first page and stays until first content (T4, F4).
    public enum Screen: Hashable, Sendable {
        case page
        case cover
        case loading(Progress?)
        case offline
        case recovery
        case portTaken
    }

    public enum TimerName: Hashable, Comparable, Sendable {
        case updater(Updater.TimerName)
        case server(LocalServer.TimerName)
        case listenAgain
    }
}
