/// Parses the responses on a connection, in the order of the requests passed to ``expect(_:)``, because
/// whether a body follows depends on the request's method (RFC 9112 §6.3).
///
/// The parser reads nothing after ``Event/failure(_:)``. The caller reports a close by the peer with
/// ``close()``.
public struct ResponseParser: Equatable, Sendable {
    /// What has been parsed.
    public enum Event: Hashable, Sendable {
        /// A 1xx head other than 101; the final head follows later.
        case interim(ResponseHead)
        /// The final head, and how the end of the body is found.
        case head(ResponseHead, BodyFraming)
        /// At least one byte of content.
        case body([UInt8])
        /// The response is complete. Trailers are separate from the fields of the head.
        case end(trailers: HeaderFields)
        /// The bytes can't be parsed; no event follows.
        case failure(ParseFailure)
    }

    private enum State: Equatable, Sendable {
        case line
        case fields(StatusLine)
        case body
        case raw
        case failed
    }

    /// Limits on what the peer may send; may be changed between two events.
    public var limits: HTTPLimits
    private let syntax: HTTPSyntax
    private var queue = ByteQueue()
    private var state = State.line
    private var block: FieldBlock
    private var body: BodyReader
    /// Methods of the requests that have no final response yet, oldest first.
    private var expected: [RequestMethod] = []

    public init(limits: HTTPLimits = HTTPLimits(fieldBlock: 65_536), syntax: HTTPSyntax = .strict) {
        self.limits = limits
        self.syntax = syntax
        block = FieldBlock(syntax)
        body = BodyReader(.none, syntax)
    }

    /// Reports that a request was sent; its response follows those already expected.
    public mutating func expect(_ method: RequestMethod) { expected.append(method) }

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
            return fail(error)
        }
    }

    /// Reports that the peer has closed: this completes a body that extends to the close; it is a failure
    /// inside any other message and while a response is expected. nil when no response is expected. Call
    /// ``next()`` until it returns nil first.
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

    /// Whether the connection may carry another request: no response is expected and no byte is left over.
    public var isIdle: Bool { state == .line && expected.isEmpty && queue.isEmpty }

    /// Removes and returns the bytes after a 101 or after a 2xx to CONNECT, which are not HTTP.
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
                block = FieldBlock(syntax)
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
        switch queue.takeLine(limit: limits.startLine, syntax) {
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
            body = BodyReader(framing, syntax)
            state = .body
        }
        return .head(head, framing)
    }
}

/// `HTTP/d.d SP code [SP reason]` (RFC 9112 §4). The second space is optional here, because many senders omit
/// it and nothing depends on it.
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
