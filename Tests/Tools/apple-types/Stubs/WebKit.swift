// A stub of Apple's module `WebKit`: signatures alone, so that code for it can be type-checked on Linux. It does
// nothing, and nothing is ever linked with it.
//
// Only what this package uses, as Swift imports it. Compared with WebKit's public headers, which its repository has
// (Source/WebKit/UIProcess/API/Cocoa): WKWebView.h, WKNavigationDelegate.h, WKNavigationAction.h, WKFrameInfo.h,
// WKScriptMessageHandler.h, WKUserContentController.h, WKUserScript.h, WKContentWorld.h, WebKitSwiftOverlay.swift;
// `WK_SWIFT_UI_ACTOR` is `@MainActor` there. Not compared with a header: WKWebViewConfiguration, WKSecurityOrigin,
// WKScriptMessage, WKWebsiteDataStore.
//
// Observing a property is Foundation's on Apple's systems; Linux's Foundation has none, so that it is here.
@_exported import Foundation
@_exported import FoundationNetworking

#if canImport(UIKit)
    @_exported import UIKit
    public typealias SuperView = UIView
#else
    @_exported import AppKit
    public typealias SuperView = NSView
#endif

// MARK: - Foundation: NSObject.observe (Darwin overlay, NSObject.swift)

public final class NSKeyValueObservation: NSObject, @unchecked Sendable {
    public func invalidate() { fatalError() }
}

public struct NSKeyValueObservedChange<Value> {}

public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { fatalError() }
}

extension WKWebView {
    public nonisolated func observe<Value>(
        _ keyPath: KeyPath<WKWebView, Value>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping @Sendable (WKWebView, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation { fatalError() }
}

// MARK: - WKWebView

@MainActor open class WKWebView: SuperView {
    public init(frame: CGRect, configuration: WKWebViewConfiguration) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }

    open var configuration: WKWebViewConfiguration { fatalError() }
    weak open var navigationDelegate: (any WKNavigationDelegate)? {
        get { fatalError() }
        set { fatalError() }
    }
    open var url: URL? { fatalError() }
    open var isLoading: Bool { fatalError() }
    open var allowsBackForwardNavigationGestures: Bool {
        get { fatalError() }
        set { fatalError() }
    }

    @discardableResult open func load(_ request: URLRequest) -> WKNavigation? { fatalError() }
    open func stopLoading() { fatalError() }

    @preconcurrency public func callAsyncJavaScript(
        _ functionBody: String, arguments: [String: Any] = [:], in frame: WKFrameInfo? = nil,
        in contentWorld: WKContentWorld,
        completionHandler: (@MainActor (Result<Any, any Error>) -> Void)? = nil
    ) { fatalError() }
}

@MainActor open class WKWebViewConfiguration: NSObject {
    public override init() { fatalError() }

    open var userContentController: WKUserContentController {
        get { fatalError() }
        set { fatalError() }
    }
    open var websiteDataStore: WKWebsiteDataStore {
        get { fatalError() }
        set { fatalError() }
    }
    open var applicationNameForUserAgent: String? {
        get { fatalError() }
        set { fatalError() }
    }
}

@MainActor open class WKWebsiteDataStore: NSObject {
    open class func `default`() -> WKWebsiteDataStore { fatalError() }
}

@MainActor open class WKContentWorld: NSObject {
    open class var page: WKContentWorld { fatalError() }
    open class func world(name: String) -> WKContentWorld { fatalError() }
}

// MARK: - Scripts

@MainActor open class WKUserContentController: NSObject {
    public override init() { fatalError() }

    open func addUserScript(_ userScript: WKUserScript) { fatalError() }
    open func add(
        _ scriptMessageHandler: any WKScriptMessageHandler, contentWorld world: WKContentWorld, name: String
    ) { fatalError() }
    open func removeAllScriptMessageHandlers() { fatalError() }
}

public enum WKUserScriptInjectionTime: Int, Sendable {
    case atDocumentStart
    case atDocumentEnd
}

@MainActor open class WKUserScript: NSObject {
    public init(
        source: String, injectionTime: WKUserScriptInjectionTime, forMainFrameOnly: Bool,
        in contentWorld: WKContentWorld
    ) { fatalError() }
}

@MainActor public protocol WKScriptMessageHandler: NSObjectProtocol {
    func userContentController(
        _ userContentController: WKUserContentController, didReceive message: WKScriptMessage)
}

@MainActor open class WKScriptMessage: NSObject {
    open var body: Any { fatalError() }
    open var frameInfo: WKFrameInfo { fatalError() }
    open var name: String { fatalError() }
}

// MARK: - Frames and navigations

@MainActor open class WKFrameInfo: NSObject {
    open var isMainFrame: Bool { fatalError() }
    open var request: URLRequest { fatalError() }
    open var securityOrigin: WKSecurityOrigin { fatalError() }
}

@MainActor open class WKSecurityOrigin: NSObject {
    open var `protocol`: String { fatalError() }
    open var host: String { fatalError() }
    open var port: Int { fatalError() }
}

@MainActor open class WKNavigation: NSObject {}

public enum WKNavigationType: Int, Sendable {
    case linkActivated
    case formSubmitted
    case backForward
    case reload
    case formResubmitted
    case other = -1
}

@MainActor open class WKNavigationAction: NSObject {
    open var targetFrame: WKFrameInfo? { fatalError() }
    open var navigationType: WKNavigationType { fatalError() }
    open var request: URLRequest { fatalError() }
}

public enum WKNavigationActionPolicy: Int, Sendable {
    case cancel
    case allow
    case download
}

// Every method of this protocol is optional in the SDK, which only Objective-C has. Here those that the package
// implements are required, so that a method whose signature is not the SDK's is an error.
@MainActor public protocol WKNavigationDelegate: NSObjectProtocol {
    func webView(
        _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
        decisionHandler: @escaping @MainActor (WKNavigationActionPolicy) -> Void)
    func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!)
    func webView(_ webView: WKWebView, didCommit navigation: WKNavigation!)
    func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!)
    func webView(
        _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!,
        withError error: any Error)
    func webViewWebContentProcessDidTerminate(_ webView: WKWebView)
}
