import AppHost
import Core
import Updater

/// What a person with the device in hand, and the platform, can see of it now.
public struct DeviceView: Hashable, Sendable {
    public var device: Int
    /// Counts processes from 1; nil: the app does not run.
    public var process: Int?
    public var isInForeground: Bool
    public var isSuspended: Bool
    public var build: String
    public var network: NetworkState
    /// What the native side last put in front; ``AppHost/Screen/cover`` before anything was told.
    public var screen: AppHost.Screen
    /// What the updater last told; from a process that has ended too.
    public var status: Status?
    /// Of the app's own web views, the first one first.
    public var webViews: [WebViewView]
    /// The one version of the page in front, by the bytes that the page got; nil: no page, or bytes of none.
    public var running: String?
    /// A confirmation left the page in front.
    public var hasConfirmed: Bool
    public var isListening: Bool
    public var port: UInt16?
    /// Time since the world began in which the user saw neither cover, native screen nor content.
    public var whiteTime: TimeSpan
    /// The last progress shown, 0 to 100; nil: none was, or sizes are not known.
    public var progress: Int?

    public init(device: Int, build: String) {
        self.device = device
        process = nil
        isInForeground = false
        isSuspended = false
        self.build = build
        network = .online
        screen = .page
        status = nil
        webViews = []
        running = nil
        hasConfirmed = false
        isListening = false
        port = nil
        whiteTime = .zero
        progress = nil
    }

    /// The page in front is shown and the user has typed into it or followed a link in it.
    public var isInUse: Bool { webViews.first.map { $0.isTouched && isInForeground } ?? false }
}

/// A web view as its user sees it.
public struct WebViewView: Hashable, Sendable {
    public enum State: String, Hashable, Sendable, CaseIterable {
        case empty
        /// A document is on its way, or there and without content yet.
        case loading
        /// Content is on the screen.
        case shown
        /// Shown, and the start-up is through.
        case ready
        /// An error page, or a document that failed.
        case failed
        /// Its process died.
        case dead
    }

    public var id: WebViewID
    public var state: State
    /// The name that a scenario gave this page load.
    public var name: String?
    public var load: PageLoadToken?
    /// The versions that have everything this page got.
    public var versions: VersionMask
    /// The one version of this page, by its bytes; nil: bytes of none.
    public var running: String?
    public var isTouched: Bool
    public var hasConfirmed: Bool

    public init(
        id: WebViewID, state: State = .empty, name: String? = nil, load: PageLoadToken? = nil,
        versions: VersionMask = VersionMask(), isTouched: Bool = false, hasConfirmed: Bool = false
    ) {
        self.id = id
        self.state = state
        self.name = name
        self.load = load
        self.versions = versions
        self.isTouched = isTouched
        self.hasConfirmed = hasConfirmed
    }
}
