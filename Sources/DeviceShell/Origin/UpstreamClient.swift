import Core
import LocalServer

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Bionic)
    import Bionic
#endif

/// Carries the local server's connections to the remote root over plain TCP, as
/// ``LocalServer/Effect/upstream(_:_:)`` specifies.
///
/// Guarantees: bytes are read only on request, so that a slow page slows its upstream; each `send` is
/// answered by one `sent`, each `receive` by one `bytes` or `ended`, unless the connection fails; no event
/// follows `close`; a host's addresses are tried side by side (``HostConnector``). Errors are an
/// `UpstreamFailure`. Deliberately not here: time limits and HTTP, which the server handles, and TLS
/// (``AppLoop/UpstreamTransport``): a remote root over https fails as `tlsNotAvailable`.
final class UpstreamClient {
    /// Receives the events of all connections; may be called from within any method.
    var deliver: (UpstreamID, UpstreamEvent) -> Void = { _, _ in }
    /// Requests a host's addresses; they are passed to ``resolved(_:_:)`` on this thread.
    var resolve: (UpstreamID, String, UInt16) -> Void = { _, _, _ in }

    private let poller: Poller
    private let connector: HostConnector<UpstreamID>
    private var connections: [UpstreamID: Connection] = [:]
    private var idFor: [Int32: UpstreamID] = [:]
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    private struct Connection {
        var descriptor: Int32?
        var isConnected = false
        var output: [UInt8] = []
        /// Bytes of the output sent so far.
        var sent = 0
        var isSending = false
        var isReceiving = false
    }

    init(_ poller: Poller, _ clock: any DeviceClock) {
        self.poller = poller
        connector = HostConnector(poller, clock)
        connector.ended = { [unowned self] in connectingEnded($0, $1) }
    }

    deinit { for connection in connections.values { connection.descriptor.map(SocketCalls.close) } }

    func call(_ id: UpstreamID, _ call: UpstreamCommand) {
        switch call {
        case .open(let root):
            guard !root.isSecure else { return deliver(id, .failed(.tlsNotAvailable)) }
            connections[id] = Connection()
            var host = root.host
            if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
            resolve(id, host, root.port)
        case .send(let bytes):
            guard connections[id]?.isConnected == true else { return }
            connections[id]?.output = bytes
            connections[id]?.sent = 0
            connections[id]?.isSending = true
            send(id)
        case .receive:
            connections[id]?.isReceiving = true
            watch(id)
        case .finish: connections[id]?.descriptor.map(SocketCalls.endSending)
        case .close: drop(id)
        }
    }

    func resolved(_ id: UpstreamID, _ addresses: [SocketAddress]) {
        guard connections[id] != nil else { return }
        guard !addresses.isEmpty else { return fail(id, .nameNotResolved) }
        connector.connect(id, addresses)
    }

    // MARK: - Events of the poller

    func owns(_ descriptor: Int32) -> Bool { idFor[descriptor] != nil || connector.owns(descriptor) }

    func ready(_ ready: Poller.Ready) {
        if connector.owns(ready.descriptor) { return connector.ready(ready.descriptor) }
        guard let id = idFor[ready.descriptor] else { return }
        if ready.canWrite, connections[id]?.isSending == true { send(id) }
        guard ready.canRead, idFor[ready.descriptor] == id else { return }
        if connections[id]?.isReceiving == true {
            receive(id)
        } else if !ready.canWrite || connections[id]?.isSending == false {
            // Reported without interest: the connection has failed, or both sides are closed, which the
            // poller would report again and again. The next `receive` watches it again.
            if let failure = SocketCalls.failure(of: ready.descriptor) {
                fail(id, failure)
            } else {
                poller.forget(ready.descriptor)
            }
        }
    }

    /// Earliest instant at which another attempt to connect begins; nil when there is none.
    var nextDeadline: Instant? { connector.nextDeadline }

    func timePassed() { connector.timePassed() }

    // MARK: - Connecting

    private func connectingEnded(_ id: UpstreamID, _ result: Result<Int32, SystemError>) {
        switch result {
        case .success(let descriptor):
            connections[id]?.descriptor = descriptor
            connections[id]?.isConnected = true
            idFor[descriptor] = id
            watch(id)
            deliver(id, .connected)
        case .failure(let error): fail(id, error)
        }
    }

    // MARK: - Bytes

    private func watch(_ id: UpstreamID) {
        guard let connection = connections[id], let descriptor = connection.descriptor, connection.isConnected
        else { return }
        var interest: Poller.Interest = []
        if connection.isReceiving { interest.insert(.reads) }
        if connection.isSending { interest.insert(.writes) }
        do throws(SystemError) {
            try poller.watch(descriptor, interest)
        } catch {
            fail(id, error)
        }
    }

    private func send(_ id: UpstreamID) {
        guard var connection = connections[id], let descriptor = connection.descriptor else { return }
        do throws(SystemError) {
            while connection.sent < connection.output.count {
                let count = try SocketCalls.send(
                    descriptor, connection.output[connection.sent...], isFollowed: false)
                guard let count else { break }
                connection.sent += count
            }
        } catch {
            // An early answer that the remote root sent before it closed may still be read.
            connection.sent = connection.output.count
        }
        connection.isSending = connection.sent < connection.output.count
        connections[id] = connection
        watch(id)
        if !connection.isSending { deliver(id, .sent) }
    }

    private func receive(_ id: UpstreamID) {
        guard let descriptor = connections[id]?.descriptor else { return }
        let count: Int?
        do throws(SystemError) {
            count = try SocketCalls.receive(descriptor, into: &buffer)
        } catch {
            return fail(id, error)
        }
        guard let count else { return }
        connections[id]?.isReceiving = false
        watch(id)
        deliver(id, count == 0 ? .ended : .bytes(Array(buffer[..<count])))
    }

    // MARK: - The end

    private func fail(_ id: UpstreamID, _ error: SystemError) {
        switch error.connectionFault {
        case .refused: fail(id, .refused)
        case .unreachable: fail(id, .unreachable)
        case .timedOut: fail(id, .timedOut)
        case .reset: fail(id, .reset)
        }
    }

    private func fail(_ id: UpstreamID, _ failure: UpstreamFailure) {
        guard connections[id] != nil else { return }
        drop(id)
        deliver(id, .failed(failure))
    }

    private func drop(_ id: UpstreamID) {
        connector.cancel(id)
        guard let connection = connections.removeValue(forKey: id), let descriptor = connection.descriptor
        else { return }
        release(descriptor)
    }

    private func release(_ descriptor: Int32) {
        poller.forget(descriptor)
        idFor[descriptor] = nil
        SocketCalls.close(descriptor)
    }
}
