import Core

/// The accepted connections, in the order in which they were opened.
///
/// **Invariants.**
/// - Each id occurs once. The shell never uses an id again, so a removed connection never comes back.
/// - There are at most ``LocalServer/Limits/connections``, and at most ``LocalServer/Limits/unauthenticated``
///   of them have not shown the session key, if ``admission`` is observed before each ``add(_:)``.
/// - `lastUse` differs between any two connections, so that "the longest idle one" is always one.
struct ConnectionTable: Equatable, Sendable {
    private var connections: [Connection] = []
    /// Openings and requests counted so far, for ``Connection/lastUse``.
    private var uses = 0
    let limits: LocalServer.Limits

    init(limits: LocalServer.Limits) { self.limits = limits }

    var all: [Connection] { connections }

    var last: Connection? { connections.last }

    func index(of id: ConnectionID) -> Int? { connections.firstIndex { $0.id == id } }

    /// Index of the connection whose request is forwarded on this upstream connection.
    func index(of upstream: UpstreamID) -> Int? {
        connections.firstIndex { $0.exchange?.upstream == upstream }
    }

    /// Index of a connection whose request is being forwarded to the remote root.
    func proxyingIndex(of id: ConnectionID) -> Int? {
        index(of: id).flatMap { connections[$0].exchange == nil ? nil : $0 }
    }

    var indices: Range<Int> { connections.indices }

    subscript(index: Int) -> Connection {
        get { connections[index] }
        _modify { yield &connections[index] }
    }

    mutating func add(_ id: ConnectionID) {
        connections.append(Connection(id: id, limits: limits))
        markUsed(connections.count - 1)
    }

    mutating func remove(_ id: ConnectionID) { connections.removeAll { $0.id == id } }

    /// Marks this connection as the most recently used one.
    mutating func markUsed(_ index: Int) {
        uses += 1
        connections[index].lastUse = uses
    }
}
