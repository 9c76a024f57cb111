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
        /// Links that native code takes over (H4): paths, or the beginning of paths with a `*` behind it.
        public var nativeLinks: [String] = []
        /// Bridge messages that the app's own native code answers (N5): the host asks it with
        /// ``Effect/pageAsks(_:)``. A method of the host's own stays the host's.
        public var nativeMethods: [String] = []
        /// The shell says what has arrived (``Event/delivered(_:)``). Without it any message of a document
        /// shows that what was sent to it before has arrived (T2).
        public var confirmsDelivery = false
        /// ``Effect/pageTraffic(_:_:_:)`` says what the server sees of a page: for a web view that does not
        /// tell when its document was committed, shown or loaded.
        public var reportsPageTraffic = false
        /// Path and query of the page that the app was opened for; nil: the start page. Kept until content is
        /// shown, whatever loads in between (UX-06).
        public var link: String?
        /// Of the local server.
        public var limits: LocalServer.Limits
        public var routes = RouteTable()
        /// Where API requests go (S7).
        public var remote: RemoteRoot?
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

    /// What the server sees of a page load.
    public enum PageTraffic: Hashable, Sendable {
        /// The document is there: a request or a message carried its load.
        case seen
        /// Answers of this load are on their way (true), or none is (false).
        case sending(Bool)
    }

    /// A bridge message for the app's own native code.
    public struct PageQuestionForNative: Hashable, Sendable {
        public var call: CallID
        public var view: WebViewID
        /// Of the document that asks (R6).
        public var load: PageLoadToken
        /// One of ``Launch/nativeMethods``.
        public var method: String
        /// JSON; `null` where the message has none.
        public var params: [UInt8]
        /// The answer goes into the HTTP call that brought the question, which stays open until then.
        public var isOverHTTP: Bool

        public init(
            call: CallID, view: WebViewID, load: PageLoadToken, method: String, params: [UInt8],
            isOverHTTP: Bool
        ) {
            self.call = call
            self.view = view
            self.load = load
            self.method = method
            self.params = params
            self.isOverHTTP = isOverHTTP
        }
    }

    /// What native code answers to a page.
    public enum NativeAnswer: Hashable, Sendable {
        /// JSON.
        case result([UInt8])
        /// Not taken: the page hears why, and the log too (N5).
        case refused(String)
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
        /// Answers ``Effect/pageAsks(_:)``.
        case answerPage(CallID, NativeAnswer)
        /// Everything that was sent to the document of this page load has arrived. Only where the launch says
        /// ``Launch/confirmsDelivery``.
        case delivered(PageLoadToken)
        /// Answers ``Effect/handlerAsked(_:_:)``.
        case answerRequest(LocalServer.HandlerCall, LocalServer.HandlerAnswer)
        /// Who answers which path from now on.
        case routes(RouteTable)
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
        /// The same, and the document before lives on (in a page cache, or in another tab) until
        /// ``left(url:)`` names it.
        case committedBeside(url: String)
        /// The document at this URL is gone, in front or not.
        case left(url: String)
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
        /// A page asks the app's native code; it waits, without a limit, for ``Event/answerPage(_:_:)``.
        indirect case pageAsks(PageQuestionForNative)
        /// A request that native code answers; it waits, without a limit, for
        /// ``Event/answerRequest(_:_:)``.
        indirect case handlerAsked(LocalServer.HandlerCall, LocalServer.HandlerRequest)
        /// Where the launch asks for it (``Launch/reportsPageTraffic``).
        case pageTraffic(WebViewID, PageLoadToken, PageTraffic)
        /// What stands on the native side of the screen.
        case screen(Screen)
        indirect case status(UpdaterStatus)
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
        case loading(DownloadProgress?)
        case offline
        case recovery
        case portTaken
    }

    public enum TimerName: Hashable, Comparable, Sendable {
        case updater(Updater.TimerName)
        case server(LocalServer.TimerName)
        case listenAgain
        /// Of a value around the host (``HostedApp``), by its own number; to the host it means nothing.
        case outer(UInt64)
    }
}
