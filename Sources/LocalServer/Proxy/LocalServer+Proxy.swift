import Core
import HTTP1

/// API requests: from the page's connection to a separate one to the remote root, and back (rule S7).
extension LocalServer {
    /// The head of a request to the remote root has come.
    mutating func forward(_ id: ConnectionID, _ head: RequestHead, upgrades: Bool) {
        guard let index = connections.index(of: id) else { return }
        guard let root = routing.remoteRoot else {
            return refuse(
                id, .badGateway, "no remote root is configured", closes: head.framing != .none)
        }
        let isUpgrade = upgrades && LocalServer.requestsWebSocket(head)
        let upstream = routing.newUpstream()
        connections[index].beginExchange(
            ProxyExchange(upstream, head, to: root, policy, isUpgrade: isUpgrade, at: clock.now))
        effects.append(.setReadInterest(id, .always))
        effects.append(.upstream(upstream, .open(root)))
        setUpstreamTimer(id, configuration.limits.connectTimeout)
    }

    private static func requestsWebSocket(_ head: RequestHead) -> Bool {
        head.method == .get && head.minorVersion > 0 && head.framing == .none
            && head.fields.tokens("Upgrade") == ["websocket"]
            && head.fields.tokens("Connection").contains("upgrade")
    }

    // MARK: - From the page

    mutating func forwardBody(_ id: ConnectionID, _ bytes: [UInt8], _ disk: inout some Disk) {
        guard let index = connections.proxyingIndex(of: id) else { return }
        let minimum = configuration.limits.bodyBytesPerSecond
        if connections[index].exchange?.receiveBody(bytes, at: clock.now, atLeast: minimum) == false {
            return upstreamFailed(id, .requestTimeout, "the request took too long", &disk)
        }
        sendToRemote(id)
    }

    mutating func forwardEnd(_ id: ConnectionID) {
        guard let index = connections.proxyingIndex(of: id) else { return }
        connections[index].exchange?.endRequest()
        sendToRemote(id)
    }

    /// The request is malformed, or the page will not complete it: none of it counts.
    mutating func forwardFailed(_ id: ConnectionID, _ failure: ParseFailure, _ disk: inout some Disk) {
        guard let exchange = exchange(of: id) else { return }
        if exchange.hasHead || exchange.isSendingToPage { return dropWhenSent(id, &disk) }
        endExchange(id)
        refuse(id, failure.status, "\(failure)", closes: true)
    }

    mutating func forwardTunnel(_ id: ConnectionID) {
        guard let index = connections.proxyingIndex(of: id) else { return }
        let bytes = connections[index].parser.takeRaw()
        if bytes.isEmpty { return }
        connections[index].exchange?.receiveThroughTunnel(bytes)
        sendToRemote(id)
    }

    /// The page has ended its side.
    mutating func pageFinished(_ id: ConnectionID, _ disk: inout some Disk) {
        guard let index = connections.proxyingIndex(of: id), let exchange = connections[index].exchange else {
            return
        }
        if exchange.isTunnel {
            connections[index].exchange?.endTunnel()
            sendToRemote(id)
        } else if !exchange.isRequestComplete {
            dropWhenSent(id, &disk)
        }
    }

    /// Hands over what waits for the remote root, and pauses or resumes the page by what is left.
    private mutating func sendToRemote(_ id: ConnectionID) {
        guard let index = connections.proxyingIndex(of: id), let upstream = exchange(of: id)?.upstream else {
            return
        }
        if let command = connections[index].exchange?.nextCommand() {
            effects.append(.upstream(upstream, command))
        }
        if let interest = connections[index].exchange?.updateReadInterest(at: clock.now) {
            effects.append(.setReadInterest(id, interest))
        }
    }

    // MARK: - From the remote root

    mutating func handleUpstream(_ upstream: UpstreamID, _ event: UpstreamEvent, _ disk: inout some Disk) {
        guard let index = connections.index(of: upstream) else { return }
        let id = connections[index].id
        switch event {
        case .connected:
            connections[index].exchange?.connected()
            setUpstreamTimer(id, configuration.limits.answerTimeout)
            sendToRemote(id)
            receive(id)
        case .sent:
            connections[index].exchange?.sentToRemote()
            setUpstreamTimer(id, configuration.limits.answerTimeout)
            sendToRemote(id)
            read(id, &disk)
        case .bytes(let bytes):
            connections[index].exchange?.receive(bytes)
            setUpstreamTimer(id, configuration.limits.answerTimeout)
            readResponse(id, &disk)
        case .ended:
            responseEnded(id, &disk)
        case .failed(let failure):
            // A complete response needs nothing more of the remote root.
            if connections[index].exchange?.isResponseComplete == true { return }
            let status = failure == .timedOut ? StatusCode.gatewayTimeout : .badGateway
            upstreamFailed(id, status, failure.rawValue, &disk)
        }
    }

    private mutating func readResponse(_ id: ConnectionID, _ disk: inout some Disk) {
        while let index = connections.proxyingIndex(of: id),
            connections[index].exchange?.isResponseComplete == false
        {
            if connections[index].exchange?.isTunnel == true {
                connections[index].exchange?.passTunnel()
                break
            }
            guard let event = connections[index].exchange?.nextEvent() else { break }
            forwardResponse(event, id, &disk)
        }
        sendToPage(id, &disk)
    }

    private mutating func forwardResponse(
        _ event: ResponseParser.Event, _ id: ConnectionID, _ disk: inout some Disk
    ) {
        guard let index = connections.proxyingIndex(of: id), let exchange = exchange(of: id) else { return }
        switch event {
        case .interim(let head):
            // Interim responses other than an expected 100 are dropped.
            guard head.status == .continue, exchange.request.expectation == .continue else { return }
            connections[index].exchange?.addContinue()
        case .head(let head, let framing): responseBegins(id, head, framing, &disk)
        case .body(let bytes): connections[index].exchange?.addBody(bytes)
        case .end:
            // Its trailers are dropped; bytes after it answer no request.
            connections[index].exchange?.endResponse()
            effects.append(.upstream(exchange.upstream, .close))
        case .failure(let failure):
            upstreamFailed(id, .badGateway, "the remote root's answer is broken: \(failure)", &disk)
        }
    }

    private mutating func responseBegins(
        _ id: ConnectionID, _ head: ResponseHead, _ framing: BodyFraming, _ disk: inout some Disk
    ) {
        guard let index = connections.proxyingIndex(of: id), let exchange = exchange(of: id) else { return }
        let date = clock.dateField
        if head.status == .switchingProtocols {
            guard exchange.mayUpgrade(head) else {
                let sentence = "the remote root's answer is broken: a switch of protocols nobody asked for"
                return upstreamFailed(id, .badGateway, sentence, &disk)
            }
            connections[index].exchange?.beginTunnel(head, date: date)
            let early = connections[index].parser.becomeTunnel()
            connections[index].exchange?.receiveThroughTunnel(early)
            sendToRemote(id)
        } else {
            // After an incomplete request nothing on this connection is a request.
            let keeps =
                exchange.request.keepsAlive && exchange.isRequestComplete && !connections[index].isOverrun
                && !connections.hasTooManyAuthenticated
            connections[index].exchange?.addHead(
                head, framing, date: date, keepsPageConnection: keeps)
        }
        effects.append(
            .answered(
                AccessLogEntry(
                    method: exchange.request.method.name,
                    target: exchange.request.path.map(ReservedQueryItems.withoutKey) ?? "",
                    status: head.status.code,
                    type: head.fields["Content-Type"], load: nil, site: nil, isRemote: true)))
    }

    private mutating func responseEnded(_ id: ConnectionID, _ disk: inout some Disk) {
        guard let index = connections.proxyingIndex(of: id), let exchange = exchange(of: id),
            !exchange.isResponseComplete
        else { return }
        if exchange.isTunnel {
            connections[index].exchange?.completeTunnel()
            return sendToPage(id, &disk)
        }
        guard let event = connections[index].exchange?.close() else {
            return upstreamFailed(id, .badGateway, "no answer came", &disk)
        }
        forwardResponse(event, id, &disk)
        sendToPage(id, &disk)
    }

    /// Before the response's head has left, the server answers in its place; after it the connection ends,
    /// and no end mark says that the body is whole.
    private mutating func upstreamFailed(
        _ id: ConnectionID, _ status: StatusCode, _ sentence: String, _ disk: inout some Disk
    ) {
        guard let exchange = exchange(of: id) else { return }
        // An interim response may be under way; nothing can be sent after it before it has left.
        if exchange.hasHead || exchange.isSendingToPage { return dropWhenSent(id, &disk) }
        endExchange(id)
        refuse(id, status, sentence, closes: !exchange.isRequestComplete)
    }

    // MARK: - To the page

    private mutating func sendToPage(_ id: ConnectionID, _ disk: inout some Disk) {
        guard let index = connections.proxyingIndex(of: id), exchange(of: id)?.isSendingToPage == false
        else { return }
        if let bytes = connections[index].exchange?.takeForPage() {
            effects.append(.send(id, Output(head: bytes, body: .none)))
            setTimer(.write(id), configuration.limits.writeTimeout, id)
        } else if connections[index].exchange?.isResponseComplete == true {
            finishExchange(id, &disk)
        } else {
            setUpstreamTimer(id, configuration.limits.answerTimeout)
            receive(id)
        }
    }

    /// Everything that was handed over to the page has left.
    mutating func sentToPage(_ id: ConnectionID, _ disk: inout some Disk) {
        guard let index = connections.proxyingIndex(of: id) else { return }
        connections[index].exchange?.sentToPage()
        sendToPage(id, &disk)
    }

    private mutating func receive(_ id: ConnectionID) {
        guard let index = connections.proxyingIndex(of: id), let upstream = exchange(of: id)?.upstream,
            connections[index].exchange?.beginReceiving() == true
        else { return }
        effects.append(.upstream(upstream, .receive))
    }

    /// The whole response has left.
    private mutating func finishExchange(_ id: ConnectionID, _ disk: inout some Disk) {
        guard let index = connections.proxyingIndex(of: id), let exchange = exchange(of: id) else { return }
        guard exchange.keepsPageConnection, !exchange.isTunnel, !connections[index].isOverrun else {
            return drop(id, &disk)
        }
        endExchange(id)
        connections[index].endRequest()
        cancelTimer(id)
        read(id, &disk)
    }

    /// Closes the connection to the remote root; the page's stays and is read again.
    mutating func endExchange(_ id: ConnectionID) {
        guard let index = connections.proxyingIndex(of: id), let upstream = exchange(of: id)?.upstream else {
            return
        }
        effects.append(.upstream(upstream, .close))
        effects.append(.setReadInterest(id, .betweenAnswers))
        connections[index].endExchange()
    }

    private func exchange(of id: ConnectionID) -> ProxyExchange? {
        connections.index(of: id).flatMap { connections[$0].exchange }
    }

    // MARK: - Timeouts

    /// Limits how long the remote root may be silent now.
    private mutating func setUpstreamTimer(_ id: ConnectionID, _ span: TimeSpan) {
        guard let exchange = exchange(of: id), !exchange.isSendingToPage else { return }
        setTimer(.upstream(id), exchange.isTunnel ? configuration.limits.tunnelTimeout : span, id)
    }

    mutating func upstreamSilent(_ id: ConnectionID, _ disk: inout some Disk) {
        guard let exchange = exchange(of: id) else { return }
        // A page that does not complete its request keeps the remote root from answering.
        if exchange.isWaitingForPage {
            return upstreamFailed(id, .requestTimeout, "the request took too long", &disk)
        }
        upstreamFailed(id, .gatewayTimeout, UpstreamFailure.timedOut.rawValue, &disk)
    }
}
