import Core
import DeviceShell
import LocalServer

/// The client sockets of the simulated page. Its requests are sent to the app's server over the loopback, and
/// the server's bytes are returned in the order of their arrival.
struct PageSockets {
    enum Event {
        case received(ConnectionID, [UInt8])
        /// The server has closed the connection, or it failed.
        case closed(ConnectionID)
    }

    let poller: Poller
    private var connections: [ConnectionID: Connection] = [:]
    private var ids: [Int32: ConnectionID] = [:]
    private var events: [Event] = []
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    private struct Connection {
        let descriptor: Int32
        /// Bytes that were not sent yet.
        var output: [UInt8] = []
    }

    init() throws(PortError) {
        do throws(SystemError) {
            poller = try Poller()
        } catch {
            throw .system(error.errorNumber)
        }
    }

    mutating func open(_ id: ConnectionID, port: UInt16) {
        do throws(SystemError) {
            let descriptor = try SocketCalls.connect(to: .loopback4(port: port))
            connections[id] = Connection(descriptor: descriptor)
            ids[descriptor] = id
            try poller.watch(descriptor, .reads)
        } catch {
            connectionLost(id)
        }
    }

    mutating func send(_ bytes: [UInt8], on id: ConnectionID) {
        connections[id]?.output += bytes
        flush(id)
    }

    mutating func close(_ id: ConnectionID) {
        guard let connection = connections.removeValue(forKey: id) else { return }
        ids[connection.descriptor] = nil
        poller.forget(connection.descriptor)
        SocketCalls.close(connection.descriptor)
    }

    mutating func closeAll() {
        for id in connections.keys.sorted() { close(id) }
        events = []
    }

    /// Events since the last call; does not wait.
    mutating func take() throws(PortError) -> [Event] {
        do throws(SystemError) {
            for ready in try poller.wait(.zero) {
                guard let id = ids[ready.descriptor] else { continue }
                if ready.canWrite { flush(id) }
                if ready.canRead { receive(id) }
            }
        } catch {
            throw .system(error.errorNumber)
        }
        defer { events = [] }
        return events
    }

    private mutating func receive(_ id: ConnectionID) {
        guard let connection = connections[id] else { return }
        do throws(SystemError) {
            guard let count = try SocketCalls.receive(connection.descriptor, into: &buffer) else { return }
            if count == 0 { return connectionLost(id) }
            events.append(.received(id, Array(buffer[..<count])))
        } catch {
            connectionLost(id)
        }
    }

    private mutating func flush(_ id: ConnectionID) {
        guard var connection = connections[id] else { return }
        do throws(SystemError) {
            while !connection.output.isEmpty {
                guard
                    let count = try SocketCalls.send(
                        connection.descriptor, connection.output[...], isFollowed: false)
                else { break }
                connection.output.removeFirst(count)
            }
            connections[id] = connection
            try poller.watch(connection.descriptor, connection.output.isEmpty ? .reads : [.reads, .writes])
        } catch {
            connectionLost(id)
        }
    }

    private mutating func connectionLost(_ id: ConnectionID) {
        close(id)
        events.append(.closed(id))
    }
}
