import Core
import HTTP1

extension LocalServer {
    /// A request that waits for native code's answer; unique within a process.
    public struct HandlerCall: Hashable, Comparable, Sendable {
        public let number: UInt32

        public init(_ number: UInt32) { self.number = number }

        public static func < (left: HandlerCall, right: HandlerCall) -> Bool { left.number < right.number }
    }

    /// What native code is asked for by a row of the route table (``RouteTarget/handler(_:)``). It has passed
    /// every check of a request (S6), and is complete.
    public struct HandlerRequest: Hashable, Sendable {
        /// That of the row.
        public var handler: String
        public var method: RequestMethod
        /// Path and query as asked, without this server's own query items.
        public var target: String
        /// As they came, this server's own cookies among them.
        public var fields: HeaderFields
        /// At most ``Limits/bodyBytes`` bytes.
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
        /// A final one: 200 to 599.
        public var status: StatusCode
        /// The server frames its answers: `Content-Length`, `Transfer-Encoding`, `Connection`, `Trailer` and
        /// `Upgrade` are left out (RFC 9112 §6).
        public var fields: HeaderFields
        /// Left out where the status has no content (RFC 9110 §6.4.1).
        public var body: [UInt8]

        public init(
            _ status: StatusCode = .ok, fields: HeaderFields = HeaderFields(), body: [UInt8] = []
        ) {
            self.status = status
            self.fields = fields
            self.body = body
        }
    }

    /// A call that native code has not answered yet.
    struct HandlerCalled: Hashable, Sendable {
        var call: HandlerCall
        var connection: ConnectionID
    }

    private static let framing = ["Content-Length", "Transfer-Encoding", "Connection", "Trailer", "Upgrade"]

    func isForHandler(_ head: RequestHead) -> Bool {
        guard !isBridge(head), case .handler = routes.row(for: head)?.target else { return false }
        return true
    }

    mutating func ask(_ handler: String, _ id: ConnectionID, _ head: RequestHead) {
        guard let place = place(id), let target = head.path else { return }
        let call = HandlerCall(nextHandlerCall)
        nextHandlerCall += 1
        handlerCalls.append(HandlerCalled(call: call, connection: id))
        connections[place].state = .waitingForHandler
        effects.append(
            .handlerAsked(
                call,
                HandlerRequest(
                    handler: handler, method: head.method, target: ReservedQueryItems.removed(from: target),
                    fields: head.fields, body: connections[place].body)))
    }

    /// An answer to a call whose peer has gone, or that was answered before, is nothing.
    mutating func answered(_ call: HandlerCall, _ answer: HandlerAnswer) {
        guard let row = handlerCalls.first(where: { $0.call == call }) else { return }
        handlerCalls.removeAll { $0.call == call }
        guard (200...599).contains(answer.status.code) else {
            return refuse(row.connection, .internalError, "a handler's answer has no final status")
        }
        var fields = answer.fields
        for name in LocalServer.framing { fields.remove(name) }
        send(row.connection, answer.status, fields, answer.status.neverHasContent ? [] : answer.body)
    }
}
