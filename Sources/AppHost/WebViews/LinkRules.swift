import Core

/// Which links native code takes over (H4, H7): the host's rule, and that of a shell which has to say to its
/// web view at once whether it follows a link.
package struct LinkRules: Hashable, Sendable {
    /// ``AppHost/AppHost/Launch/nativeLinks``.
    package var native: [String]
    /// ``AppHost/AppHost/Launch/allowedRoutes``.
    package var allowed: [String]

    package init(_ launch: AppHost.Launch) {
        native = launch.nativeLinks
        allowed = launch.allowedRoutes
    }

    /// Whether native code takes over a link: it names the path, or the path is outside the routes that are
    /// meant for the app. Of other sites only the latter can be.
    /// - Parameter port: of the local server.
    package func isNative(_ url: String, port: UInt16) -> Bool {
        if URLParts(url).authority != nil, !LinkText.isOwn(url, port: port) {
            return !allowed.isEmpty && URLParts(url).isSecure != nil
        }
        guard let target = LinkText.target(of: url) else { return false }
        if native.contains(where: { LinkText.fits($0, target) }) { return true }
        return !allowed.isEmpty && !allowed.contains { LinkText.fits($0, target) }
    }

    /// Whether native code takes over a navigation that a web view announces
    /// (``AppHost/AppHost/WebViewEvent/navigating(_:url:)``): the web view is not to follow it, and
    /// ``AppHost/AppHost/Effect/openLink(_:url:)`` follows.
    package func takesOver(_ kind: AppHost.NavigationKind, _ url: String, port: UInt16) -> Bool {
        // A load of the host itself names its load, and the history leads back to what was shown before. Of
        // a document without a kind the server's request shows whether it is a reload.
        ![.reload, .history, .unknown].contains(kind) && DocumentURL.load(url) == nil
            && isNative(url, port: port)
    }
}
