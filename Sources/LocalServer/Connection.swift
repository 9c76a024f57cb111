import Core
import HTTP1

/// One connection: requests are read on demand and answered in order, one at a time (HT-P13).
struct Connection: Equatable, Sendable {
    enum State: Hashable, Sendable {
        /// Nothing asked, or a head that is not complete.
        case reading
        /// A document was asked for; the host chooses the version.
        case waitingForVersion
        case waitingForBridge
        case sending
        /// Native code has been asked; see ``LocalServer/HandlerCall``.
        case waitingForHandler
        /// The remote root answers; see ``Exchange``.
        case passing
        /// `100 Continue` is on its way; the request's body comes behind it.
        case inviting
        /// The last answer has been sent, or will be: nothing more is read.
        case closing
    }

    let id: ConnectionID
    var parser: RequestParser
    var state = State.reading
    var head: RequestHead?
    /// Content of a request to the bridge or to a handler.
    var body: [UInt8] = []
    /// More came behind an unanswered request than is kept; nothing more is read.
    var isDeaf = false
    var file: FileHandle?
    var path: DiskPath?
    var load: PageLoadToken?
    var site: String?
    /// The peer sends nothing more; it may still read.
    var hasFinished = false
    /// A request on it has passed the gate: its peer has the key (S10).
    var isKnown = false
    /// Orders connections by opening and use, for the eviction of the longest idle one (HT-T3).
    var lastUse = 0
    var timer: LocalServer.TimerName?
    var exchange: Exchange?

    /// Something was handed over and ``LocalServer/Event/sent(_:)`` has not come yet.
    var isSending: Bool {
        switch state {
        case .reading, .waitingForVersion, .waitingForBridge, .waitingForHandler: false
        case .passing: exchange?.isSendingDown ?? false
        case .sending, .inviting, .closing: true
        }
    }

    init(id: ConnectionID, limits: LocalServer.Limits) {
        self.id = id
        parser = RequestParser(
            limits: HTTPLimits(
                startLine: limits.requestLine, fieldLine: limits.requestLine, fieldBlock: limits.headerBlock,
                fieldLines: limits.headerLines, body: limits.bodyBytes))
    }
}

extension LocalServer {
    mutating func use(_ place: Int) {
        uses += 1
        connections[place].lastUse = uses
    }

    /// Everything that will come has come; requests that wait are still answered.
    mutating func finished(_ id: ConnectionID, _ disk: inout some Disk) {
        guard let place = place(id) else { return }
        connections[place].hasFinished = true
        read(id, &disk)
        passFinished(id, &disk)
    }

    /// A part of a long answer has left: the peer reads, however slowly (HT-T2).
    mutating func progressed(_ id: ConnectionID) {
        guard let place = place(id), connections[place].timer == .write(id) else { return }
        setTimer(.write(id), configuration.limits.writeTimeout, id)
    }

    mutating func received(_ id: ConnectionID, _ bytes: [UInt8], _ disk: inout some Disk) {
        guard let place = place(id) else { return }
        guard connections[place].state != .closing, !connections[place].isDeaf else { return }
        connections[place].parser.append(bytes)
        if !isReading(id), connections[place].parser.unread > LocalServer.mostWaiting {
            connections[place].isDeaf = true
        }
        read(id, &disk)
    }

    /// Bytes of further requests that may wait behind one that is being answered: what a socket would hold
    /// (HT-P13).
    static let mostWaiting = 131_072

    func place(_ id: ConnectionID) -> Int? { connections.firstIndex { $0.id == id } }

    /// Reads on until a request is complete or bytes are missing; one that is passed on, until enough waits
    /// to go up.
    func isReading(_ id: ConnectionID) -> Bool {
        guard let place = place(id) else { return false }
        switch connections[place].state {
        case .reading: return true
        case .passing: return connections[place].exchange.map { !$0.hasRequest && !$0.isDeaf } ?? false
        case .waitingForVersion, .waitingForBridge, .sending, .waitingForHandler, .inviting, .closing:
            return false
        }
    }

    mutating func read(_ id: ConnectionID, _ disk: inout some Disk) {
        if let place = place(id), connections[place].exchange?.isTunnel == true { return passTunnel(id) }
        while isReading(id), let place = place(id), let event = connections[place].parser.next() {
            switch event {
            case .head(let head):
                connections[place].head = head
                connections[place].body = []
                begin(id, head, &disk)
            case .body(let bytes):
                if keepsBody(connections[place].head) { connections[place].body += bytes }
                passBody(id, bytes, &disk)
            case .end:
                if connections[place].exchange != nil {
                    use(place)
                    passEnd(id)
                    continue
                }
                guard let head = connections[place].head else { continue }
                use(place)
                cancelTimer(id)
                answer(id, head, &disk)
            case .failure(let failure):
                if connections[place].exchange != nil { return passFailed(id, failure, &disk) }
                refuse(id, failure.status, "\(failure)", closes: true)
            }
        }
        guard let place = place(id), connections[place].state == .reading else { return }
        if connections[place].hasFinished { return drop(id, &disk) }
        let limits = configuration.limits
        if connections[place].parser.isBetweenRequests {
            setTimer(.idle(id), limits.idleTimeout, id)
        } else {
            if case .head = connections[place].timer { return }
            setTimer(.head(id), limits.headTimeout, id)
        }
    }

    private func keepsBody(_ head: RequestHead?) -> Bool {
        guard let head else { return false }
        return isBridge(head) || isForHandler(head)
    }

    /// With a body to come: what is refused is refused at once and the connection closed behind it (HT-P12);
    /// a peer that waits is invited (HT-T6).
    private mutating func begin(_ id: ConnectionID, _ head: RequestHead, _ disk: inout some Disk) {
        let upgrades = remoteRow(for: head)
        guard head.framing != .none || upgrades != nil else { return }
        if let refusal = gate.refusal(of: head) {
            return refuse(id, refusal, closes: head.framing != .none)
        }
        admit(id, &disk)
        if let upgrades { return pass(id, head, upgrades: upgrades) }
        if case .length(let length) = head.framing, length > configuration.limits.bodyBytes {
            return refuse(id, .contentTooLarge, "the body is too long", closes: true)
        }
        guard head.expectation == .continue, let place = place(id) else { return }
        connections[place].state = .inviting
        effects.append(.send(id, Output(head: ResponseHead(.continue).serialized(), body: .none)))
        setTimer(.write(id), configuration.limits.writeTimeout, id)
    }

    mutating func sent(_ id: ConnectionID, _ disk: inout some Disk) {
        guard let place = place(id), connections[place].isSending else { return }
        if connections[place].state == .passing { return passSent(id, &disk) }
        release(place, &disk)
        cancelTimer(id)
        switch connections[place].state {
        case .reading, .waitingForVersion, .waitingForBridge, .waitingForHandler, .passing, .inviting:
            connections[place].state = .reading
        case .sending where !connections[place].isDeaf:
            connections[place].state = .reading
            connections[place].head = nil
        case .sending, .closing:
            connections.remove(at: place)
            effects.append(.close(id))
            return
        }
        read(id, &disk)
    }

    mutating func closed(_ id: ConnectionID, _ error: DiskError?, _ disk: inout some Disk) {
        guard let place = place(id) else { return }
        if let error, let path = connections[place].path, let site = connections[place].site {
            effects.append(.readFailed(site: site, path, error))
        }
        forget(place, &disk)
    }

    /// The only way in which the server gives up a connection that its peer has not closed: what is forgotten
    /// here and left open there would be neither answered nor closed ever again (S8).
    mutating func drop(_ id: ConnectionID, _ disk: inout some Disk) {
        guard let place = place(id) else { return }
        forget(place, &disk)
        effects.append(.close(id))
    }

    /// Nothing more is said than what was handed over already; a peer that doesn't take it has the write
    /// time-out. The state stays until then: a close drops what has not left.
    mutating func dropWhenSent(_ id: ConnectionID, _ disk: inout some Disk) {
        guard let place = place(id), connections[place].isSending else { return drop(id, &disk) }
        endExchange(id)
        connections[place].state = .closing
    }

    mutating func stopped(_ disk: inout some Disk) {
        hasTouchedDisk = true
        while let last = connections.last { drop(last.id, &disk) }
    }

    private mutating func forget(_ place: Int, _ disk: inout some Disk) {
        let id = connections[place].id
        release(place, &disk)
        cancelTimer(id)
        if let exchange = connections[place].exchange {
            effects.append(.upstream(exchange.upstream, .close))
        }
        connections.removeAll { $0.id == id }
        asked.removeAll { $0.connection == id }
        calls.removeAll { $0.connection == id }
        handlerCalls.removeAll { $0.connection == id }
    }

    /// The answer on this connection is over: its file is closed, its load waits for one answer less.
    private mutating func release(_ place: Int, _ disk: inout some Disk) {
        if let file = connections[place].file {
            connections[place].file = nil
            // Opened for reading only: an error of the close says nothing about what was sent.
            do { try disk.close(file) } catch { connections[place].path = nil }
        }
        guard let token = connections[place].load else { return }
        connections[place].load = nil
        answerEnded(token)
    }

    // MARK: Timers

    mutating func setTimer(_ name: TimerName, _ span: TimeSpan, _ id: ConnectionID) {
        guard let place = place(id) else { return }
        if let former = connections[place].timer, former != name { effects.append(.cancelTimer(former)) }
        connections[place].timer = name
        effects.append(.setTimer(name, after: span))
    }

    mutating func cancelTimer(_ id: ConnectionID) {
        guard let place = place(id), let name = connections[place].timer else { return }
        connections[place].timer = nil
        effects.append(.cancelTimer(name))
    }
}
