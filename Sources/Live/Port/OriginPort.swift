import AppHost
import Core
import HTTP1
import Updater
import World

/// Joins a port and the origin of a world: what is asked on the port becomes a request in the world, and what
/// the world lets arrive at the device goes out on the port.
///
/// Guarantees: the answer is the world's, its faults, its times and the pieces it comes in too. A
/// body that ends before its announced length ends the connection in order (`truncate`), a failure resets
/// it. What a socket can't show is shown as the nearest thing it can: see ``Nearest``.
package struct OriginPort {
    package let port: HTTPPort
    private var exchanges: [TransferID: Exchange] = [:]
    private var transfers: [HTTPPort.Number: TransferID] = [:]
    private var next: UInt32 = 1

    private struct Exchange {
        let connection: HTTPPort.Number
        let isHead: Bool
        let minorVersion: Int
        var keepsAlive: Bool
        /// Of the body, as the head announces it; nil: it ends with the connection.
        var announced: Int?
        var sent = 0
    }

    package init(_ port: HTTPPort) { self.port = port }

    /// Answers that have not ended.
    package var openCount: Int { exchanges.count }

    // MARK: - From the port

    /// - Parameters:
    ///   - known: the request as its sender knows it, by its URL; the wire does not say all of it.
    /// - Returns: the transfer it became; nil: the port answered by itself.
    package mutating func take(
        _ request: HTTPPort.Request, _ world: inout World,
        known: (String) -> (TransferID, OriginRequest)? = { _ in nil }
    ) -> TransferID? {
        let head = request.head
        guard let target = head.path else {
            answer(.badRequest, request)
            return nil
        }
        var asked = world.originRequest(target: target, fields: head.fields, body: request.body)
        let allowed = asked.kind == .outcomes ? "POST" : "GET, HEAD"
        let isPost = head.method == .post
        guard isPost ? asked.kind == .outcomes : head.method == .get || head.method == .head else {
            let status: StatusCode = head.method.isKnown ? .methodNotAllowed : .notImplemented
            answer(status, request, fields: ["Allow": allowed])
            return nil
        }
        var id = TransferID(next)
        if let (given, known) = known(asked.url) {
            id = given
            asked.kind = known.kind
            asked.version = known.version
            asked.attempt = known.attempt
        } else {
            next += 1
        }
        exchanges[id] = Exchange(
            connection: request.connection, isHead: head.method == .head, minorVersion: head.minorVersion,
            keepsAlive: head.keepsAlive)
        transfers[request.connection] = id
        world.performExternalEffect(.fetch(id, asked))
        return id
    }

    /// An answer that is not the origin's.
    package func answer(
        _ status: StatusCode, _ request: HTTPPort.Request, fields more: HeaderFields = [:],
        body: [UInt8] = []
    ) {
        var fields = more
        fields.append("Content-Length", String(body.count))
        if !request.head.keepsAlive { fields.append("Connection", "close") }
        let isHead = request.head.method == .head
        port.send(
            ResponseHead(status, fields: fields).serialized() + (isHead ? [] : body), to: request.connection)
        port.endAnswer(of: request.connection, request.head.keepsAlive ? .keep : .close)
    }

    package mutating func gone(_ connection: HTTPPort.Number, _ world: inout World) {
        guard let id = transfers.removeValue(forKey: connection) else { return }
        exchanges[id] = nil
        world.performExternalEffect(.cancelFetch(id))
    }

    // MARK: - From the world

    package mutating func hand(_ id: TransferID, _ event: TransferEvent) {
        guard let exchange = exchanges[id] else { return }
        switch event {
        case .head(let status, let fields): head(id, StatusCode(status), fields)
        case .bytes(let bytes):
            exchanges[id]?.sent += bytes.count
            if !exchange.isHead { port.send(bytes, to: exchange.connection) }
        case .end:
            let isWhole = exchange.isHead || exchange.announced == exchange.sent
            end(id, isWhole && exchange.keepsAlive ? .keep : .close)
        case .failed(.truncated): end(id, .close)
        case .failed: end(id, .reset)
        }
    }

    /// The world has dropped what was under way without a word: the device's process, or its network, is
    /// gone.
    package mutating func dropAll() {
        for id in exchanges.keys.sorted() { end(id, .reset) }
    }

    private mutating func end(_ id: TransferID, _ end: HTTPPort.End) {
        guard let exchange = exchanges.removeValue(forKey: id) else { return }
        transfers[exchange.connection] = nil
        port.endAnswer(of: exchange.connection, end)
    }

    private mutating func head(_ id: TransferID, _ status: StatusCode, _ fields: HeaderFields) {
        guard var exchange = exchanges[id] else { return }
        var fields = fields
        if status.neverHasContent {
            exchange.announced = 0
        } else {
            exchange.announced = fields["Content-Length"].flatMap { Int($0) }
        }
        // A coding that the bytes don't have is sent as it was told; the connection is no good after it.
        if fields.contains("Transfer-Encoding") { exchange.announced = nil }
        if exchange.announced == nil { exchange.keepsAlive = false }
        if fields.tokens("Connection").contains("close") { exchange.keepsAlive = false }
        if !exchange.keepsAlive, !fields.contains("Connection") { fields.append("Connection", "close") }
        if exchange.keepsAlive, exchange.minorVersion == 0 { fields.append("Connection", "keep-alive") }
        exchanges[id] = exchange
        port.send(ResponseHead(status, fields: fields).serialized(), to: exchange.connection)
    }
}
