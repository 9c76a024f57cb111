#if canImport(WebKit)
    import AppHost
    import Core
    import Dispatch
    import Foundation
    import OTAHost
    import Updater
    import WebKit

    /// The web view of an app and what covers it: carries out what a `HybridApp` wants of them, and sends it
    /// what the platform says.
    ///
    /// An app's delegate passes three calls on to it (``load(_:in:)``, ``show(_:)``,
    /// ``deliver(_:to:in:)``), gives its launch to ``configure(_:)``, and the started app to ``begin(_:)``.
    ///
    /// ```swift
    /// let shell = WebKitShell { screen, send in screenView(screen, send) }
    /// let app = try HybridApp(settings, build: …, delegate: self) { launch in shell.configure(&launch) }
    /// shell.begin(app)
    /// try app.start()
    /// ```
    ///
    /// **What it promises.** ``view`` shows the cover from the first moment, and the web view only while the
    /// host's screen is `page` (T4). Each load of the host gets a new `WKWebView`, whose history leads to no
    /// version that was left. All of them have one data store, so that cookies and storage stay. Pages of
    /// another site can't send messages to the host.
    ///
    /// **What is left to the app**: the views of its screens, what becomes of a link (`openLink`), and in
    /// `Info.plist` `NSAppTransportSecurity` with `NSAllowsLocalNetworking`, because the local server speaks
    /// http. Of several web views it has the first one; an app with more sends the events of the others
    /// itself.
    ///
    /// **Nobody has compiled or run this on an Apple system yet.** It is type-checked on Linux against stubs
    /// that state the signatures of Apple's SDK as its documentation does (`Tests/Tools/apple-types`), and no
    /// more.
    @MainActor
    public final class WebKitShell {
        /// Makes the view of a native screen, all but `page`; called again when the screen changes, as with
        /// each progress of `loading`, and may return the same view. `send` is for its buttons.
        public typealias ScreenView = (
            _ screen: AppHost.Screen, _ send: @escaping (AppHost.UserIntent) -> Void
        ) -> PlatformView

        /// The web view, covered or not: the app puts it into its view controller.
        public let view: PlatformView
        /// Changes the configuration of each web view before it is made: inline media, data detectors. Its
        /// user content controller is replaced afterwards.
        public var configureWebView: (WKWebViewConfiguration) -> Void = { _ in }
        /// Gets each web view when it has been made: for a `uiDelegate`, gestures, `isInspectable`.
        public var webViewCreated: (WKWebView) -> Void = { _ in }
        /// Opens what a web view can't show, `tel:` for example, or what asks for a window of its own
        /// (`target=_blank`).
        public var openElsewhere: (URL) -> Void = { _ in }

        private let screenView: ScreenView
        private var app: HybridApp?
        private var rules: LinkRules?
        private var hosted: HostedWebView?
        /// What covers the web view; nil: nothing.
        private var cover: PlatformView?
        #if canImport(UIKit)
            private var lifecycle: LifecycleObserver?
        #endif
        private var network: NetworkObserver?
        private let store = WKWebsiteDataStore.default()

        public init(screenView: @escaping ScreenView) {
            view = PlatformView(frame: .zero)
            self.screenView = screenView
            display(.cover)
        }

        /// Says what this shell does, and whether the app was launched in front; to be called last in the
        /// `configure` of `HybridApp`.
        public func configure(_ launch: inout AppHost.Launch) {
            launch.announcesDocuments = true
            launch.confirmsDelivery = true
            #if canImport(UIKit)
                launch.updater.inForeground = UIApplication.shared.applicationState != .background
                lifecycle = LifecycleObserver(
                    AppPhases(isInFront: launch.updater.inForeground)
                ) { [weak self] in self?.app?.send($0) }
            #endif
            rules = LinkRules(launch)
        }

        /// Sends events to this app from now on. To be called before `start`.
        public func begin(_ app: HybridApp) {
            self.app = app
            network = NetworkObserver { [weak app] in app?.send(.network($0)) }
            #if canImport(UIKit)
                lifecycle?.begin()
            #endif
        }

        #if canImport(UIKit)
            /// A silent push arrived: `application(_:didReceiveRemoteNotification:fetchCompletionHandler:)`.
            public func receivePush(_ completion: @escaping (UIBackgroundFetchResult) -> Void) {
                lifecycle?.receivePush(completion)
            }
        #endif

        // MARK: - What the host wants; from any thread

        /// `HybridAppDelegate.load`.
        public nonisolated func load(_ url: String, in view: WebViewID) {
            onMain { shell in if view == .first { shell.navigate(to: url) } }
        }

        /// `HybridAppDelegate.show`.
        public nonisolated func show(_ screen: AppHost.Screen) { onMain { $0.display(screen) } }

        /// `HybridAppDelegate.deliver`.
        public nonisolated func deliver(_ message: [UInt8], to load: PageLoadToken, in view: WebViewID) {
            onMain { shell in
                guard view == .first else { return }
                shell.hosted?.deliver(String(decoding: message, as: UTF8.self), to: load) { [weak shell] in
                    shell?.app?.send(.delivered(load))
                }
            }
        }

        /// In the order of the calls: that of a queue, which tasks do not keep.
        private nonisolated func onMain(_ body: @escaping @MainActor (WebKitShell) -> Void) {
            DispatchQueue.main.async { MainActor.assumeIsolated { body(self) } }
        }

        // MARK: - On the main thread

        private func navigate(to text: String) {
            guard let url = URL(string: text), let port = url.port.flatMap({ UInt16(exactly: $0) }), let rules
            else { return }
            hosted?.end(.discarded)
            let configuration = WKWebViewConfiguration()
            configuration.websiteDataStore = store
            // H1: pages know by it that they are inside the app.
            configuration.applicationNameForUserAgent = "mobile/app"
            configureWebView(configuration)
            let next = HostedWebView(DocumentReports(port: port, rules: rules), configuration) {
                [weak self] effect in self?.perform(effect)
            }
            next.view.allowsBackForwardNavigationGestures = true
            webViewCreated(next.view)
            view.fill(with: next.view)
            // The cover stays above it.
            if let cover { view.fill(with: cover) }
            hosted = next
            next.load(url)
        }

        private func perform(_ effect: DocumentReports.Effect) {
            switch effect {
            case .report(let event): app?.send(.webView(.first, event))
            case .open(let text): if let url = URL(string: text) { openElsewhere(url) }
            // A page of another site that looks for an app around it; the host has nothing to do with it.
            case .decide, .drop: break
            }
        }

        private func display(_ screen: AppHost.Screen) {
            let next =
                screen == .page ? nil : screenView(screen) { [weak self] in self?.app?.send(.user($0)) }
            guard next !== cover else { return }
            // The next one is there before the previous one goes: the user sees no gap.
            if let next { view.fill(with: next) }
            cover?.removeFromSuperview()
            cover = next
        }
    }
#endif
