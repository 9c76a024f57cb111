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
        public var webView = WebViewKind.native
        /// Links that native code takes over (H4): paths, or the beginning of paths with a `*` behind it.
        public var nativeLinks: [String] = []
        /// Path and query of the page that the app was opened for; nil: the start page. Kept until content is
        /// shown, whatever loads in between (UX-06).
        public var link: String?
        /// Of the local server.
        public var limits: LocalServer.Limits
        public var routes = RouteTable()
        /// Where API requests go (S7).
        public var remote: RemoteRoot?
        public var mocks = MockBook()
        /// What the device's wall clock says, for the `Date` of the local server's answers; nil: it has none.
        public var wallClock: WallClock?

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

    /// The port of an app whose build fixes none (S4).
    public static func usualPort(ofApp id: String) -> UInt16 { PortPlan.port(ofApp: id) }

    /// What shows the app's pages.
    public enum WebViewKind: String, Hashable, Sendable, CaseIterable {
        /// A platform's web view: the shell tells its ``WebViewEvent``s and takes messages to the page.
        case native
        /// A plain browser on the same machine, for development: nobody tells what a page does but the page's
        /// own script and the server's answers, and messages wait until the script asks for them.
        case browser
    }

    /// A question between native code and a page, in either direction; unique within a process and direction.
    public struct CallID: Hashable, Comparable, Sendable {
        public let number: UInt32

        public init(_ number: UInt32) { self.number = number }

        public static func < (left: CallID, right: CallID) -> Bool { left.number < right.number }
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
        /// The running app is to show this path and query: a link from elsewhere. Never a switch (U6).
        case openLink(String)
        /// Native code asks the page that this web view shows (N5): `params` is JSON. Answered by
        /// ``Effect/pageAnswered(_:result:)``.
        case askPage(CallID, WebViewID, method: String, params: [UInt8])
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
        /// The document has given itself another address, without a request.
        case moved(url: String)
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
        /// At once: see ``LocalServer/LocalServer/Effect/close(_:)``.
        case close(ConnectionID)
        case admitted(ConnectionID)
        case hear(ConnectionID, LocalServer.ReadInterest)
        case upstream(UpstreamID, UpstreamCall)
        /// Navigates a web view to this URL on the local server.
        case load(WebViewID, url: String)
        /// A message event for the document of this page load; dropped when the view shows another by then.
        case message(WebViewID, PageLoadToken, [UInt8])
        /// What the page answered to ``Event/askPage(_:_:method:params:)``, as JSON; nil: no document was
        /// there, or it went before it answered.
        case pageAnswered(CallID, result: [UInt8]?)
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
        /// A link that native code takes over: the web view is not to follow it.
        case openLink(WebViewID, url: String)
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
        /// A browser has not asked for anything of this load for a while.
        case quiet(PageLoadToken)
    }
}
