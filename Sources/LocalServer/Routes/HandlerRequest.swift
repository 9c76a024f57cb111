import Core
import HTTP1

extension LocalServer {
    /// A request that native code answers, because an entry of the route table says so
    /// (``RouteTarget/handler(_:)``). It has passed the request policy (S6), and is complete.
    public struct HandlerRequest: Hashable, Sendable {
        /// Name of the handler, from the table's entry.
        public var handler: String
        public var method: RequestMethod
        /// Path and query as requested, without this server's query items.
        public var target: String
        /// Fields as they came, this server's cookies included.
        public var fields: HeaderFields
        /// Content, at most ``Limits/bodyBytes`` bytes.
        public var body: [UInt8]

        public init(
            handler: String, method: RequestMethod, target: String, fields: HeaderFields = HeaderFields(),
            body: [UInt8] = []
        ) {
            self.handler = handler
            self.method = method
            self.target = target
            self.fields = fields
            self.body = body
        }
    }

    /// What native code answers.
    public struct HandlerAnswer: Hashable, Sendable {
        /// A final status, 200 to 599; another one is answered with 500.
        public var status: StatusCode
        /// The server frames its responses: `Content-Length`, `Transfer-Encoding`, `Connection`, `Trailer`
        /// and `Upgrade` are left out (RFC 9112 §6).
        public var fields: HeaderFields
        /// Content; left out where the status has none (RFC 9110 §6.4.1).
        public var body: [UInt8]

        public init(
            _ status: StatusCode = .ok, fields: HeaderFields = HeaderFields(), body: [UInt8] = []
        ) {
            self.status = status
            self.fields = fields
            self.body = body
        }
    }

    private static let framing = ["Content-Length", "Transfer-Encoding", "Connection", "Trailer", "Upgrade"]

    mutating func callHandler(_ handler: String, _ id: ConnectionID, _ head: RequestHead) {
        guard let index = connections.index(of: id), let target = head.path else { return }
        connections[index].state = .waitingForHandler
        effects.append(
            .handlerRequested(
                hostCalls.handlers.add(id),
                HandlerRequest(
                    handler: handler, method: head.method, target: ReservedQueryItems.removed(from: target),
                    fields: head.fields, body: connections[index].requestBody)))
    }

    /// An answer to a call whose peer has gone, or that was answered before, has no effect.
    mutating func handlerAnswered(_ call: HandlerCallID, _ answer: HandlerAnswer) {
        guard let id = hostCalls.handlers.take(call) else { return }
        guard (200...599).contains(answer.status.code) else {
            return refuse(id, .internalError, "a handler's answer has no final status")
        }
        var fields = answer.fields
        for name in LocalServer.framing { fields.remove(name) }
        FramingPolicy.append(to: &fields, type: fields["Content-Type"])
        send(id, answer.status, fields, answer.status.neverHasContent ? [] : answer.body)
    }
}
