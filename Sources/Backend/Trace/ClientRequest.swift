import ScenarioLanguage

/// A request that a client other than the app's pages sent to the local server (rule S6).
package struct ClientRequest: Hashable, Sendable {
    package var kind: ClientKind
    package var method: String
    /// Path and query.
    package var target: String
    package var fields: [ForwardedRequest.Field]
    /// Whether it has the cookies of the app's pages, the server's key among them.
    package var hasKey: Bool
    /// Whether its `Host` is this server's.
    package var namesOwnHost: Bool

    package init(
        kind: ClientKind, method: String, target: String, fields: [ForwardedRequest.Field], hasKey: Bool,
        namesOwnHost: Bool
    ) {
        self.kind = kind
        self.method = method
        self.target = target
        self.fields = fields
        self.hasKey = hasKey
        self.namesOwnHost = namesOwnHost
    }
}
