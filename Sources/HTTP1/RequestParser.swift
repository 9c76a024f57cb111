/// Reads requests from a connection's bytes, one after the other, on demand: bytes are appended as they come,
/// and ``next()`` is asked for events. Whoever has not yet answered a request simply does not ask for the
/// next (HT-P13).
///
/// After ``Event/failure(_:)`` it reads nothing more.
public struct RequestParser: Equatable, Sendable {
    public enum Event: Hashable, Sendable {
        case head(RequestHead)
        /// At least one byte of content.
        case body([UInt8])
        /// The request is complete. Trailers are kept apart from the head's fields.
        case end(trailers: HeaderFields)
        case failure(ParseFailure)
    }

    private enum State: Equatable, Sendable {
        case line(emptyLineSkipped: Bool)
        case fields(RequestLine)
        case body
        case raw
        case failed
    }

    public var limits: HTTPLimits
    private var queue = ByteQueue()
    private var state = State.line(emptyLineSkipped: false)
    private var block = FieldBlock()
    private var body = BodyReader(.none)

    public init(limits: HTTPLimits = HTTPLimits()) { self.limits = limits }

    public mutating func append(_ bytes: some Collection<UInt8>) {
        if state != .failed { queue.append(bytes) }
    }

    /// Appends and reads everything that can be read.
    public mutating func feed(_ bytes: some Collection<UInt8>) -> [Event] {
        append(bytes)
        var events: [Event] = []
        while let event = next() { events.append(event) }
        return events
    }

    /// The next event, nil while more bytes are needed.
    public mutating func next() -> Event? {
        do throws(ParseFailure) {
            return try read()
        } catch {
            state = .failed
            queue.removeAll()
            return .failure(error)
        }
    }

    /// Bytes that came and were not read.
    public var unread: Int { queue.count }

    /// Whether the next byte would begin a request: none has begun, none is half read.
    public var isBetweenRequests: Bool { state == .line(emptyLineSkipped: false) && queue.isEmpty }

    /// Whether a head has begun and is not complete.
    public var isInHead: Bool {
        switch state {
        case .line: !isBetweenRequests
        case .fields: true
        case .body, .raw, .failed: false
        }
    }

    /// From here on the bytes are not HTTP: gives those that came and lets the rest be taken by
    /// ``takeRaw()``.
    public mutating func becomeTunnel() -> [UInt8] {
        state = .raw
        return takeRaw()
    }

    public mutating func takeRaw() -> [UInt8] { queue.take(atMost: .max) ?? [] }

    private mutating func read() throws(ParseFailure) -> Event? {
        while true {
            switch state {
            case .line(let skipped):
                guard try readLine(skipped) else { return nil }
            case .fields(let line):
                guard let fields = try block.read(from: &queue, limits) else { return nil }
                let head = try RequestParser.head(line, fields)
                block = FieldBlock()
                body = BodyReader(head.framing)
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
        switch queue.takeLine(limit: limits.startLine) {
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
