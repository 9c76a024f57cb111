import DeviceShell
import LocalServer

/// The laboratory's end of the app's connections to the remote root of its API (rule S7): bytes that the
/// world's remote root reads, and its answers.
///
/// Each connection has a listening socket of its own, on a free port of the loopback, so that it is known
/// which of the app's connections was accepted. An id is used once.
final class RemoteSockets {
    enum Event {
        case received(UpstreamID, [UInt8])
        /// The app has closed the connection, or it failed.
        case closed(UpstreamID)
    }

    let poller: Poller
    private var connections: [UpstreamID: Connection] = [:]
    private var ids: [Int32: UpstreamID] = [:]
    private var events: [Event] = []
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    private enum Ending {
        /// The connection ends when all bytes are sent.
        case orderly
        case reset
    }

    private struct Connection {
        var listener: Int32?
        var descriptor: Int32?
        /// Bytes that were not sent yet.
        var output: [UInt8] = []
        var ending: Ending?
    }

    init() throws(PortError) {
        do throws(SystemError) {
            poller = try Poller()
        } catch {
            throw .system(error.errorNumber)
        }
    }

    deinit {
        for connection in connections.values {
            connection.listener.map(SocketCalls.close)
            connection.descriptor.map(SocketCalls.close)
        }
    }

    /// - Returns: the port at which the app's connection with this id is expected.
    func listen(for id: UpstreamID) throws(PortError) -> UInt16 {
        do throws(SystemError) {
            let listener = try SocketCalls.listen(at: .version4, port: 0)
            connections[id] = Connection(listener: listener)
            ids[listener] = id
            try poller.watch(listener, .reads)
            return try SocketCalls.port(of: listener)
        } catch {
            close(id)
            throw .system(error.errorNumber)
        }
    }

    func send(_ bytes: [UInt8], on id: UpstreamID) {
        connections[id]?.output += bytes
        flush(id)
    }

    /// Ends the connection when all bytes are sent.
    func end(_ id: UpstreamID) {
        connections[id]?.ending = .orderly
        flush(id)
    }

    /// Breaks the connection off when all bytes are sent.
    func reset(_ id: UpstreamID) {
        connections[id]?.ending = .reset
        flush(id)
    }

    func close(_ id: UpstreamID) {
        guard let connection = connections.removeValue(forKey: id) else { return }
        for descriptor in [connection.listener, connection.descriptor].compactMap({ $0 }) {
            ids[descriptor] = nil
            poller.forget(descriptor)
            SocketCalls.close(descriptor)
        }
    }

    func closeAll() {
        for id in connections.keys.sorted() { close(id) }
        events = []
    }

    /// Events since the last call; does not wait.
    func take() throws(PortError) -> [Event] {
        do throws(SystemError) {
            for ready in try poller.wait(.zero) {
                guard let id = ids[ready.descriptor] else { continue }
                if connections[id]?.listener == ready.descriptor {
                    try accept(id, ready.descriptor)
                } else {
                    if ready.canWrite { flush(id) }
                    if ready.canRead { receive(id) }
                }
            }
        } catch {
            throw .system(error.errorNumber)
        }
        defer { events = [] }
        return events
    }

    private func accept(_ id: UpstreamID, _ listener: Int32) throws(SystemError) {
        guard let descriptor = try SocketCalls.accept(listener) else { return }
        ids[listener] = nil
        poller.forget(listener)
        SocketCalls.close(listener)
        connections[id]?.listener = nil
        connections[id]?.descriptor = descriptor
        ids[descriptor] = id
        try poller.watch(descriptor, .reads)
        flush(id)
    }

    private func receive(_ id: UpstreamID) {
        guard let descriptor = connections[id]?.descriptor else { return }
        do throws(SystemError) {
            guard let count = try SocketCalls.receive(descriptor, into: &buffer) else { return }
            if count == 0 { return connectionLost(id) }
            events.append(.received(id, Array(buffer[..<count])))
        } catch {
            connectionLost(id)
        }
    }

    private func flush(_ id: UpstreamID) {
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

    private func connectionLost(_ id: UpstreamID) {
        close(id)
        events.append(.closed(id))
    }
}
