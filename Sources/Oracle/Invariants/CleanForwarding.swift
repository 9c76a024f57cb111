import Backend
import Core
import Updater

/// S7: the remote root receives the request, and nothing of the local server.
///
/// A request that reached the remote root names neither this server's key nor a page load, in its target or
/// in any field, has none of the fields that belong to the page's own connection, and names its own host as
/// `Host`, `Origin` and `Referer`.
///
/// Silent about: whether the request arrives, and what else is in it; `Connection` with `close` or, where the
/// connection becomes a WebSocket, `Upgrade`, and the framing of a chunked body, which are this connection's.
struct CleanForwarding: RuleChecker {
    let rule = "S7"
    var decided = 0

    /// Query items and cookies of the local server begin so.
    private static let marks = ["otalab-key", "otalab-load"]
    /// Names of the local server, on whatever port; no remote root of the laboratory has them.
    private static let ownHosts = ["localhost", "127.0.0.1", "[::1]"]
    /// Fields of a connection (RFC 9110 §7.6.1), without those that are checked by their value.
    private static let hopByHop = [
        "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization", "te", "trailer",
    ]

    /// Adds nothing: this checker has no memory.
    func hashMemory(into hasher: inout Hasher) {}

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        guard case .forwarded(let request) = event.kind else { return nil }
        decided += 1
        if CleanForwarding.marks.contains(where: { request.target.contains($0) }) {
            return violation(request, "the target \(request.target)")
        }
        for field in request.fields where isOfServer(field, request) {
            return violation(request, "\(field.name): \(field.value)")
        }
        return nil
    }

    private func isOfServer(_ field: ForwardedRequest.Field, _ request: ForwardedRequest) -> Bool {
        if CleanForwarding.marks.contains(where: { field.value.contains($0) }) { return true }
        let name = field.name.lowercased()
        let value = field.value.lowercased()
        if CleanForwarding.hopByHop.contains(name) { return true }
        let isWebSocket = request.value(of: "upgrade") == "websocket"
        switch name {
        case "connection": return value != (isWebSocket ? "upgrade" : "close")
        case "upgrade": return !isWebSocket
        case "transfer-encoding": return value != "chunked"
        case "host", "origin", "referer":
            return CleanForwarding.ownHosts.contains { value.contains($0) }
        default: return false
        }
    }

    private func violation(_ request: ForwardedRequest, _ what: String) -> Violation {
        Violation(
            "The remote root received what is the local server's own",
            expected: "\(request.method) \(request.target) without it", actual: ViolationText(what))
    }
}

extension ForwardedRequest {
    /// Value of the first field of a name, in lower case.
    fileprivate func value(of name: String) -> String? {
        fields.first { $0.name.lowercased() == name }?.value.lowercased()
    }
}
