import Core
import HTTP1

/// What the route table and mock handlers answer.
extension LocalServer {
    /// Whether the remote root answers this request, and whether it may open a WebSocket there; nil: we do.
    func remoteRow(for head: RequestHead) -> Bool? {
        guard !isBridge(head), mocks.handler(for: head) == nil,
            case .remote(let upgrades) = configuration.routes.row(for: head)?.target
        else { return nil }
        return upgrades
    }

    /// - Returns: false when the usual way answers.
    mutating func byTable(_ id: ConnectionID, _ head: RequestHead, _ disk: inout some Disk) -> Bool {
        if let place = mocks.handler(for: head) {
            mock(id, place)
            return true
        }
        switch configuration.routes.row(for: head)?.target {
        case nil, .site, .file: return false
        case .folder(let site, let age):
            folder(id, head, site, age, &disk)
            return true
        case .remote:
            // Passed on with its head, unless a handler was switched off while its body came.
            refuse(id, .unavailable, "the mock handler was switched off")
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
        switch configuration.routes.row(for: head)?.target {
        case .site: .index
        case .file: .file
        case nil, .folder, .remote: .usual
        }
    }

    enum RouteIntent: Hashable, Sendable {
        case usual
        case index
        case file
    }

    // MARK: Mock handlers

    private mutating func mock(_ id: ConnectionID, _ handler: Int) {
        guard let answer = mocks.take(handler), let place = place(id) else {
            return refuse(id, .notFound, "nothing is there")
        }
        connections[place].mock = answer
        guard answer.delay > .zero else { return mockIsDue(id) }
        connections[place].state = .mocking
        setTimer(.mock(id), answer.delay, id)
    }

    mutating func mockIsDue(_ id: ConnectionID) {
        guard let place = place(id), let answer = connections[place].mock else { return }
        connections[place].mock = nil
        send(id, answer.status, answer.fields, answer.status.neverHasContent ? [] : answer.body)
    }
}
