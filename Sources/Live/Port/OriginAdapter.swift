import AppHost
import Core
import HTTP1
import Updater
import World

/// Connects an HTTP port to the origin of a simulated world. A request on the port becomes a request in the
/// world, and the bytes that the world delivers to the device are sent on the port.
///
/// Guarantees: answers are those of the world, with its faults, its times and its chunks. A body that ends
/// before its announced length closes the connection normally (`truncate`); a failure resets it. Failures
/// that a socket can't show, such as DNS errors, are resets too.
package struct OriginAdapter {
    package let port: HTTPPort
    private var exchanges: [TransferID: Exchange] = [:]
    private var transfers: [HTTPPort.ConnectionID: TransferID] = [:]
    private var nextID: UInt32 = 1

    /// A request with its answer.
    private struct Exchange {
        let connection: HTTPPort.ConnectionID
        let url: String
        /// Whether the head of the answer was sent.
        var hasHead = false
        let isHeadRequest: Bool
        let minorVersion: Int
        var keepsAlive: Bool
        /// Length of the body according to the head; nil: the body ends with the connection.
        var announcedBytes: Int?
        /// Whether the body is sent in chunks (RFC 9112 §7.1).
        var isChunked = false
        /// Bytes of the body that were sent.
        var sentBytes = 0
        /// Whether the world waits for the client to read.
        var isPaused = false
    }

    /// Bytes that a client has not read at which its transfer is paused, and at which it goes on.
    private static let unsentLimits = (pause: 1 << 20, resume: 256 << 10)

    package init(_ port: HTTPPort) { self.port = port }

    /// Number of answers that have not ended.
    package var openCount: Int { exchanges.count }

    /// Body bytes sent so far in each answer that has not ended, without those to a HEAD request.
    package var sentBytes: [(id: TransferID, count: Int)] {
        exchanges.filter { !$0.value.isHeadRequest }.map { ($0.key, $0.value.sentBytes) }
    }

    // MARK: - From the port

    /// - Parameters:
    ///   - known: the sender's own request for a URL, because HTTP does not carry all of its properties.
    ///   - isRepetition: whether a request that `known` does not know is one that the client sends again by
    ///     itself, because a connection that it had used before was reset (RFC 9112 §9.3.1). A client of the
    ///     world does not, so this one is reset too.
    /// - Returns: id of the transfer in the world; nil: the request was answered without the world.
    package mutating func receive(
        _ request: HTTPPort.Request, _ world: inout World,
        known: (String) -> (TransferID, OriginRequest)? = { _ in nil },
        isRepetition: (String) -> Bool = { _ in false }
    ) -> TransferID? {
        let head = request.head
        guard let target = head.path else {
            answer(.badRequest, request)
            return nil
        }
        var originRequest = world.originRequest(target: target, fields: head.fields, body: request.body)
        let allowed = originRequest.kind == .outcomes ? "POST" : "GET, HEAD"
        let isPOST = head.method == .post
        guard isPOST ? originRequest.kind == .outcomes : head.method == .get || head.method == .head else {
            let status: StatusCode = head.method.isKnown ? .methodNotAllowed : .notImplemented
            answer(status, request, fields: ["Allow": allowed])
            return nil
        }
        var id = TransferID(nextID)
        if let (knownID, known) = known(originRequest.url) {
            id = knownID
            originRequest.kind = known.kind
            originRequest.version = known.version
            originRequest.attempt = known.attempt
        } else if isRepetition(originRequest.url) {
            port.endAnswer(of: request.connection, .reset)
            return nil
        } else {
            nextID += 1
        }
        exchanges[id] = Exchange(
            connection: request.connection, url: originRequest.url, isHeadRequest: head.method == .head,
            minorVersion: head.minorVersion,
            keepsAlive: head.keepsAlive)
        transfers[request.connection] = id
        world.performExternalEffect(.fetch(id, originRequest))
        return id
    }

    /// Sends an answer that is not the world's.
    package func answer(
        _ status: StatusCode, _ request: HTTPPort.Request, fields extraFields: HeaderFields = [:],
        body: [UInt8] = []
    ) {
        var fields = extraFields
        fields.append("Content-Length", String(body.count))
        if !request.head.keepsAlive { fields.append("Connection", "close") }
        let isHeadRequest = request.head.method == .head
        port.send(
            ResponseHead(status, fields: fields).serialized() + (isHeadRequest ? [] : body),
            to: request.connection)
        port.endAnswer(of: request.connection, request.head.keepsAlive ? .keepOpen : .close)
    }

    /// Cancels the transfer of a connection that the client has closed.
    package mutating func disconnected(_ connection: HTTPPort.ConnectionID, _ world: inout World) {
        guard let id = transfers.removeValue(forKey: connection) else { return }
        exchanges[id] = nil
        world.performExternalEffect(.cancelFetch(id))
    }

    // MARK: - From the world

    /// URL of a request of which no part was answered yet.
    package func unansweredURL(_ id: TransferID) -> String? {
        exchanges[id].flatMap { $0.hasHead ? nil : $0.url }
    }

    /// Sends an event of a transfer to the client.
    package mutating func send(_ id: TransferID, _ event: TransferEvent) {
        guard let exchange = exchanges[id] else { return }
        switch event {
        case .head(let status, let fields): head(id, StatusCode(status), fields)
        case .bytes(let bytes):
            exchanges[id]?.sentBytes += bytes.count
            if exchange.isHeadRequest || bytes.isEmpty { break }
            port.send(exchange.isChunked ? OriginAdapter.chunk(bytes) : bytes, to: exchange.connection)
        case .end:
            if exchange.isChunked, !exchange.isHeadRequest {
                port.send(OriginAdapter.chunk([]), to: exchange.connection)
            }
            let isWhole = exchange.isHeadRequest || exchange.announcedBytes == exchange.sentBytes
            end(id, isWhole && exchange.keepsAlive ? .keepOpen : .close)
        case .failed(.truncated): end(id, .close)
        case .failed: end(id, .reset)
        }
    }

    /// Pauses the transfers whose clients read more slowly than the world sends, so that the world makes only
    /// what is read, and continues those whose clients have read.
    package mutating func pauseSlowReaders(_ world: inout World) {
        for id in exchanges.keys.sorted() {
            guard let exchange = exchanges[id] else { continue }
            let unsent = port.unsentBytes(of: exchange.connection)
            let limits = OriginAdapter.unsentLimits
            let isPaused = exchange.isPaused ? unsent > limits.resume : unsent > limits.pause
            if isPaused == exchange.isPaused { continue }
            exchanges[id]?.isPaused = isPaused
            world.pauseTransfer(id, isPaused)
        }
    }

    /// Resets all open answers. The world drops transfers without an event when the device's process ends or
    /// its network is lost.
    package mutating func dropAll() {
        for id in exchanges.keys.sorted() { end(id, .reset) }
    }

    /// A chunk of a body; without bytes the last one.
    private static func chunk(_ bytes: [UInt8]) -> [UInt8] {
        Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8)
    }

    private mutating func end(_ id: TransferID, _ after: HTTPPort.AfterAnswer) {
        guard let exchange = exchanges.removeValue(forKey: id) else { return }
        transfers[exchange.connection] = nil
        port.endAnswer(of: exchange.connection, after)
    }

    private mutating func head(_ id: TransferID, _ status: StatusCode, _ fields: HeaderFields) {
        guard var exchange = exchanges[id] else { return }
        var fields = fields
        if status.neverHasContent {
            exchange.announcedBytes = 0
        } else {
            exchange.announcedBytes = fields["Content-Length"].flatMap { Int($0) }
        }
        exchange.isChunked =
            exchange.minorVersion > 0 && exchange.announcedBytes == nil
            && fields.all("Transfer-Encoding").map { $0.lowercased() } == ["chunked"]
        // Any other `Transfer-Encoding` is sent unchanged; the connection can't be reused after it.
        if fields.contains("Transfer-Encoding") { exchange.announcedBytes = nil }
        if exchange.announcedBytes == nil { exchange.keepsAlive = false }
        if fields.tokens("Connection").contains("close") { exchange.keepsAlive = false }
        if !exchange.keepsAlive, !fields.contains("Connection") { fields.append("Connection", "close") }
        if exchange.keepsAlive, exchange.minorVersion == 0 { fields.append("Connection", "keep-alive") }
        exchange.hasHead = true
        exchanges[id] = exchange
        port.send(ResponseHead(status, fields: fields).serialized(), to: exchange.connection)
    }
}
