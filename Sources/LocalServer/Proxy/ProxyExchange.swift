import Core
import HTTP1

/// One API request on its way to the remote root, and its response on the way back (rule S7).
///
/// **What it promises.** The request is written anew from what was parsed, with one framing, on a separate
/// connection: it can't mean another request there. The response is read as browsers read it
/// (``HTTPSyntax/tolerant``) and written anew too. A contradiction in it before its head has left is a 502
/// with its cause, after it the page's connection ends without the end mark that would make half a body a
/// whole one. Bodies stream both ways, one portion at a time.
///
/// **Invariants.**
/// - At most one portion is being sent in each direction, and at most one is requested from the remote root;
///   a portion leaves the buffer when it is handed over.
/// - At most ``maximumUnsent`` bytes and one portion wait for the remote root, because the page is not read
///   beyond that; while it is paused, its throughput is not measured.
/// - `framing` is set once, when a final head has been written.
/// - After `isResponseComplete` nothing is sent to the remote root.
///
/// **What it deliberately does not do.** Follow redirects, cache, decode contents, retry: whether a request
/// may be repeated is the page's decision. (No retry is needed for a connection that the remote root closed
/// while it was idle, because every exchange has a new one.)
struct ProxyExchange: Equatable, Sendable {
    /// How the response's body reaches the page.
    enum Framing: Hashable, Sendable {
        case none
        case plain
        case chunked
    }

    /// Bytes that wait for the remote root, beyond which the page is not read.
    static let maximumUnsent = 65_536

    let upstream: UpstreamID
    let request: RequestHead
    private let root: RemoteRoot
    /// The page requests a WebSocket, and the route allows it.
    let isUpgrade: Bool
    /// Both sides speak WebSocket now; bytes pass unchanged.
    private(set) var isTunnel = false

    // Towards the remote root.
    private(set) var isConnected = false
    /// Read from the page and not yet handed over.
    private var toRemote: [UInt8]
    private var isSendingToRemote = false
    private(set) var isRequestComplete = false
    /// The page sends nothing more through the tunnel.
    private var endsTunnel = false
    /// The page's socket is not read, because too much waits for the remote root.
    private(set) var isPagePaused = false
    private var throughput: BodyThroughput

    // Towards the page.
    private var parser = ResponseParser(syntax: .tolerant)
    /// A portion has been requested.
    private var isReceiving = false
    /// Read from the remote root and not yet handed over.
    private var toPage: [UInt8] = []
    private(set) var isSendingToPage = false
    private var framing: Framing?
    /// The whole response has been read.
    private(set) var isResponseComplete = false
    /// The page's connection carries another request after this response.
    private(set) var keepsPageConnection = false

    init(
        _ upstream: UpstreamID, _ head: RequestHead, to root: RemoteRoot, _ policy: RequestPolicy,
        isUpgrade: Bool, at now: Instant
    ) {
        self.upstream = upstream
        self.isUpgrade = isUpgrade
        request = head
        self.root = root
        toRemote = ProxyHeaderRules.request(head, to: root, policy, upgrades: isUpgrade).serialized()
        throughput = BodyThroughput(since: now)
        parser.expect(head.method)
    }

    /// Whether a final head has been written for the page.
    var hasHead: Bool { framing != nil }

    /// Whether the remote root is silent because the page does not complete its request.
    var isWaitingForPage: Bool {
        isConnected && !isRequestComplete && toRemote.isEmpty && !isSendingToRemote
    }

    // MARK: - Towards the remote root

    mutating func connected() { isConnected = true }

    mutating func sentToRemote() { isSendingToRemote = false }

    /// Takes bytes of the request's body.
    /// - Returns: false where they came too slowly.
    mutating func receiveBody(_ bytes: [UInt8], at now: Instant, atLeast bytesPerSecond: Int) -> Bool {
        guard throughput.add(bytes.count, at: now, atLeast: bytesPerSecond) else { return false }
        toRemote += request.framing == .chunked && !isTunnel ? ChunkedEncoder.chunk(bytes) : bytes
        return true
    }

    /// Takes bytes that the page sends through the tunnel.
    mutating func receiveThroughTunnel(_ bytes: [UInt8]) { toRemote += bytes }

    mutating func endRequest() {
        isRequestComplete = true
        if request.framing == .chunked { toRemote += ChunkedEncoder.end }
    }

    mutating func endTunnel() { endsTunnel = true }

    /// The next command for the upstream connection, if one is due.
    mutating func nextCommand() -> UpstreamCommand? {
        guard isConnected, !isSendingToRemote, !isResponseComplete else { return nil }
        if !toRemote.isEmpty {
            defer { toRemote = [] }
            isSendingToRemote = true
            return .send(toRemote)
        }
        guard endsTunnel else { return nil }
        endsTunnel = false
        return .finish
    }

    /// Pauses or resumes reading the page, by how much waits for the remote root.
    /// - Returns: nil where nothing changes.
    mutating func updateReadInterest(at now: Instant) -> LocalServer.ReadInterest? {
        let isTooMuch = toRemote.count > ProxyExchange.maximumUnsent
        guard isTooMuch != isPagePaused else { return nil }
        isPagePaused = isTooMuch
        throughput.restart(at: now)
        return isTooMuch ? .never : .always
    }

    /// The page was not read for a while.
    mutating func restartThroughput(at now: Instant) { throughput.restart(at: now) }

    // MARK: - From the remote root

    /// - Returns: whether a portion is to be requested.
    mutating func beginReceiving() -> Bool {
        guard isConnected, !isReceiving else { return false }
        isReceiving = true
        return true
    }

    mutating func receive(_ bytes: [UInt8]) {
        isReceiving = false
        parser.append(bytes)
    }

    /// What has been received next of the response; nil: more bytes are needed.
    mutating func nextEvent() -> ResponseParser.Event? { parser.next() }

    /// Passes what the remote root has sent through the tunnel.
    mutating func passTunnel() { toPage += parser.takeRaw() }

    /// What the end of the connection means for the response; nil: none came.
    mutating func close() -> ResponseParser.Event? { parser.close() }

    /// The remote root has ended its side of the tunnel.
    mutating func completeTunnel() { isResponseComplete = true }

    // MARK: - Towards the page

    /// Adds `100 Continue` before what goes to the page.
    mutating func addContinue() { toPage += ResponseHead(.continue).serialized() }

    /// Adds a final head. The HTTP version of the page decides how a body without a length ends.
    /// - Parameters:
    ///   - date: for a response that has none
    ///   - keepsPageConnection: whether the page's connection may be used again
    mutating func addHead(
        _ head: ResponseHead, _ body: BodyFraming, date: String?, keepsPageConnection mayKeep: Bool
    ) {
        var fields = ProxyHeaderRules.response(head, to: request, from: root, date: date)
        keepsPageConnection = mayKeep
        switch body {
        case .none:
            framing = Framing.none
            // What the response to GET would announce; a 204 and a 1xx announce nothing.
            if request.method == .head || head.status == .notModified,
                let length = head.fields["Content-Length"]
            {
                fields.append("Content-Length", length)
            }
        case .length(let length):
            framing = .plain
            fields.append("Content-Length", "\(length)")
        case .chunked, .untilClose:
            if request.minorVersion > 0 {
                framing = .chunked
                fields.append("Transfer-Encoding", "chunked")
            } else {
                framing = .plain
                keepsPageConnection = false
            }
        }
        if !keepsPageConnection {
            fields.append("Connection", "close")
        } else if request.minorVersion == 0 {
            fields.append("Connection", "keep-alive")
        }
        toPage += ResponseHead(head.status, reason: head.reason, fields: fields).serialized()
    }

    /// The remote root speaks WebSocket after this head (RFC 6455 §4.2.2).
    mutating func beginTunnel(_ head: ResponseHead, date: String?) {
        var fields = ProxyHeaderRules.response(head, to: request, from: root, date: date)
        fields.append("Upgrade", "websocket")
        fields.append("Connection", "Upgrade")
        framing = Framing.none
        isTunnel = true
        toPage += ResponseHead(head.status, reason: head.reason, fields: fields).serialized()
        passTunnel()
    }

    mutating func addBody(_ bytes: [UInt8]) {
        toPage += framing == .chunked ? ChunkedEncoder.chunk(bytes) : bytes
    }

    mutating func endResponse() {
        isResponseComplete = true
        if framing == .chunked { toPage += ChunkedEncoder.end }
    }

    /// Takes what is to be handed over to the page now; nil: nothing waits.
    mutating func takeForPage() -> [UInt8]? {
        guard !toPage.isEmpty else { return nil }
        defer { toPage = [] }
        isSendingToPage = true
        return toPage
    }

    mutating func sentToPage() { isSendingToPage = false }

    /// A 101 is a response to a request for this very protocol only.
    func mayUpgrade(_ head: ResponseHead) -> Bool {
        isUpgrade && head.fields.tokens("Upgrade") == ["websocket"]
            && head.fields.tokens("Connection").contains("upgrade")
    }
}
