import Core
import HTTP1
import Updater

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Bionic)
    import Bionic
#endif

/// Carries the updater's requests to an origin over plain TCP, with HTTP/1.1.
///
/// Guarantees
/// - Each request ends with exactly one `end` or `failed`, unless it is cancelled. Bytes are delivered in
///   order, at most 64 KiB at once; only the transfer framing is decoded. They are read only while the loop
///   permits it, so that an origin is not faster than what handles its responses.
/// - A connection is reused for at most 30 s after an answer that permits it. When a reused connection turns
///   out to be closed before any byte of an answer, a GET request is sent once more on a new connection (RFC
///   9112 §9.3.1). Nothing else is retried, because the updater decides about retries.
/// - Names are resolved on another thread; a host's addresses are tried side by side (``HostConnector``);
///   connecting has a time limit as a whole (U5).
///
/// Errors are a ``TransferFailure``. Deliberately not here: TLS (a request to https fails as insecure),
/// redirects, content codings, caching, and all time limits but that of connecting.
package final class OriginClient {
    /// Receives the events of all requests; may be called from within any method.
    var deliver: (TransferID, TransferEvent) -> Void = { _, _ in }
    /// Requests a host's addresses; they are passed to ``resolved(_:_:)`` on this thread.
    var resolve: (TransferID, OriginAddress) -> Void = { _, _ in }

    private let poller: Poller
    private let clock: any DeviceClock
    private let connector: HostConnector<TransferID>
    private var exchanges: [TransferID: Exchange] = [:]
    private var idFor: [Int32: TransferID] = [:]
    private var idle: [IdleConnection] = []
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    /// Time limit of connecting, over all addresses of a host (U5).
    var connectTime = TimeSpan.seconds(15)
    /// Longest time that a connection waits for another request.
    static let idleTime = TimeSpan.seconds(30)

    private struct Exchange {
        var id: TransferID
        var address: OriginAddress
        var request: [UInt8]
        var method: RequestMethod
        var descriptor: Int32?
        var isConnected = false
        /// Whether the connection carried another request before.
        var isReused = false
        var connectDeadline: Instant
        /// Bytes of the request sent so far.
        var sent = 0
        var hasAnswer = false
        var keepsAlive = false
        var parser = ResponseParser(syntax: .tolerant)
    }

    /// A connection that waits for another request to the same host and port.
    private struct IdleConnection {
        var descriptor: Int32
        var host: String
        var port: UInt16
        var deadline: Instant
    }

    init(_ poller: Poller, _ clock: any DeviceClock) {
        self.poller = poller
        self.clock = clock
        connector = HostConnector(poller, clock)
        connector.ended = { [unowned self] in connectingEnded($0, $1) }
    }

    deinit {
        for exchange in exchanges.values { exchange.descriptor.map(SocketCalls.close) }
        for connection in idle { SocketCalls.close(connection.descriptor) }
    }

    // MARK: - Requests

    func begin(_ id: TransferID, _ request: OriginRequest) {
        guard let address = OriginAddress(request.url) else { return deliver(id, .failed(.nameNotResolved)) }
        guard !address.isSecure else { return deliver(id, .failed(.insecure)) }
        let method: RequestMethod = request.body.isEmpty ? .get : .post
        var exchange = Exchange(
            id: id, address: address, request: OriginClient.bytes(request, address, method), method: method,
            connectDeadline: clock.now + connectTime)
        exchange.parser.expect(method)
        exchanges[id] = exchange
        if let index = idle.lastIndex(where: { $0.host == address.host && $0.port == address.port }) {
            let connection = idle.remove(at: index)
            exchanges[id]?.isReused = true
            exchanges[id]?.isConnected = true
            assign(connection.descriptor, id)
            send(id)
        } else {
            resolve(id, address)
        }
    }

    func cancel(_ id: TransferID) {
        guard let exchange = exchanges.removeValue(forKey: id) else { return }
        connector.cancel(id)
        exchange.descriptor.map(drop)
    }

    func resolved(_ id: TransferID, _ addresses: [SocketAddress]) {
        guard exchanges[id] != nil else { return }
        guard !addresses.isEmpty else { return fail(id, .nameNotResolved) }
        connector.connect(id, addresses)
    }

    // MARK: - Events of the poller

    func owns(_ descriptor: Int32) -> Bool {
        idFor[descriptor] != nil || connector.owns(descriptor)
            || idle.contains { $0.descriptor == descriptor }
    }

    /// - Parameter mayReceive: whether more of a response is read; what is not read is reported again.
    func ready(_ ready: Poller.Ready, mayReceive: Bool) {
        if connector.owns(ready.descriptor) { return connector.ready(ready.descriptor) }
        guard let id = idFor[ready.descriptor] else {
            // An idle connection becomes ready only when the origin has closed it.
            idle.removeAll { $0.descriptor == ready.descriptor }
            return drop(ready.descriptor)
        }
        if ready.canWrite { send(id) }
        if ready.canRead, mayReceive, idFor[ready.descriptor] == id { receive(id) }
    }

    /// Earliest instant at which a connection is to be begun or given up; nil when there is none.
    var nextDeadline: Instant? {
        let connecting = exchanges.values.filter { !$0.isConnected }.map(\.connectDeadline)
        return (connecting + idle.map(\.deadline) + [connector.nextDeadline].compactMap { $0 }).min()
    }

    /// Whether a name is being resolved, a connection opened or a request sent.
    package var isConnecting: Bool {
        exchanges.values.contains { !$0.isConnected || $0.sent < $0.request.count }
    }

    /// Number of requests that have not ended.
    package var openCount: Int { exchanges.count }

    /// The process did not run for this time, in which it noticed no connection.
    func frozen(for span: TimeSpan) {
        for id in Array(exchanges.keys) {
            if let deadline = exchanges[id]?.connectDeadline {
                exchanges[id]?.connectDeadline = deadline + span
            }
        }
    }

    /// Gives up what is overdue, and begins the attempts that are due.
    func timePassed() {
        let now = clock.now
        guard let next = nextDeadline, next <= now else { return }
        connector.timePassed()
        for exchange in exchanges.values where !exchange.isConnected && exchange.connectDeadline <= now {
            fail(exchange.id, .connectTimeout)
        }
        for connection in idle where connection.deadline <= now { drop(connection.descriptor) }
        idle.removeAll { $0.deadline <= now }
    }

    // MARK: - Connecting

    private func connectingEnded(_ id: TransferID, _ result: Result<Int32, SystemError>) {
        switch result {
        case .success(let descriptor):
            assign(descriptor, id)
            exchanges[id]?.isConnected = true
            send(id)
        case .failure(let error): fail(id, OriginClient.failure(error))
        }
    }

    private func assign(_ descriptor: Int32, _ id: TransferID) {
        exchanges[id]?.descriptor = descriptor
        idFor[descriptor] = id
    }

    private func watch(_ id: TransferID, _ interest: Poller.Interest) {
        guard let descriptor = exchanges[id]?.descriptor else { return }
        do throws(SystemError) {
            try poller.watch(descriptor, interest)
        } catch {
            fail(id, OriginClient.failure(error))
        }
    }

    // MARK: - Bytes

    private func send(_ id: TransferID) {
        guard let exchange = exchanges[id], let descriptor = exchange.descriptor else { return }
        var sent = exchange.sent
        do throws(SystemError) {
            while sent < exchange.request.count {
                let count = try SocketCalls.send(descriptor, exchange.request[sent...], isFollowed: false)
                guard let count else { break }
                sent += count
            }
        } catch {
            return broken(id, OriginClient.failure(error))
        }
        exchanges[id]?.sent = sent
        watch(id, sent < exchange.request.count ? [.reads, .writes] : .reads)
    }

    /// Receives one portion, so that other sockets are served; the poller reports when there is more.
    private func receive(_ id: TransferID) {
        guard let descriptor = exchanges[id]?.descriptor else { return }
        let count: Int?
        do throws(SystemError) {
            count = try SocketCalls.receive(descriptor, into: &buffer)
        } catch {
            return broken(id, OriginClient.failure(error))
        }
        guard let count else { return }
        if count == 0 { return ended(id) }
        exchanges[id]?.parser.append(buffer[..<count])
        exchanges[id]?.hasAnswer = true
        while let event = exchanges[id]?.parser.next() { take(event, id) }
    }

    private func take(_ event: ResponseParser.Event, _ id: TransferID) {
        switch event {
        case .interim: break
        case .head(let head, _):
            exchanges[id]?.keepsAlive = head.keepsAlive
            deliver(id, .head(status: head.status.code, fields: head.fields))
        case .body(let bytes): deliver(id, .bytes(bytes))
        case .end: finish(id)
        case .failure(let failure): fail(id, failure == .truncated ? .truncated : .reset)
        }
    }

    /// The origin has closed its side.
    private func ended(_ id: TransferID) {
        if let exchange = exchanges[id], !exchange.hasAnswer { return broken(id, .reset) }
        guard let event = exchanges[id]?.parser.close() else { return fail(id, .reset) }
        exchanges[id]?.keepsAlive = false
        take(event, id)
    }

    private func finish(_ id: TransferID) {
        guard let exchange = exchanges.removeValue(forKey: id), let descriptor = exchange.descriptor else {
            return
        }
        idFor[descriptor] = nil
        if exchange.keepsAlive, exchange.parser.isIdle, exchange.sent == exchange.request.count {
            idle.append(
                IdleConnection(
                    descriptor: descriptor, host: exchange.address.host, port: exchange.address.port,
                    deadline: clock.now + OriginClient.idleTime))
        } else {
            drop(descriptor)
        }
        deliver(id, .end)
    }

    /// The connection is lost. The origin may have closed a reused one just when the request was sent, so the
    /// request is sent once more.
    private func broken(_ id: TransferID, _ failure: TransferFailure) {
        guard var exchange = exchanges[id], exchange.isReused, !exchange.hasAnswer, exchange.method == .get
        else {
            return fail(id, failure)
        }
        exchange.descriptor.map(drop)
        exchange.descriptor = nil
        exchange.isReused = false
        exchange.isConnected = false
        exchange.sent = 0
        exchange.connectDeadline = clock.now + connectTime
        exchanges[id] = exchange
        resolve(id, exchange.address)
    }

    private func fail(_ id: TransferID, _ failure: TransferFailure) {
        guard let exchange = exchanges.removeValue(forKey: id) else { return }
        connector.cancel(id)
        exchange.descriptor.map(drop)
        deliver(id, .failed(failure))
    }

    private func drop(_ descriptor: Int32) {
        poller.forget(descriptor)
        idFor[descriptor] = nil
        SocketCalls.close(descriptor)
    }

    // MARK: - Conversions

    private static func bytes(
        _ request: OriginRequest, _ address: OriginAddress, _ method: RequestMethod
    ) -> [UInt8] {
        var fields: HeaderFields = ["Host": address.authority]
        for field in request.fields.fields { fields.append(field.name, field.value) }
        if !request.body.isEmpty { fields.append("Content-Length", String(request.body.count)) }
        return RequestHead(method, .origin(address.target), fields: fields).serialized() + request.body
    }

    private static func failure(_ error: SystemError) -> TransferFailure {
        switch error.connectionFault {
        case .refused: .refused
        case .unreachable: .offline
        case .timedOut: .connectTimeout
        case .reset: .reset
        }
    }
}
