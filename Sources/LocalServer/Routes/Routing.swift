import HTTP1

/// Who answers which path now, and where API requests go.
///
/// **Invariants.** The bridge's path is never forwarded or given to a handler, whatever the table says. An
/// upstream id is never used again in this process.
struct Routing: Equatable, Sendable {
    static let bridgePath = "/__otalab/bridge"

    var table: RouteTable
    /// nil: API requests get 502.
    var remoteRoot: RemoteRoot?
    private var nextUpstream: UInt32 = 1

    init(table: RouteTable, remoteRoot: RemoteRoot?) {
        self.table = table
        self.remoteRoot = remoteRoot
    }

    /// What an entry of the table demands of an answer with the version's files.
    enum RouteIntent: Hashable, Sendable {
        /// No entry matches: files, then the index for document navigations.
        case usual
        /// The index alone answers.
        case index
        /// The index never answers.
        case file
    }

    func isBridge(_ head: RequestHead) -> Bool { head.path?.path == Routing.bridgePath }

    func target(of head: RequestHead) -> RouteTarget? { table.entry(for: head)?.target }

    /// Whether the remote root may open a WebSocket for this request; nil where it does not answer it.
    func remoteUpgrades(for head: RequestHead) -> Bool? {
        guard !isBridge(head), case .remote(let upgrades) = target(of: head) else { return nil }
        return upgrades
    }

    func intent(for head: RequestHead) -> RouteIntent {
        switch target(of: head) {
        case .site: .index
        case .file: .file
        case nil, .folder, .handler, .remote: .usual
        }
    }

    /// Whether the request's content is collected, because the bridge or a handler gets it whole.
    func readsBody(of head: RequestHead) -> Bool {
        if isBridge(head) { return true }
        guard case .handler = target(of: head) else { return false }
        return true
    }

    mutating func newUpstream() -> UpstreamID {
        defer { nextUpstream += 1 }
        return UpstreamID(nextUpstream)
    }
}
