import Core
import HTTP1

/// What the route table answers.
extension LocalServer {
    /// Whether the remote root answers this request, and whether it may open a WebSocket there; nil: we do.
    func remoteRow(for head: RequestHead) -> Bool? {
        guard !isBridge(head), case .remote(let upgrades) = routes.row(for: head)?.target else {
            return nil
        }
        return upgrades
    }

    /// - Returns: false when the usual way answers.
    mutating func byTable(_ id: ConnectionID, _ head: RequestHead, _ disk: inout some Disk) -> Bool {
        switch routes.row(for: head)?.target {
        case nil, .site, .file: return false
        case .folder(let site, let age):
            folder(id, head, site, age, &disk)
            return true
        case .handler(let name):
            ask(name, id, head)
            return true
        case .remote:
            // Passed on with its head, unless the table changed while its body came.
            refuse(id, .unavailable, "the routes have changed; ask again")
            return true
        }
    }

    private mutating func folder(
        _ id: ConnectionID, _ head: RequestHead, _ site: Site, _ age: TimeSpan, _ disk: inout some Disk
    ) {
        if head.method == .options { return allow(id, .noContent, LocalServer.fileMethods) }
        guard head.method == .get || head.method == .head else {
            return allow(id, .methodNotAllowed, LocalServer.fileMethods)
        }
        guard let route = head.path?.route?.text,
            let file = site.file(route.hasSuffix("/") ? route + "index.html" : route)
        else { return refuse(id, .notFound, "nothing is there") }
        send(id, head, file, site, nil, HeaderFields(), &disk, age: age)
    }

    /// Of a row that leaves the answer to the usual way: what it wants of it.
    func wish(for head: RequestHead) -> RouteIntent {
        switch routes.row(for: head)?.target {
        case .site: .index
        case .file: .file
        case nil, .folder, .handler, .remote: .usual
        }
    }

    enum RouteIntent: Hashable, Sendable {
        case usual
        case index
        case file
    }
}
