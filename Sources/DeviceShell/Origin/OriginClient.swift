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

/// Carries the updater's requests to an origin over plain TCP, HTTP/1.1.
///
/// VerificationSummary
/// - Each request ends with exactly one `end` or `failed`, unless it was cancelled; bytes come in order, at
///   most 64 KiB at once, decoded of their framing and of nothing else.
/// - A connection is used again after an answer that allows it, at most 30 s later. A request on such a
///   connection that finds it closed before a byte of an answer is sent once more on a new one
///   (RFC 9112 §9.3.1); nothing else is tried twice: that is the updater's to decide.
/// - Names are resolved on another thread; connecting has a limit (U5).
///
/// What can go wrong is a ``TransferFailure``. Deliberately not here: TLS (a request to https fails as
/// insecure), redirects, codings, caching, any time limit but that of connecting.
package final class OriginClient {
    /// What became of a request; may be called from within any call.
    var deliver: (TransferID, TransferEvent) -> Void = { _, _ in }
    /// Asks for a host's addresses; the answer comes to ``resolved(_:_:)`` on this thread.
    var resolve: (TransferID, OriginAddress) -> Void = { _, _ in }

    private let poller: Poller
    private let clock: any DeviceClock
    private var exchanges: [TransferID: Exchange] = [:]
    private var idFor: [Int32: TransferID] = [:]
    private var kept: [Kept] = []
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    /// For connecting, over all addresses of a host (U5).
    var connectTime = TimeSpan.seconds(15)
    static let keepTime = TimeSpan.seconds(30)

    private struct Exchange {
        var id: TransferID
        var address: OriginAddress
        var request: [UInt8]
        var method: RequestMethod
        var descriptor: Int32?
        var others: [SocketAddress] = []
        var isConnected = false
        /// On a connection that carried another request before.
        var isReused = false
        var connectUntil: Instant
        var sent = 0
        var hasAnswer = false
        var keepsAlive = false
        var parser = ResponseParser()
    }

    /// A connection that waits for another request to the same place.
    private struct Kept {
        var descriptor: Int32
        var host: String
        var port: UInt16
        var until: Instant
    }

    init(_ poller: Poller, _ clock: any DeviceClock) {
        self.poller = poller
        self.clock = clock
    }

    deinit {
        for exchange in exchanges.values { exchange.descriptor.map(SocketCalls.close) }
        for connection in kept { SocketCalls.close(connection.descriptor) }
    }

    // MARK: - What is asked of it

    func begin(_ id: TransferID, _ request: OriginRequest) {
        guard let address = OriginAddress(request.url) else { return deliver(id, .failed(.nameNotResolved)) }
        guard !address.isSecure else { return deliver(id, .failed(.insecure)) }
        let method: RequestMethod = request.body.isEmpty ? .get : .post
        var exchange = Exchange(
            id: id, address: address, request: OriginClient.bytes(request, address, method), method: method,
            connectUntil: clock.now + connectTime)
        exchange.parser.expect(method)
        exchanges[id] = exchange
        if let known = kept.lastIndex(where: { $0.host == address.host && $0.port == address.port }) {
            let connection = kept.remove(at: known)
            exchanges[id]?.isReused = true
            exchanges[id]?.isConnected = true
            own(connection.descriptor, id)
            send(id)
        } else {
            resolve(id, address)
        }
    }

    func cancel(_ id: TransferID) {
        guard let exchange = exchanges.removeValue(forKey: id) else { return }
        exchange.descriptor.map(drop)
    }

    func resolved(_ id: TransferID, _ addresses: [SocketAddress]) {
        guard exchanges[id] != nil else { return }
        guard !addresses.isEmpty else { return fail(id, .nameNotResolved) }
        exchanges[id]?.others = addresses
        connect(id, after: nil)
    }

    // MARK: - What the poller says

    func owns(_ descriptor: Int32) -> Bool {
        idFor[descriptor] != nil || kept.contains { $0.descriptor == descriptor }
    }

    func ready(_ ready: Poller.Ready) {
        guard let id = idFor[ready.descriptor] else {
            // A kept connection speaks only to say that it is over.
            kept.removeAll { $0.descriptor == ready.descriptor }
            return drop(ready.descriptor)
        }
        if exchanges[id]?.isConnected == false {
            if let failure = SocketCalls.failure(of: ready.descriptor) { return connect(id, after: failure) }
            exchanges[id]?.isConnected = true
            return send(id)
        }
        if ready.canWrite { send(id) }
        if ready.canRead, idFor[ready.descriptor] == id { receive(id) }
    }

    /// When something is to be given up.
    var nextDeadline: Instant? {
        let connecting = exchanges.values.filter { !$0.isConnected }.map(\.connectUntil)
        return (connecting + kept.map(\.until)).min()
    }

    /// A name is looked up, a connection is opened, or a request has not left.
    package var isConnecting: Bool {
        exchanges.values.contains { !$0.isConnected || $0.sent < $0.request.count }
    }

    /// Requests that have not ended.
    package var openCount: Int { exchanges.count }

    func timePassed() {
        let now = clock.now
        for exchange in exchanges.values where !exchange.isConnected && exchange.connectUntil <= now {
            fail(exchange.id, .connectTimeout)
        }
        for connection in kept where connection.until <= now { drop(connection.descriptor) }
        kept.removeAll { $0.until <= now }
    }

    // MARK: - Connecting

    /// The host's next address, or the failure of the last one.
    private func connect(_ id: TransferID, after failure: SystemError?) {
        if let former = exchanges[id]?.descriptor { drop(former) }
        exchanges[id]?.descriptor = nil
        var others = exchanges[id]?.others ?? []
        do throws(SystemError) {
            own(try SocketCalls.connect(toNextOf: &others, after: failure), id)
            exchanges[id]?.others = others
            watch(id, .writes)
        } catch {
            fail(id, OriginClient.failure(error))
        }
    }

    private func own(_ descriptor: Int32, _ id: TransferID) {
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

    /// One portion; the poller tells when there is more, so that other sockets have their turn.
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
            let fields = head.fields.fields.map { OriginField($0.name, $0.value) }
            deliver(id, .head(status: head.status.code, fields: fields))
        case .body(let bytes): deliver(id, .bytes(bytes))
        case .end: finish(id)
        case .failure(let failure): fail(id, failure == .truncated ? .truncated : .reset)
        }
    }

    /// The origin will say nothing more.
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
            kept.append(
                Kept(
                    descriptor: descriptor, host: exchange.address.host, port: exchange.address.port,
                    until: clock.now + OriginClient.keepTime))
        } else {
            drop(descriptor)
        }
        deliver(id, .end)
    }

    /// The connection is gone. One that was kept may have been closed just when the request went out.
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
        exchange.connectUntil = clock.now + connectTime
        exchanges[id] = exchange
        resolve(id, exchange.address)
    }

    private func fail(_ id: TransferID, _ failure: TransferFailure) {
        guard let exchange = exchanges.removeValue(forKey: id) else { return }
        exchange.descriptor.map(drop)
        deliver(id, .failed(failure))
    }

    private func drop(_ descriptor: Int32) {
        poller.forget(descriptor)
        idFor[descriptor] = nil
        SocketCalls.close(descriptor)
    }

    // MARK: - Words

    private static func bytes(
        _ request: OriginRequest, _ address: OriginAddress, _ method: RequestMethod
    ) -> [UInt8] {
        var fields = HeaderFields()
        fields.append("Host", address.authority)
        for field in request.fields { fields.append(field.name, field.value) }
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
