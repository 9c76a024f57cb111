import DeviceShell

/// Non-blocking sockets of one poller, known by ids: sends what is queued as the sockets take it, and reports
/// what arrives in the order of its arrival.
///
/// What can go wrong with a socket is the end of its connection (``Event/closed(_:)``), never an error.
struct PolledSockets<ID: Hashable & Comparable & Sendable> {
    enum Event {
        case received(ID, [UInt8])
        /// The peer has closed the connection, or it failed.
        case closed(ID)
    }

    enum Ending {
        /// Nothing more is sent; the peer's bytes are still read.
        case orderly
        case reset
    }

    let poller: Poller
    private var connections: [ID: Connection] = [:]
    private var ids: [Int32: ID] = [:]
    private var events: [Event] = []
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    private struct Connection {
        /// nil: it is expected, and what is sent on it waits.
        var descriptor: Int32?
        /// Bytes that were not sent yet.
        var output: [UInt8] = []
        /// How the connection ends when all bytes are sent.
        var ending: Ending?
    }

    /// Whether there is no connection, and none is expected.
    var isEmpty: Bool { connections.isEmpty }

    init() throws(PortError) {
        do throws(SystemError) {
            poller = try Poller()
        } catch {
            throw .system(error.errorNumber)
        }
    }

    /// A connection that is not there yet.
    mutating func expect(_ id: ID) { connections[id] = Connection() }

    /// The socket of a connection, which now owns it.
    mutating func add(_ descriptor: Int32, for id: ID) throws(SystemError) {
        connections[id, default: Connection()].descriptor = descriptor
        ids[descriptor] = id
        try poller.watch(descriptor, .reads)
        flush(id)
    }

    mutating func send(_ bytes: [UInt8], on id: ID) {
        connections[id]?.output += bytes
        flush(id)
    }

    /// Ends the connection when all bytes are sent.
    mutating func end(_ id: ID, _ ending: Ending) {
        connections[id]?.ending = ending
        flush(id)
    }

    mutating func close(_ id: ID) {
        guard let descriptor = connections.removeValue(forKey: id)?.descriptor else { return }
        ids[descriptor] = nil
        poller.forget(descriptor)
        SocketCalls.close(descriptor)
    }

    mutating func closeAll() {
        for id in connections.keys.sorted() { close(id) }
        events = []
    }

    /// Does what the sockets are ready for; does not wait.
    /// - Returns: descriptors that are ready and no connection's.
    mutating func poll() throws(PortError) -> [Int32] {
        var others: [Int32] = []
        do throws(SystemError) {
            for ready in try poller.wait(.zero) {
                guard let id = ids[ready.descriptor] else {
                    others.append(ready.descriptor)
                    continue
                }
                if ready.canWrite { flush(id) }
                if ready.canRead { receive(id) }
            }
        } catch {
            throw .system(error.errorNumber)
        }
        return others
    }

    /// Events since the last call.
    mutating func takeEvents() -> [Event] {
        defer { events = [] }
        return events
    }

    mutating func connectionLost(_ id: ID) {
        close(id)
        events.append(.closed(id))
    }

    private mutating func receive(_ id: ID) {
        guard let descriptor = connections[id]?.descriptor else { return }
        do throws(SystemError) {
            guard let count = try SocketCalls.receive(descriptor, into: &buffer) else { return }
            if count == 0 { return connectionLost(id) }
            events.append(.received(id, Array(buffer[..<count])))
        } catch {
            connectionLost(id)
        }
    }

    private mutating func flush(_ id: ID) {
        guard var connection = connections[id], let descriptor = connection.descriptor else { return }
        do throws(SystemError) {
            while !connection.output.isEmpty {
                let count = try SocketCalls.send(descriptor, connection.output[...], isFollowed: false)
                guard let count else { break }
                connection.output.removeFirst(count)
            }
            connections[id] = connection
            guard connection.output.isEmpty else { return try poller.watch(descriptor, [.reads, .writes]) }
            switch connection.ending {
            case nil: try poller.watch(descriptor, .reads)
            case .orderly: SocketCalls.endSending(descriptor)
            case .reset:
                ids[descriptor] = nil
                poller.forget(descriptor)
                connections[id] = nil
                SocketCalls.reset(descriptor)
            }
        } catch {
            connectionLost(id)
        }
    }
}
