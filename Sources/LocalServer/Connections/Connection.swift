import Core
import HTTP1

/// One connection: requests are read on demand and answered in order, one at a time.
///
/// **Invariants between two events.**
/// - `exchange` is set if and only if `state` is `proxying`.
/// - While `state` is `waitingFor…`, exactly one call of ``HostCalls`` belongs to this connection; else none.
/// - `response` holds a file or a page load only while that response is being sent.
/// - At most one timer runs, and `timer` is its name.
struct Connection: Equatable, Sendable {
    enum State: Hashable, Sendable {
        /// No request yet, or one that is not complete.
        case reading
        /// A document is requested; the host chooses its version.
        case waitingForVersion
        case waitingForBridge
        /// Native code is called (``LocalServer/HandlerCallID``).
        case waitingForHandler
        case sending
        /// The remote root answers (``ProxyExchange``).
        case proxying
        /// `100 Continue` is being sent; the request's body follows it.
        case sendingContinue
        /// The last response has been sent, or is being sent: no further request is read.
        case closing
    }

    /// What a response in progress keeps until it has been sent.
    struct ResponseInProgress: Hashable, Sendable {
        struct File: Hashable, Sendable {
            var handle: FileHandle
            var path: DiskPath
            var site: String
        }

        /// The stored file that is its body.
        var file: File?
        /// The page load that it belongs to.
        var load: PageLoadToken?
    }

    /// Bytes of further requests that may wait while one is being answered: what a socket would
    /// hold.
    static let maximumUnread = 131_072

    let id: ConnectionID
    var parser: RequestParser
    var state = State.reading
    private(set) var request: RequestHead?
    /// Content of a request to the bridge or to a handler.
    private(set) var requestBody: [UInt8] = []
    /// More than ``maximumUnread`` bytes came while a request was unanswered; nothing more is read.
    private(set) var isOverrun = false
    var response = ResponseInProgress()
    /// The peer sends nothing more; it may still read (RFC 9112 §9.6).
    private(set) var peerHasFinished = false
    /// A request on it has passed the request policy: its peer has the session key.
    private(set) var isAuthenticated = false
    /// Orders connections by opening and use (``ConnectionTable``).
    var lastUse = 0
    private(set) var timer: LocalServer.TimerName?
    /// Time for which ``timer`` was set.
    private(set) var timerSpan = TimeSpan.zero
    /// The request that is being forwarded. Set by ``beginExchange(_:)`` and ``endExchange()`` alone.
    var exchange: ProxyExchange?
    private let bodyLimit: Int

    init(id: ConnectionID, limits: LocalServer.Limits) {
        self.id = id
        bodyLimit = limits.bodyBytes
        parser = RequestParser(
            limits: HTTPLimits(
                startLine: limits.requestLine, fieldLine: limits.requestLine, fieldBlock: limits.headerBlock,
                fieldLines: limits.headerLines, body: limits.bodyBytes))
    }

    /// Whether something was handed over and ``LocalServer/Event/sent(_:)`` has not come yet.
    var isSending: Bool {
        switch state {
        case .reading, .waitingForVersion, .waitingForBridge, .waitingForHandler: false
        case .proxying: exchange?.isSendingToPage ?? false
        case .sending, .sendingContinue, .closing: true
        }
    }

    /// Whether requests are parsed now: until one is complete; one that is forwarded, until enough of it
    /// waits for the remote root.
    var isReading: Bool {
        switch state {
        case .reading: true
        case .proxying: exchange.map { !$0.isRequestComplete && !$0.isPagePaused } ?? false
        case .waitingForVersion, .waitingForBridge, .waitingForHandler, .sending, .sendingContinue, .closing:
            false
        }
    }

    /// Whether the response to the current request may keep the connection open, as far as this connection
    /// decides (RFC 9112 §9.3).
    var mayStayOpen: Bool { state != .closing && (request?.keepsAlive ?? false) }

    // MARK: - Reading

    /// - Returns: false where nothing more is read.
    mutating func append(_ bytes: [UInt8]) -> Bool {
        guard state != .closing, !isOverrun else { return false }
        parser.append(bytes)
        if !isReading, parser.unread > Connection.maximumUnread { isOverrun = true }
        return true
    }

    mutating func finishReading() { peerHasFinished = true }

    mutating func begin(_ head: RequestHead) {
        request = head
        requestBody = []
    }

    mutating func appendToBody(_ bytes: [UInt8]) { requestBody += bytes }

    mutating func authenticate() { isAuthenticated = true }

    /// Reads the next request.
    mutating func endRequest() {
        state = .reading
        request = nil
    }

    // MARK: - Forwarding

    mutating func beginExchange(_ exchange: ProxyExchange) {
        self.exchange = exchange
        state = .proxying
        // The remote root sets the limit; none of the body is kept here.
        parser.limits.body = .max
    }

    mutating func endExchange() {
        exchange = nil
        parser.limits.body = bodyLimit
    }

    // MARK: - The timer

    /// - Returns: the timer that it replaces and that is to be cancelled.
    mutating func setTimer(_ name: LocalServer.TimerName, _ span: TimeSpan) -> LocalServer.TimerName? {
        defer { timer = name }
        timerSpan = span
        return timer == name ? nil : timer
    }

    /// - Returns: the timer to cancel.
    mutating func clearTimer() -> LocalServer.TimerName? {
        defer { timer = nil }
        return timer
    }
}
