#if canImport(WebKit)
    import AppHost
    import Core
    import Foundation
    import WebKit

    /// One `WKWebView`, from a load of the host to the next: passes its callbacks to ``DocumentReports``, and
    /// what comes out to its owner.
    @MainActor
    final class HostedWebView: NSObject {
        let view: WKWebView
        private var reports: DocumentReports
        private let perform: (DocumentReports.Effect) -> Void
        private var observation: NSKeyValueObservation?
        /// What a navigation that asks is answered with.
        private var decision = true

        /// - Parameters:
        ///   - configuration: copied by the view; with a user content controller of its own.
        ///   - perform: gets all effects but decisions.
        init(
            _ reports: DocumentReports, _ configuration: WKWebViewConfiguration,
            perform: @escaping (DocumentReports.Effect) -> Void
        ) {
            self.reports = reports
            self.perform = perform
            let controller = WKUserContentController()
            configuration.userContentController = controller
            let world = WKContentWorld.world(name: ViewScript.name)
            controller.addUserScript(
                WKUserScript(
                    source: ViewScript.source, injectionTime: .atDocumentStart, forMainFrameOnly: true,
                    in: world))
            view = WKWebView(frame: .zero, configuration: configuration)
            super.init()
            // The controller holds its handlers, and the view its controller.
            let handler = MessageHandler(self)
            controller.add(handler, contentWorld: world, name: ViewScript.name)
            controller.add(handler, contentWorld: .page, name: "otalab")
            view.navigationDelegate = self
            // WebKit changes the property on the main thread.
            observation = view.observe(\.url) { [weak self] view, _ in
                MainActor.assumeIsolated {
                    guard let url = view.url?.absoluteString else { return }
                    self?.handle(.addressChanged(url: url, isLoading: view.isLoading))
                }
            }
        }

        func load(_ url: URL) { view.load(URLRequest(url: url)) }

        /// Runs no script and sends no callback any more.
        func end(_ callback: DocumentReports.Callback) {
            observation?.invalidate()
            view.navigationDelegate = nil
            view.configuration.userContentController.removeAllScriptMessageHandlers()
            view.stopLoading()
            view.removeFromSuperview()
            handle(callback)
        }

        /// Delivers a message event to the document of this page load.
        /// - Parameter delivered: called if that document is in front and its script has the message.
        func deliver(_ message: String, to load: PageLoadToken, delivered: @escaping @MainActor () -> Void) {
            view.callAsyncJavaScript(
                ViewScript.delivery, arguments: ["load": load.text, "text": message], in: nil, in: .page
            ) { result in
                if case .success(let answer) = result, answer as? Bool == true { delivered() }
            }
        }

        @discardableResult
        fileprivate func handle(_ callback: DocumentReports.Callback) -> Bool {
            decision = true
            for effect in reports.handle(callback) {
                if case .decide(let isAllowed) = effect { decision = isAllowed } else { perform(effect) }
            }
            return decision
        }
    }

    // MARK: - Navigation

    extension HostedWebView: WKNavigationDelegate {
        func webView(
            _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
            decisionHandler: @escaping @MainActor (WKNavigationActionPolicy) -> Void
        ) {
            let url = navigationAction.request.url?.absoluteString ?? ""
            let kind = AppHost.NavigationKind(navigationAction.navigationType)
            let isAllowed = handle(
                .asks(kind, url: url, isMainFrame: navigationAction.targetFrame?.isMainFrame))
            decisionHandler(isAllowed ? .allow : .cancel)
        }

        func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!) {
            handle(.started)
        }

        func webView(_ webView: WKWebView, didCommit navigation: WKNavigation!) {
            handle(.committed(url: webView.url?.absoluteString ?? ""))
        }

        func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) { handle(.finished) }

        func webView(
            _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!,
            withError error: any Error
        ) {
            handle(.failed)
        }

        func webViewWebContentProcessDidTerminate(_ webView: WKWebView) { handle(.processDied) }
    }

    extension AppHost.NavigationKind {
        /// `.unknown` is not among them: WebKit always says why.
        fileprivate init(_ type: WKNavigationType) {
            switch type {
            case .linkActivated: self = .link
            case .formSubmitted, .formResubmitted: self = .form
            case .backForward: self = .history
            case .reload: self = .reload
            case .other: self = .other
            @unknown default: self = .other
            }
        }
    }

    // MARK: - Messages

    /// Receives what scripts send. A `WKUserContentController` holds its handlers, so that this one holds its
    /// owner weakly.
    @MainActor
    private final class MessageHandler: NSObject, WKScriptMessageHandler {
        private weak var owner: HostedWebView?

        init(_ owner: HostedWebView) { self.owner = owner }

        func userContentController(
            _ userContentController: WKUserContentController, didReceive message: WKScriptMessage
        ) {
            guard let text = message.body as? String else { return }
            if message.name == ViewScript.name {
                switch ViewScript.Message(rawValue: text) {
                case .painted: owner?.handle(.painted)
                case .touched: owner?.handle(.touched)
                case nil: break
                }
                return
            }
            let frame = message.frameInfo
            let origin = frame.securityOrigin
            owner?.handle(
                .message(
                    Array(text.utf8), documentURL: frame.request.url?.absoluteString ?? "",
                    origin: "\(origin.protocol)://\(origin.host):\(origin.port)"))
        }
    }
#endif
