import AppHost
import Core
import LocalServer
import World

/// The connections of the world's page to a server outside of the world.
///
/// Guarantees: bytes arrive in their order, and the next piece is given to the world when it has taken the
/// one before, as from the simulated server.
package struct PageConnections {
    private struct Connection {
        /// Bytes that were received and not given to the world yet.
        var chunks: [[UInt8]] = []
        /// Whether the world has a piece and has not confirmed it yet.
        var isDelivering = false
        var isClosedByServer = false
    }

    private var sockets: PageSockets
    private var connections: [ConnectionID: Connection] = [:]
    /// Connections that may have something for the world, in the order in which it arrived.
    private var ready: [ConnectionID] = []

    package init() throws { sockets = try PageSockets() }

    /// Readable when a socket has input.
    package var descriptor: Int32 { sockets.poller.descriptor }

    package mutating func closeAll() {
        connections = [:]
        ready = []
        sockets.closeAll()
    }

    /// What the page's end of a connection does.
    package mutating func take(_ event: AppHost.ConnectionEvent, on id: ConnectionID, port: UInt16) {
        switch event {
        case .opened:
            connections[id] = Connection()
            sockets.open(id, port: port)
        case .received(let bytes): sockets.send(bytes, on: id)
        case .sent:
            connections[id]?.isDelivering = false
            ready.append(id)
        // Only a shell sends these; the world's web view receives an answer in chunks and closes both sides.
        case .progressed, .finished: break
        case .closed:
            connections[id] = nil
            sockets.close(id)
        }
    }

    /// Gives the world what has arrived.
    /// - Returns: number of pieces and ends.
    package mutating func deliver(to world: inout World) throws -> Int {
        for event in try sockets.take() {
            switch event {
            case .received(let id, let bytes):
                connections[id]?.chunks.append(bytes)
                ready.append(id)
            case .closed(let id):
                connections[id]?.isClosedByServer = true
                ready.append(id)
            }
        }
        var count = 0
        let arrived = ready
        ready = []
        for id in arrived { count += deliver(id, &world) }
        return count
    }

    private mutating func deliver(_ id: ConnectionID, _ world: inout World) -> Int {
        guard var connection = connections[id], !connection.isDelivering else { return 0 }
        if connection.chunks.isEmpty {
            guard connection.isClosedByServer else { return 0 }
            connections[id] = nil
            world.performExternalEffect(.close(id))
            return 1
        }
        let chunk = connection.chunks.removeFirst()
        connection.isDelivering = true
        connections[id] = connection
        world.performExternalEffect(.send(id, LocalServer.Output(head: chunk, body: .none)))
        return 1
    }
}
