import Core
import LocalServer
import Updater

extension AppHost {
    /// What the app brings to a launch beside the updater's part.
    public struct Launch: Hashable, Sendable {
        public var updater: Updater.Launch
        /// Port fixed by the build; nil: ``AppHost/defaultPort(ofApp:)`` (S4).
        public var port: UInt16?
        /// Folder of the app package with the files of bridge and plugins; nil: none.
        public var www: DiskPath?
        /// Links that native code takes over (H4): paths, or the beginning of paths followed by `*`.
        public var nativeLinks: [String] = []
        /// The parts of the site that are meant for the app (H7), in the same form; empty: all. Native code
        /// takes over every link that leads elsewhere, other sites included.
        public var allowedRoutes: [String] = []
        /// Whether a page may send the messages that are meant for testing: `setRemoteRoot` and
        /// `switchEnvironment` (F9). Off in a release: any script of a page could send them.
        public var allowsTestMessages = false
        /// Methods of bridge messages that the app's native code answers (N5): the host calls it with
        /// ``Effect/nativeMethodCalled(_:)``. A method of the host itself is not given to native code.
        public var nativeMethods: [String] = []
        /// Whether the shell reports each document that a web view requests
        /// (``WebViewEvent/navigating(_:url:)``), and none of a frame. An old web view requests both alike:
        /// what was not reported is then a frame's, and gets a file of its page's version. Without it such a
        /// view takes a frame's document for a page, and may switch versions under the page in front (S1).
        public var announcesDocuments = false
        /// Whether the shell reports what has arrived (``Event/delivered(_:)``). If not, any message of a
        /// document shows that what was sent to it before has arrived (T2).
        public var confirmsDelivery = false
        /// Whether ``Effect/pageTraffic(_:_:_:)`` reports what the server sees of a page: for a web view that
        /// does not report when its document was committed, shown or loaded.
        public var reportsPageTraffic = false
        /// Path and query of the page that the app was opened for; nil: the start page. Kept until content is
        /// shown, whatever is loaded before: an update in between must not lose the link.
        public var link: String?
        /// Limits of the local server.
        public var limits: LocalServer.Limits
        /// What answers which path.
        public var routes = RouteTable()
        /// Where API requests go (S7); nil: they get 502.
        public var remote: RemoteRoot?
        /// The device's wall clock, for `Date` of the local server's responses and the expiry of signed
        /// manifests (U16); nil: it has none.
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

    /// The port of an app whose build fixes none: 12000 + FNV-1a-32(app id) mod 1000 (S4).
    package static func defaultPort(ofApp id: String) -> UInt16 { LocalPort.defaultNumber(ofApp: id) }
}
