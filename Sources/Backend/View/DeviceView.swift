import AppHost
import Core
import Updater

/// The state of a device as its user and its platform see it.
package struct DeviceView: Hashable, Sendable {
    /// Index of the device.
    package var device: Int
    /// Ordinal of the app's process, from 1; nil: the app does not run.
    package var process: Int?
    package var isInForeground: Bool
    /// Whether the app in front gets the user's input (rule R2).
    package var isActive: Bool
    package var isSuspended: Bool
    /// Name of the installed build.
    package var build: String
    package var network: NetworkState
    /// The screen that the native side showed last; ``AppHost/Screen/cover`` before it showed any.
    package var screen: AppHost.Screen
    /// The status that the updater reported last, also if its process has ended since.
    package var status: UpdaterStatus?
    /// The app's web views in the order in which they were opened.
    package var webViews: [WebViewView]
    /// Name of the version of the page in front, found by the bytes that the page received; nil: there is no
    /// page, or no version has all its bytes. Of several that have, the one that the app announced or else
    /// reports.
    package var running: String?
    /// Names of all versions that the page in front can be of, where several have all its bytes and the app
    /// announces no page loads; empty otherwise.
    package var possiblyRunning: [String]
    /// Whether the page in front has confirmed its start.
    package var hasConfirmed: Bool
    /// Whether the local server accepts connections.
    package var isListening: Bool
    package var port: UInt16?
    /// Time since the start of the run in which the user saw neither cover, native screen nor content.
    package var whiteTime: TimeSpan
    /// Download progress as shown last, in percent; nil: none was shown, or sizes are unknown.
    package var progress: Int?

    package init(device: Int, build: String) {
        self.device = device
        process = nil
        isInForeground = false
        isActive = false
        isSuspended = false
        self.build = build
        network = .online
        screen = .page
        status = nil
        webViews = []
        running = nil
        possiblyRunning = []
        hasConfirmed = false
        isListening = false
        port = nil
        whiteTime = .zero
        progress = nil
    }

    /// Whether the user has typed into the page in front or followed a link in it.
    package var isInUse: Bool { webViews.first.map { $0.isTouched && isInForeground } ?? false }
}

/// The state of a web view as its user sees it.
package struct WebViewView: Hashable, Sendable {
    package enum State: String, Hashable, Sendable, CaseIterable {
        case empty
        /// A document is loading, or committed and without content yet.
        case loading
        /// The document's content is on the screen.
        case shown
        /// Content is on the screen, and the page has started.
        case ready
        /// An error page, or a document that failed to load or to start.
        case failed
        /// The web view's process has ended.
        case dead
    }

    package var id: WebViewID
    package var state: State
    /// Name that a scenario gave this page load.
    package var name: String?
    package var load: PageLoadToken?
    /// Path, query and fragment of its document's address, without the server's query items; nil: none is
    /// shown.
    package var route: String?
    /// The versions that have all the bytes that this page received.
    package var versions: VersionMask
    /// Name of the page's version, found by its bytes; nil: no version has all of them.
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
