import Core
import DeviceShell
import HTTP1

/// An HTTP/1.1 server whose owner decides each answer and its timing: at once, late, in chunks, incomplete,
/// or never.
///
/// Guarantees
/// - A connection has one request at a time. The next one is read when the answer to the previous one has
///   ended, so that pipelined requests are answered in order (RFC 9112 §9.3.2).
/// - Bytes that are not valid HTTP are answered with the status of the ``ParseFailure``, and the connection
///   is closed, without an event for the owner. A request must arrive within 15 s; an idle connection is
///   closed after 75 s.
/// - No peer delays another one. An idle port waits without polling. When the process has no free descriptor,
///   it retries ``accept(_:)`` ten times a second.
///
/// Errors are those of the system, such as no free descriptors. Deliberately not here: TLS, and limits per
/// peer, because the user who opens a test origin to a network trusts that network. One thread at a time;
/// only ``wakeUp`` may be signalled by other threads.
package final class HTTPPort {
    /// Ordinal of a connection, from 1; never reused.
    package typealias ConnectionID = Int

    /// A complete request.
    package struct Request: Sendable {
        package var connection: ConnectionID
        package var head: RequestHead
        package var body: [UInt8]
        /// Numeric address of the peer.
        package var peer: String
    }

    package enum Event: Sendable {
        case request(Request)
        /// The peer has disconnected before the answer to its request ended.
        case disconnected(ConnectionID)
    }

    package let port: UInt16
    package let wakeUp: WakeUp
    package let poller: Poller
    private let listeners: ListeningSockets
    private let clock = MonotonicClock()
    private var connections: [Int32: Connection] = [:]
    private var descriptors: [ConnectionID: Int32] = [:]
    private let closing: LingeringSockets
    /// Connections to reset when the peer has acknowledged all bytes, each with the latest time for it.
    private var resetting: [Int32: Instant] = [:]
    private var nextID = 1
    private var events: [Event] = []
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    /// Time for a request to arrive completely.
    static let requestTimeout = TimeSpan.seconds(15)
    /// Time without a request after which a connection is closed.
    static let idleTimeout = TimeSpan.seconds(75)
    /// Longest time until a connection is reset.
    private static let lingerTime = TimeSpan.seconds(1)
    private static let maxConnections = 1_000
    private static let maxBodyBytes = 1 << 20
    /// Most bytes of later requests that are read while one is being answered.
    private static let maxPipelinedBytes = 65_536

    /// - Parameters:
    ///   - address: a numeric address, such as `127.0.0.1`.
    ///   - port: 0 for any free port.
    package init(_ address: String, port requestedPort: UInt16) throws(PortError) {
        guard let address = SocketAddress(numeric: address, port: requestedPort) else {
            throw .notAnAddress(address)
        }
        do throws(SystemError) {
            wakeUp = try WakeUp()
            poller = try Poller()
            closing = LingeringSockets(poller)
            listeners = ListeningSockets(poller)
            let listener = try SocketCalls.listen(on: address)
            try listeners.add(listener)
            port = try SocketCalls.port(of: listener)
            try poller.watch(wakeUp.readEnd, .reads)
        } catch {
            throw .system(error.errorNumber)
        }
        SocketCalls.ignoreBrokenPipes()
    }

    deinit {
        for descriptor in connections.keys { SocketCalls.close(descriptor) }
        for descriptor in resetting.keys { SocketCalls.reset(descriptor) }
    }

    // MARK: - Waiting

    /// Processes the ready sockets once.
    /// - Parameter time: longest wait for a socket; nil: until one is ready.
    package func wait(_ time: TimeSpan?) throws(PortError) -> [Event] {
        let ready: [Poller.Ready]
        do throws(SystemError) {
            ready = try poller.wait(events.isEmpty ? timeout(time) : .zero)
        } catch {
            throw .system(error.errorNumber)
        }
        for ready in ready { handle(ready) }
        let now = clock.now
        listeners.timePassed(now)
        for (descriptor, connection) in connections {
            if let deadline = connection.deadline, deadline <= now { timedOut(descriptor) }
        }
        closing.timePassed(now)
        for (descriptor, until) in resetting where until <= now || SocketCalls.unacknowledged(descriptor) == 0
        {
            resetting[descriptor] = nil
            SocketCalls.reset(descriptor)
        }
        defer { events = [] }
        return events
    }

    /// Whether a connection is about to be reset.
    package var isBusy: Bool { !resetting.isEmpty }

    private func timeout(_ time: TimeSpan?) -> TimeSpan? {
        if isBusy { return min(time ?? .milliseconds(2), .milliseconds(2)) }
        let deadlines = connections.values.map(\.deadline) + [closing.nextDeadline, listeners.acceptsAgain]
        guard let first = deadlines.compactMap({ $0 }).min() else { return time }
        let left = max(first - clock.now, .zero)
        return time.map { min($0, left) } ?? left
    }

    private func handle(_ ready: Poller.Ready) {
        if ready.descriptor == wakeUp.readEnd {
            wakeUp.drain()
        } else if listeners.owns(ready.descriptor) {
            accept(ready.descriptor)
        } else if connections[ready.descriptor] != nil {
            if ready.canWrite { flush(ready.descriptor) }
            if ready.canRead { receive(ready.descriptor) }
        } else if closing.owns(ready.descriptor) {
            closing.drain(ready.descriptor)
        }
    }

    private func accept(_ listener: Int32) {
        do throws(SystemError) {
            while let descriptor = try SocketCalls.accept(listener) {
                guard connections.count < HTTPPort.maxConnections else {
                    SocketCalls.reset(descriptor)
                    continue
                }
                var connection = Connection(id: nextID)
                connection.peer = SocketCalls.peer(of: descriptor)?.text ?? "?"
                connection.deadline = clock.now + HTTPPort.requestTimeout
                connection.parser.limits.body = HTTPPort.maxBodyBytes
                connections[descriptor] = connection
                descriptors[nextID] = descriptor
                nextID += 1
                updateInterest(descriptor)
            }
        } catch {
            listeners.failed(error, at: clock.now)
        }
    }

    // MARK: - Requests

    private func receive(_ descriptor: Int32) {
        let count: Int?
        do throws(SystemError) {
            count = try SocketCalls.receive(descriptor, into: &buffer)
        } catch {
            return connectionLost(descriptor)
        }
        guard let count else { return }
        // A half-closed connection counts as closed, because no client of an origin closes only its half.
        if count == 0 { return connectionLost(descriptor) }
        connections[descriptor]?.parser.append(buffer[..<count])
        read(descriptor)
        updateInterest(descriptor)
    }

    /// Parses up to the end of the next request, unless one is being answered.
    private func read(_ descriptor: Int32) {
        guard connections[descriptor]?.isAnswering == false else { return }
        while let event = connections[descriptor]?.parser.next() {
            switch event {
            case .head(let head):
                connections[descriptor]?.head = head
                connections[descriptor]?.body = []
                switch head.expectation {
                case .none: break
                case .continue: send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), descriptor)
                case .unknown: return refuse(descriptor, .expectationFailed)
                }
            case .body(let bytes): connections[descriptor]?.body += bytes
            case .end: return complete(descriptor)
            case .failure(let failure): return refuse(descriptor, failure.status)
            }
        }
        connections[descriptor]?.updateDeadline(clock.now)
    }

    private func complete(_ descriptor: Int32) {
        guard let connection = connections[descriptor], let head = connection.head else { return }
        connections[descriptor]?.isAnswering = true
        connections[descriptor]?.deadline = nil
        events.append(
            .request(
                Request(
                    connection: connection.id, head: head, body: connection.body, peer: connection.peer)))
    }

    private func refuse(_ descriptor: Int32, _ status: StatusCode) {
        var fields = HeaderFields()
        fields.append("Content-Length", "0")
        fields.append("Connection", "close")
        connections[descriptor]?.isAnswering = true
        send(ResponseHead(status, fields: fields).serialized(), descriptor)
        connections[descriptor]?.end = .close
        flush(descriptor)
    }

    private func timedOut(_ descriptor: Int32) {
        if connections[descriptor]?.parser.isBetweenRequests == true { return closeLingering(descriptor) }
        refuse(descriptor, .requestTimeout)
    }

    // MARK: - Answers

    /// Sends bytes of the answer, head and body, in order.
    package func send(_ bytes: [UInt8], to id: ConnectionID) {
        if let descriptor = descriptors[id] { send(bytes, descriptor) }
    }

    /// Bytes of answers that the peer has not taken.
    package func unsentBytes(of id: ConnectionID) -> Int {
        guard let descriptor = descriptors[id], let connection = connections[descriptor] else { return 0 }
        return connection.output.count - connection.sent
    }

    /// What happens to the connection when all bytes of the answer were sent.
    package enum AfterAnswer: Sendable {
        /// The next request is read.
        case keepOpen
        case close
        /// The connection is reset.
        case reset
    }

    package func endAnswer(of id: ConnectionID, _ end: AfterAnswer) {
        guard let descriptor = descriptors[id] else { return }
        switch end {
        case .keepOpen:
            connections[descriptor]?.answerEnded(clock.now)
            read(descriptor)
            updateInterest(descriptor)
        case .close, .reset:
            connections[descriptor]?.end = end
            flush(descriptor)
        }
    }

    /// Closes all connections.
    package func closeAll() {
        for descriptor in Array(connections.keys) { closeLingering(descriptor) }
    }

    private func send(_ bytes: [UInt8], _ descriptor: Int32) {
        connections[descriptor]?.output.append(contentsOf: bytes)
        flush(descriptor)
    }

    private func flush(_ descriptor: Int32) {
        guard var connection = connections[descriptor] else { return }
        do throws(SystemError) {
            while connection.sent < connection.output.count {
                let unsent = connection.output[connection.sent...]
                guard let count = try SocketCalls.send(descriptor, unsent, isFollowed: false) else { break }
                connection.sent += count
            }
        } catch {
            return connectionLost(descriptor)
        }
        if connection.sent == connection.output.count {
            connection.output.removeAll(keepingCapacity: true)
            connection.sent = 0
        }
        connections[descriptor] = connection
        guard connection.output.isEmpty else { return updateInterest(descriptor) }
        switch connection.end {
        case .keepOpen: updateInterest(descriptor)
        case .close: closeLingering(descriptor)
        case .reset: resetAfterDelivery(descriptor)
        }
    }

    private func updateInterest(_ descriptor: Int32) {
        guard let connection = connections[descriptor] else { return }
        var interest: Poller.Interest = []
        if connection.parser.unread < HTTPPort.maxPipelinedBytes { interest.insert(.reads) }
        if connection.sent < connection.output.count { interest.insert(.writes) }
        do throws(SystemError) {
            try poller.watch(descriptor, interest)
        } catch {
            connectionLost(descriptor)
        }
    }

    // MARK: - The end of a connection

    /// Closes a connection that the peer has closed or that failed.
    private func connectionLost(_ descriptor: Int32) {
        guard let connection = connections.removeValue(forKey: descriptor) else { return }
        descriptors[connection.id] = nil
        poller.forget(descriptor)
        SocketCalls.close(descriptor)
        if connection.isAnswering { events.append(.disconnected(connection.id)) }
    }

    /// Resets the connection when the peer has acknowledged all bytes, because the system drops
    /// unacknowledged bytes at a reset.
    private func resetAfterDelivery(_ descriptor: Int32) {
        guard let connection = connections.removeValue(forKey: descriptor) else { return }
        descriptors[connection.id] = nil
        poller.forget(descriptor)
        resetting[descriptor] = clock.now + HTTPPort.lingerTime
    }

    /// Closes the connection after the peer had time to read the answer.
    private func closeLingering(_ descriptor: Int32) {
        guard let connection = connections.removeValue(forKey: descriptor) else { return }
        descriptors[connection.id] = nil
        closing.add(descriptor, at: clock.now)
    }
}

/// Reason why a port can't be opened, or why it failed.
package enum PortError: Error, Hashable, Sendable {
    /// The text is not a numeric address.
    case notAnAddress(String)
    /// A system call failed with this `errno`.
    case system(Int32)
}

extension HTTPPort {
    /// An accepted connection, with its current request and answer.
    private struct Connection {
        let id: ConnectionID
        var peer = ""
        var parser = RequestParser()
        var head: RequestHead?
        var body: [UInt8] = []
        /// Whether the owner has a request whose answer has not ended.
        var isAnswering = false
        /// Bytes to send.
        var output: [UInt8] = []
        /// Number of bytes of ``output`` that were sent.
        var sent = 0
        var end = AfterAnswer.keepOpen
        /// Time at which the request or the connection times out; nil while a request is being answered.
        var deadline: Instant?

        /// Whether a part of the next request has arrived.
        var hasPartialRequest = false

        /// Sets the deadline of a request when its first bytes arrive; later bytes don't extend it.
        mutating func updateDeadline(_ now: Instant) {
            if parser.isBetweenRequests || hasPartialRequest { return }
            hasPartialRequest = true
            deadline = min(deadline ?? now + HTTPPort.requestTimeout, now + HTTPPort.requestTimeout)
        }

        mutating func answerEnded(_ now: Instant) {
            isAnswering = false
            hasPartialRequest = false
            deadline = now + HTTPPort.idleTimeout
        }
    }
}
