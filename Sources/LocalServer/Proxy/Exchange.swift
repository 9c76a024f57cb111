import Core
import HTTP1

/// One API request on its way to the remote root and its answer on the way back (rule S7).
///
/// **What it promises.** What goes up is written anew from what was read, with one framing, on a connection
/// of its own: it can't mean another request there. What comes down is checked as strictly; a contradiction
/// before the head has left is a 502 with its cause, behind it the page's connection ends without the mark
/// that would make half a body a whole one (HT-X5, X6). Bodies stream both ways, one portion at a time.
///
/// **What it deliberately does not do.** Follow redirects, cache, decode contents, try again: whether a
/// request may be repeated is the page's to say (a connection that was never used before is closed by nobody
/// by mistake, HT-X10).
struct Exchange: Equatable, Sendable {
    let upstream: UpstreamID
    let root: RemoteRoot
    let request: RequestHead
    /// The page asks for a WebSocket, and the route allows it.
    let isUpgrade: Bool

    var parser = ResponseParser()
    /// Read from the page and not yet handed over.
    var up: [UInt8]
    var isConnected = false
    var isSendingUp = false
    /// The page's request is complete.
    var hasRequest = false
    /// A portion has been asked for.
    var isReceiving = false
    /// Read from the remote root and not yet handed over.
    var down: [UInt8] = []
    var isSendingDown = false
    var framing: Framing?
    /// Everything that the remote root will say has been read.
    var hasAnswer = false
    /// The page's connection carries another request after this answer.
    var keeps = false
    var isTunnel = false
    /// The page sends nothing more through the tunnel.
    var isFinishing = false
    /// The page's socket is not read: what it sent waits to go up.
    var isDeaf = false
    var pace: BodyThroughput

    /// How the answer's body reaches the page.
    enum Framing: Hashable, Sendable {
        case none
        case plain
        case chunked
    }

    /// Bytes that wait to go up, beyond which the page is not read.
    static let mostWaiting = 65_536

    init(
        _ upstream: UpstreamID, _ head: RequestHead, to root: RemoteRoot, _ gate: RequestPolicy,
        isUpgrade: Bool,
        at now: Instant
    ) {
        self.upstream = upstream
        self.root = root
        self.isUpgrade = isUpgrade
        request = head
        up = ProxyTable.request(head, to: root, gate, upgrades: isUpgrade).serialized()
        pace = BodyThroughput(since: now)
        parser.expect(head.method)
    }

    var hasHead: Bool { framing != nil }

    mutating func addUp(_ bytes: [UInt8]) {
        up += request.framing == .chunked && !isTunnel ? ChunkedEncoder.chunk(bytes) : bytes
    }

    mutating func endUp() {
        hasRequest = true
        if request.framing == .chunked { up += ChunkedEncoder.end }
    }

    /// Puts a final head before what goes down. The page's version decides how a body without a length ends.
    mutating func addHead(_ head: ResponseHead, _ body: BodyFraming, keeps wanted: Bool) {
        var fields = ProxyTable.answer(head)
        keeps = wanted
        switch body {
        case .none:
            framing = Framing.none
            // What the answer to GET would announce; a 204 and a 1xx announce nothing.
            if request.method == .head || head.status == .notModified,
                let length = head.fields["Content-Length"]
            {
                fields.append("Content-Length", length)
            }
        case .length(let length):
            framing = .plain
            fields.append("Content-Length", String(length))
        case .chunked, .untilClose:
            if request.minorVersion > 0 {
                framing = .chunked
                fields.append("Transfer-Encoding", "chunked")
            } else {
                framing = .plain
                keeps = false
            }
        }
        if !keeps {
            fields.append("Connection", "close")
        } else if request.minorVersion == 0 {
            fields.append("Connection", "keep-alive")
        }
        down += ResponseHead(head.status, reason: head.reason, fields: fields).serialized()
    }

    /// The remote root speaks WebSocket from here on (RFC 6455 §4.2.2).
    mutating func addSwitch(_ head: ResponseHead) {
        var fields = ProxyTable.answer(head)
        fields.append("Upgrade", "websocket")
        fields.append("Connection", "Upgrade")
        framing = Framing.none
        isTunnel = true
        down += ResponseHead(head.status, reason: head.reason, fields: fields).serialized() + parser.takeRaw()
    }

    mutating func addDown(_ bytes: [UInt8]) {
        down += framing == .chunked ? ChunkedEncoder.chunk(bytes) : bytes
    }

    mutating func endDown() {
        hasAnswer = true
        if framing == .chunked { down += ChunkedEncoder.end }
    }

    /// A 101 is an answer to a request for this very protocol only (HT-X12).
    func mayUpgrade(_ head: ResponseHead) -> Bool {
        isUpgrade && head.fields.tokens("Upgrade") == ["websocket"]
            && head.fields.tokens("Connection").contains("upgrade")
    }
}
