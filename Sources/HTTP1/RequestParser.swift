/// Parses the requests on a connection, one after the other and on demand: bytes are appended as they arrive,
/// and ``next()`` returns events. A caller that has not answered a request does not call ``next()`` for
/// another one, so requests are answered in order.
///
/// The parser reads nothing after ``Event/failure(_:)``.
public struct RequestParser: Equatable, Sendable {
    /// What has been parsed.
    public enum Event: Hashable, Sendable {
        /// Request line and field lines.
        case head(RequestHead)
        /// At least one byte of content.
        case body([UInt8])
        /// The request is complete. Trailers are separate from the fields of the head.
        case end(trailers: HeaderFields)
        /// The bytes can't be parsed; no event follows.
        case failure(ParseFailure)
    }

    private enum State: Equatable, Sendable {
        case line(emptyLineSkipped: Bool)
        case fields(RequestLine)
        case body
        case raw
        case failed
    }

    /// Limits on what the peer may send; may be changed between two events.
    public var limits: HTTPLimits
    private var queue = ByteQueue()
    private var state = State.line(emptyLineSkipped: false)
    private var block = FieldBlock(.strict)
    private var body = BodyReader(.none, .strict)

    public init(limits: HTTPLimits = HTTPLimits()) { self.limits = limits }

    /// Adds received bytes; after a failure they are dropped.
    public mutating func append(_ bytes: some Collection<UInt8>) {
        if state != .failed { queue.append(bytes) }
    }

    /// Appends bytes and returns all events that can be parsed.
    public mutating func feed(_ bytes: some Collection<UInt8>) -> [Event] {
        append(bytes)
        var events: [Event] = []
        while let event = next() { events.append(event) }
        return events
    }

    /// The next event; nil while more bytes are needed.
    public mutating func next() -> Event? {
        do throws(ParseFailure) {
            return try read()
        } catch {
            state = .failed
            queue.removeAll()
            return .failure(error)
        }
    }

    /// Number of bytes received and not yet parsed.
    public var unread: Int { queue.count }

    /// Whether the next byte would begin a request: no request has begun or is half read.
    public var isBetweenRequests: Bool { state == .line(emptyLineSkipped: false) && queue.isEmpty }

    /// Whether a head has begun and is not complete.
    public var isInHead: Bool {
        switch state {
        case .line: !isBetweenRequests
        case .fields: true
        case .body, .raw, .failed: false
        }
    }

    /// Stops parsing, because the bytes from here on are not HTTP. Returns those already received; later ones
    /// are returned by ``takeRaw()``.
    public mutating func becomeTunnel() -> [UInt8] {
        state = .raw
        return takeRaw()
    }

    /// Removes and returns the bytes that have not been parsed.
    public mutating func takeRaw() -> [UInt8] { queue.take(atMost: .max) ?? [] }

    private mutating func read() throws(ParseFailure) -> Event? {
        while true {
            switch state {
            case .line(let skipped):
                guard try readLine(skipped) else { return nil }
            case .fields(let line):
                guard let fields = try block.read(from: &queue, limits) else { return nil }
                let head = try RequestParser.head(line, fields)
                block = FieldBlock(.strict)
                body = BodyReader(head.framing, .strict)
                state = .body
                return .head(head)
            case .body:
                switch try body.next(from: &queue, limits) {
                case .none: return nil
                case .bytes(let bytes): return .body(bytes)
                case .end(let trailers):
                    state = .line(emptyLineSkipped: false)
                    return .end(trailers: trailers)
                }
            case .raw, .failed: return nil
            }
        }
    }

    private mutating func readLine(_ skipped: Bool) throws(ParseFailure) -> Bool {
        switch queue.takeLine(limit: limits.startLine, .strict) {
        case .incomplete: return false
        case .tooLong: throw .startLineTooLong
        case .bareLineFeed: throw .bareLineFeed
        case .bareCarriageReturn: throw .bareCarriageReturn
        case .line(let line):
            if line.isEmpty {
                if skipped { throw .badRequestLine }
                state = .line(emptyLineSkipped: true)
            } else {
                state = .fields(try RequestLine(line))
            }
            return true
        }
    }

    private static func head(
        _ line: RequestLine, _ fields: HeaderFields
    ) throws(ParseFailure) -> RequestHead {
        if fields.count("Host") > 1 { throw .repeatedHost }
        if let host = fields["Host"] {
            guard Authority(host.utf8) != nil else { throw .badHost }
        } else if line.minorVersion > 0 {
            throw .missingHost
        }
        let framing = try BodyFraming.ofRequest(fields, minorVersion: line.minorVersion)
        return RequestHead(
            line.method, line.target, fields: fields, minorVersion: line.minorVersion, framing: framing)
    }
}
