import Core
import LocalServer
import Updater

/// Page loads that the host itself requests.
extension AppHost {
    /// Requests a load, at once or when the socket listens.
    /// - Parameter target: path, query and fragment; nil: the start page.
    mutating func load(_ view: WebViewID, _ moment: Updater.Moment, _ target: String?) {
        let request = LoadRequests.Request(
            token: secrets.newToken(), view: view, moment: moment, target: target ?? "/")
        webViews.expectDocument(of: request.token, in: view, byHost: true)
        if view == .first { cover() }
        if port.isListening { send(request) } else { loads.wait(request) }
    }

    mutating func send(_ request: LoadRequests.Request) {
        loads.addSent(request)
        effects.append(.load(request.view, url: url(of: request)))
    }

    private func url(of request: LoadRequests.Request) -> String {
        let fragment = LinkText.fragment(of: request.target)
        let target = request.target.dropLast(fragment.count)
        let separator = target.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        return "http://localhost:\(port.number)\(target)\(separator)"
            + "otalab-key=\(secrets.sessionKey)&otalab-load=\(request.token.text)\(fragment)"
    }
}
