import Core
import DeviceShell
import HTTP1

/// A port that speaks HTTP/1.1, and leaves to its owner what is answered and when: at once, late, in pieces,
/// not to the end, or never.
///
/// Guarantees
/// - A connection has one request at a time: the next one is read when the answer to the former has ended, so
///   that pipelined requests are answered in their order (RFC 9112 §9.3.2).
/// - What can't be read as HTTP is answered with the status that ``ParseFailure`` names, and the connection
///   ends; the owner never hears of it. A request has 15 s to come, an idle connection stays 75 s.
/// - No peer keeps another waiting; an idle port sleeps, and so does one whose process has no descriptor left
///   for those that wait to be accepted: it tries again ten times a second.
///
/// What can go wrong is the system's (no descriptors). Deliberately not here: TLS, limits per peer (whoever
/// is asked to listen on a network is in it), and what the answers are. One thread at a time; ``wakeUp``
/// alone may be rung from others.
package final class HTTPPort {
    /// Counts connections from 1; never used again.
    package typealias Number = Int

    package struct Request: Sendable {
        package var connection: Number
        package var head: RequestHead
        package var body: [UInt8]
        /// The peer's address, as numbers.
        package var peer: String
    }

    package enum Event: Sendable {
        case request(Request)
        /// The peer has gone before the answer to its request ended.
        case gone(Number)
    }

    package let port: UInt16
    package let wakeUp: WakeUp
    package let poller: Poller
    private let listening: ListeningSockets
    private let clock = MonotonicClock()
    private var connections: [Int32: Connection] = [:]
    private var descriptors: [Number: Int32] = [:]
    private let leaving: LingeringSockets
    /// To be reset when the peer has what was sent before, at that time at the latest.
    private var resetting: [Int32: Instant] = [:]
    private var next = 1
    private var events: [Event] = []
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    static let headTime = TimeSpan.seconds(15)
    static let idleTime = TimeSpan.seconds(75)
    private static let lingering = TimeSpan.seconds(1)
    private static let mostConnections = 1_000
    private static let mostBody = 1 << 20
    /// Bytes of requests to come that are read while another one is answered.
    private static let mostAhead = 65_536

    /// - Parameters:
    ///   - address: a numeric one, like `127.0.0.1`.
    ///   - port: 0: any that is free.
    package init(_ address: String, port wanted: UInt16) throws(PortError) {
        guard let address = SocketAddress(numeric: address, port: wanted) else {
            throw .notAnAddress(address)
        }
        do throws(SystemError) {
            wakeUp = try WakeUp()
            poller = try Poller()
            leaving = LingeringSockets(poller)
            listening = ListeningSockets(poller)
            let listener = try SocketCalls.listen(on: address)
            try listening.add(listener)
            port = try SocketCalls.port(of: listener)
            try poller.watch(wakeUp.readEnd, .reads)
        } catch {
            throw .system(error.number)
        }
        SocketCalls.ignoreBrokenPipes()
    }

    deinit {
        for descriptor in connections.keys { SocketCalls.close(descriptor) }
        for descriptor in resetting.keys { SocketCalls.reset(descriptor) }
    }

    // MARK: - Waiting

    /// Lets sockets have their turn once; waits for the first of them, at most that long (nil: for ever).
    package func wait(_ time: TimeSpan?) throws(PortError) -> [Event] {
        let ready: [Poller.Ready]
        do throws(SystemError) {
            ready = try poller.wait(events.isEmpty ? untilNext(time) : .zero)
        } catch {
            throw .system(error.number)
        }
        for ready in ready { take(ready) }
        let now = clock.now
        listening.timePassed(now)
        for (descriptor, connection) in connections {
            if let deadline = connection.deadline, deadline <= now { timedOut(descriptor) }
        }
        leaving.timePassed(now)
        for (descriptor, until) in resetting where until <= now || SocketCalls.unacknowledged(descriptor) == 0
        {
            resetting[descriptor] = nil
            SocketCalls.reset(descriptor)
        }
        defer { events = [] }
        return events
    }

    /// A connection waits to be reset.
    package var isBusy: Bool { !resetting.isEmpty }

    private func untilNext(_ time: TimeSpan?) -> TimeSpan? {
        if isBusy { return min(time ?? .milliseconds(2), .milliseconds(2)) }
        let deadlines = connections.values.map(\.deadline) + [leaving.nextDeadline, listening.acceptsAgain]
        guard let first = deadlines.compactMap({ $0 }).min() else { return time }
        let left = max(first - clock.now, .zero)
        return time.map { min($0, left) } ?? left
    }

    private func take(_ ready: Poller.Ready) {
        if ready.descriptor == wakeUp.readEnd {
            wakeUp.drain()
        } else if listening.owns(ready.descriptor) {
            accept(ready.descriptor)
        } else if connections[ready.descriptor] != nil {
            if ready.canWrite { flush(ready.descriptor) }
            if ready.canRead { receive(ready.descriptor) }
        } else if leaving.owns(ready.descriptor) {
            leaving.drain(ready.descriptor, &buffer)
        }
    }

    private func accept(_ listener: Int32) {
        do throws(SystemError) {
            while let descriptor = try SocketCalls.accept(listener) {
                guard connections.count < HTTPPort.mostConnections else {
                    SocketCalls.reset(descriptor)
                    continue
                }
                var connection = Connection(number: next)
                connection.peer = SocketCalls.peer(of: descriptor)?.text ?? "?"
                connection.deadline = clock.now + HTTPPort.headTime
                connection.parser.limits.body = HTTPPort.mostBody
                connections[descriptor] = connection
                descriptors[next] = descriptor
                next += 1
                watch(descriptor)
            }
        } catch {
            listening.failed(error, at: clock.now)
        }
    }

    // MARK: - Requests

    private func receive(_ descriptor: Int32) {
        let count: Int?
        do throws(SystemError) {
            count = try SocketCalls.receive(descriptor, into: &buffer)
        } catch {
            return lost(descriptor)
        }
        guard let count else { return }
        // Who says nothing more does not wait for the answer: no client of an origin ends its half alone.
        if count == 0 { return lost(descriptor) }
        connections[descriptor]?.parser.append(buffer[..<count])
        read(descriptor)
        watch(descriptor)
    }

    /// Goes on to the end of the next request, where none is being answered.
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
        connections[descriptor]?.noteProgress(clock.now)
    }

    private func complete(_ descriptor: Int32) {
        guard let connection = connections[descriptor], let head = connection.head else { return }
        connections[descriptor]?.isAnswering = true
        connections[descriptor]?.deadline = nil
        events.append(
            .request(
                Request(
                    connection: connection.number, head: head, body: connection.body, peer: connection.peer)))
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
        if connections[descriptor]?.parser.isBetweenRequests == true { return leave(descriptor) }
        refuse(descriptor, .requestTimeout)
    }

    // MARK: - Answers

    /// Bytes of the answer, head and all, in order.
    package func send(_ bytes: [UInt8], to number: Number) {
        if let descriptor = descriptors[number] { send(bytes, descriptor) }
    }

    /// How a connection goes on when all that was sent has left.
    package enum End: Sendable {
        /// With its next request.
        case keep
        case close
        /// The peer sees a reset.
        case reset
    }

    package func endAnswer(of number: Number, _ end: End) {
        guard let descriptor = descriptors[number] else { return }
        switch end {
        case .keep:
            connections[descriptor]?.answered(clock.now)
            read(descriptor)
            watch(descriptor)
        case .close, .reset:
            connections[descriptor]?.end = end
            flush(descriptor)
        }
    }

    /// Answers nothing any more, on no connection.
    package func closeAll() {
        for descriptor in Array(connections.keys) { leave(descriptor) }
    }

    private func send(_ bytes: [UInt8], _ descriptor: Int32) {
        connections[descriptor]?.output.append(contentsOf: bytes)
        flush(descriptor)
    }

    private func flush(_ descriptor: Int32) {
        guard var connection = connections[descriptor] else { return }
        do throws(SystemError) {
            while connection.sent < connection.output.count {
                let rest = connection.output[connection.sent...]
                guard let count = try SocketCalls.send(descriptor, rest, isFollowed: false) else { break }
                connection.sent += count
            }
        } catch {
            return lost(descriptor)
        }
        if connection.sent == connection.output.count {
            connection.output.removeAll(keepingCapacity: true)
            connection.sent = 0
        }
        connections[descriptor] = connection
        guard connection.output.isEmpty else { return watch(descriptor) }
        switch connection.end {
        case .keep: watch(descriptor)
        case .close: leave(descriptor)
        case .reset: drop(descriptor)
        }
    }

    private func watch(_ descriptor: Int32) {
        guard let connection = connections[descriptor] else { return }
        var wanted: Poller.Interest = []
        if connection.parser.unread < HTTPPort.mostAhead { wanted.insert(.reads) }
        if connection.sent < connection.output.count { wanted.insert(.writes) }
        do throws(SystemError) {
            try poller.watch(descriptor, wanted)
        } catch {
            lost(descriptor)
        }
    }

    // MARK: - The end of a connection

    private func lost(_ descriptor: Int32) {
        guard let connection = connections.removeValue(forKey: descriptor) else { return }
        descriptors[connection.number] = nil
        poller.forget(descriptor)
        SocketCalls.close(descriptor)
        if connection.isAnswering { events.append(.gone(connection.number)) }
    }

    /// Reset at once, the system would drop what the peer has not taken yet.
    private func drop(_ descriptor: Int32) {
        guard let connection = connections.removeValue(forKey: descriptor) else { return }
        descriptors[connection.number] = nil
        poller.forget(descriptor)
        resetting[descriptor] = clock.now + HTTPPort.lingering
    }

    private func leave(_ descriptor: Int32) {
        guard let connection = connections.removeValue(forKey: descriptor) else { return }
        descriptors[connection.number] = nil
        leaving.add(descriptor, at: clock.now)
    }
}

/// Why a port can't be had, or is lost.
package enum PortError: Error, Hashable, Sendable {
    /// Not one in numbers.
    case notAnAddress(String)
    /// The system's `errno`.
    case system(Int32)
}

extension HTTPPort {
    /// One that was accepted, and what is under way on it.
    private struct Connection {
        let number: Number
        var peer = ""
        var parser = RequestParser()
        var head: RequestHead?
        var body: [UInt8] = []
        /// A request has been handed out, and its answer has not ended.
        var isAnswering = false
        var output: [UInt8] = []
        /// Of ``output``.
        var sent = 0
        var end = End.keep
        /// Nil: while it is answered.
        var deadline: Instant?

        /// Of the next request some bytes are here.
        var hasBegun = false

        /// A request that has begun must come to its end in time, however slowly its bytes drip.
        mutating func noteProgress(_ now: Instant) {
            if parser.isBetweenRequests || hasBegun { return }
            hasBegun = true
            deadline = min(deadline ?? now + HTTPPort.headTime, now + HTTPPort.headTime)
        }

        mutating func answered(_ now: Instant) {
            isAnswering = false
            hasBegun = false
            deadline = now + HTTPPort.idleTime
        }
    }
}
