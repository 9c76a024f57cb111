/// Reads the responses on a connection, in the order of the requests that ``expect(_:)`` named: whether a
/// body follows depends on the method (RFC 9112 §6.3).
///
/// After ``Event/failure(_:)`` it reads nothing more. A close by the peer is told by ``close()``.
public struct ResponseParser: Equatable, Sendable {
    public enum Event: Hashable, Sendable {
        /// 1xx other than 101; the final head is still to come.
        case interim(ResponseHead)
        case head(ResponseHead, BodyFraming)
        /// At least one byte of content.
        case body([UInt8])
        case end(trailers: HeaderFields)
        case failure(ParseFailure)
    }

    private enum State: Equatable, Sendable {
        case line
        case fields(StatusLine)
        case body
        case raw
        case failed
    }

    public var limits: HTTPLimits
    private var queue = ByteQueue()
    private var state = State.line
    private var block = FieldBlock()
    private var body = BodyReader(.none)
    private var expected: [RequestMethod] = []

    public init(limits: HTTPLimits = HTTPLimits(fieldBlock: 65_536)) { self.limits = limits }

    /// A request was sent whose response comes behind those already expected.
    public mutating func expect(_ method: RequestMethod) { expected.append(method) }

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
            return fail(error)
        }
    }

    /// The peer closed: ends a body that goes until the close, and is a failure inside any other message or
    /// while a response is owed. nil when nothing was owed. Read everything with ``next()`` before.
    public mutating func close() -> Event? {
        switch state {
        case .failed, .raw: return nil
        case .body where body.mayEndByClose:
            state = .failed
            return .end(trailers: HeaderFields())
        case .line where expected.isEmpty && queue.isEmpty: return nil
        case .line, .fields, .body: return fail(.truncated)
        }
    }

    /// Whether the connection may carry another request: nothing is owed, nothing too much came.
    public var isIdle: Bool { state == .line && expected.isEmpty && queue.isEmpty }

    /// Behind a 101 or a 2xx to CONNECT the bytes are not HTTP: gives those that came.
    public mutating func takeRaw() -> [UInt8] {
        state == .raw ? queue.take(atMost: .max) ?? [] : []
    }

    private mutating func fail(_ failure: ParseFailure) -> Event {
        state = .failed
        queue.removeAll()
        return .failure(failure)
    }

    private mutating func read() throws(ParseFailure) -> Event? {
        while true {
            switch state {
            case .line:
                guard !queue.isEmpty else { return nil }
                guard !expected.isEmpty else { throw .unexpectedResponse }
                guard try readLine() else { return nil }
            case .fields(let line):
                guard let fields = try block.read(from: &queue, limits) else { return nil }
                block = FieldBlock()
                return try begin(line, fields)
            case .body:
                switch try body.next(from: &queue, limits) {
                case .none: return nil
                case .bytes(let bytes): return .body(bytes)
                case .end(let trailers):
                    state = .line
                    return .end(trailers: trailers)
                }
            case .raw, .failed: return nil
            }
        }
    }

    private mutating func readLine() throws(ParseFailure) -> Bool {
        switch queue.takeLine(limit: limits.startLine) {
        case .incomplete: return false
        case .tooLong: throw .startLineTooLong
        case .bareLineFeed: throw .bareLineFeed
        case .bareCarriageReturn: throw .bareCarriageReturn
        case .line(let line):
            state = .fields(try StatusLine(line))
            return true
        }
    }

    private mutating func begin(_ line: StatusLine, _ fields: HeaderFields) throws(ParseFailure) -> Event {
        let head = ResponseHead(
            line.status, reason: line.reason, fields: fields, minorVersion: line.minorVersion)
        if line.status.isInformational && line.status != .switchingProtocols {
            state = .line
            return .interim(head)
        }
        let method = expected.removeFirst()
        let framing = try BodyFraming.ofResponse(
            line.status, to: method, fields, minorVersion: line.minorVersion)
        if line.status == .switchingProtocols || (method == .connect && line.status.isSuccess) {
            state = .raw
        } else {
            body = BodyReader(framing)
            state = .body
        }
        return .head(head, framing)
    }
}

/// `HTTP/d.d SP code [SP reason]` (RFC 9112 §4); the second space is often left out, and nothing hangs on it.
struct StatusLine: Equatable, Sendable {
    let minorVersion: Int
    let status: StatusCode
    let reason: String

    init(_ line: ArraySlice<UInt8>) throws(ParseFailure) {
        let rest = line.dropFirst(8)
        minorVersion = try RequestLine.minorVersion(line.prefix(8))
        let code = rest.dropFirst().prefix(3)
        guard rest.first == 0x20, code.count == 3, let number = Token.number(code),
            (100...599).contains(number)
        else { throw .badStatusLine }
        let phrase = rest.dropFirst(4)
        guard phrase.isEmpty || phrase.first == 0x20, phrase.allSatisfy(Token.isValueByte) else {
            throw .badStatusLine
        }
        status = StatusCode(number)
        reason = Token.text(phrase.dropFirst())
    }
}
