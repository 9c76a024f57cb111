import AppHost
import Core
import Updater

/// What a person with the device in hand, and the platform, can see of it now.
package struct DeviceView: Hashable, Sendable {
    package var device: Int
    /// Counts processes from 1; nil: the app does not run.
    package var process: Int?
    package var isInForeground: Bool
    package var isSuspended: Bool
    package var build: String
    package var network: NetworkState
    /// What the native side last put in front; ``AppHost/Screen/cover`` before anything was told.
    package var screen: AppHost.Screen
    /// What the updater last told; from a process that has ended too.
    package var status: UpdaterStatus?
    /// Of the app's own web views, the first one first.
    package var webViews: [WebViewView]
    /// The one version of the page in front, by the bytes that the page got; nil: no page, or bytes of none.
    package var running: String?
    /// A confirmation left the page in front.
    package var hasConfirmed: Bool
    package var isListening: Bool
    package var port: UInt16?
    /// Time since the world began in which the user saw neither cover, native screen nor content.
    package var whiteTime: TimeSpan
    /// The last progress shown, 0 to 100; nil: none was, or sizes are not known.
    package var progress: Int?

    package init(device: Int, build: String) {
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
    package var isInUse: Bool { webViews.first.map { $0.isTouched && isInForeground } ?? false }
}

/// A web view as its user sees it.
package struct WebViewView: Hashable, Sendable {
    package enum State: String, Hashable, Sendable, CaseIterable {
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

    package var id: WebViewID
    package var state: State
    /// The name that a scenario gave this page load.
    package var name: String?
    package var load: PageLoadToken?
    /// The versions that have everything this page got.
    package var versions: VersionMask
    /// The one version of this page, by its bytes; nil: bytes of none.
    package var running: String?
    package var isTouched: Bool
    package var hasConfirmed: Bool

    package init(
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
