/// What the server has asked its host and the host has not answered yet, with the connection that waits.
///
/// **Invariants.** An id is never used again in this process. A connection waits for one call at most,
/// because its requests are answered one at a time; a connection that is gone waits for none.
struct HostCalls: Equatable, Sendable {
    var navigations = PendingCalls<LocalServer.NavigationID>()
    var bridge = PendingCalls<LocalServer.BridgeCallID>()
    var handlers = PendingCalls<LocalServer.HandlerCallID>()

    mutating func removeAll(of connection: ConnectionID) {
        navigations.removeAll(of: connection)
        bridge.removeAll(of: connection)
        handlers.removeAll(of: connection)
    }
}

/// An id made by counting.
protocol SequentialID: Hashable, Sendable {
    init(_ rawValue: UInt32)
}

extension LocalServer.NavigationID: SequentialID {}
extension LocalServer.BridgeCallID: SequentialID {}
extension LocalServer.HandlerCallID: SequentialID {}

/// Calls of one kind, each with the connection that waits for its result.
struct PendingCalls<ID: SequentialID>: Equatable, Sendable {
    private struct Call: Hashable, Sendable {
        var id: ID
        var connection: ConnectionID
    }

    private var calls: [Call] = []
    private var next: UInt32 = 1

    mutating func add(_ connection: ConnectionID) -> ID {
        defer { next += 1 }
        calls.append(Call(id: ID(next), connection: connection))
        return ID(next)
    }

    /// Takes out a call that has been answered.
    /// - Returns: the connection that waits; nil: it is gone, or was answered before.
    mutating func take(_ id: ID) -> ConnectionID? {
        guard let index = calls.firstIndex(where: { $0.id == id }) else { return nil }
        return calls.remove(at: index).connection
    }

    /// The call for whose result this connection waits.
    func call(of connection: ConnectionID) -> ID? { calls.first { $0.connection == connection }?.id }

    mutating func removeAll(of connection: ConnectionID) { calls.removeAll { $0.connection == connection } }
}
