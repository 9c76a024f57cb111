import Core
import HTTP1

/// API requests: from the page's connection to one of their own to the remote root, and back (rule S7).
extension LocalServer {
    /// The head of a request to the remote root has come.
    mutating func pass(_ id: ConnectionID, _ head: RequestHead, upgrades: Bool) {
        guard let place = place(id) else { return }
        guard let root = remote else {
            return refuse(
                id, .badGateway, "no remote root is configured", closes: head.framing != .none)
        }
        let isUpgrade = upgrades && LocalServer.asksForWebSocket(head)
        let upstream = UpstreamID(nextUpstream)
        nextUpstream += 1
        connections[place].exchange = Exchange(upstream, head, to: root, gate, isUpgrade: isUpgrade, at: now)
        connections[place].state = .passing
        // The remote root sets the limit; nothing of it is kept here.
        connections[place].parser.limits.body = .max
        effects.append(.hear(id, .always))
        effects.append(.upstream(upstream, .open(root)))
        wait(id, configuration.limits.connectTimeout)
    }

    private static func asksForWebSocket(_ head: RequestHead) -> Bool {
        head.method == .get && head.minorVersion > 0 && head.framing == .none
            && head.fields.tokens("Upgrade") == ["websocket"]
            && head.fields.tokens("Connection").contains("upgrade")
    }

    private func place(_ upstream: UpstreamID) -> Int? {
        connections.firstIndex { $0.exchange?.upstream == upstream }
    }

    private func change(_ id: ConnectionID) -> Int? {
        place(id).flatMap { connections[$0].exchange == nil ? nil : $0 }
    }

    // MARK: From the page

    mutating func passBody(_ id: ConnectionID, _ bytes: [UInt8], _ disk: inout some Disk) {
        guard let place = change(id) else { return }
        let least = configuration.limits.bodyBytesPerSecond
        if connections[place].exchange?.pace.took(bytes.count, at: now, atLeast: least) == false {
            return upstreamFailed(id, .requestTimeout, "the request took too long", &disk)
        }
        connections[place].exchange?.addUp(bytes)
        sendUp(id)
    }

    mutating func passEnd(_ id: ConnectionID) {
        guard let place = change(id) else { return }
        connections[place].exchange?.endUp()
        sendUp(id)
    }

    /// The request is broken, or the page will not complete it: nothing of it counts (HT-X9).
    mutating func passFailed(_ id: ConnectionID, _ failure: ParseFailure, _ disk: inout some Disk) {
        guard let exchange = place(id).flatMap({ connections[$0].exchange }) else { return }
        if exchange.hasHead || exchange.isSendingDown { return dropWhenSent(id, &disk) }
        endExchange(id)
        refuse(id, failure.status, "\(failure)", closes: true)
    }

    mutating func passTunnel(_ id: ConnectionID) {
        guard let place = change(id) else { return }
        let bytes = connections[place].parser.takeRaw()
        if bytes.isEmpty { return }
        connections[place].exchange?.addUp(bytes)
        sendUp(id)
    }

    /// The page has ended its side.
    mutating func passFinished(_ id: ConnectionID, _ disk: inout some Disk) {
        guard let place = change(id), let exchange = connections[place].exchange else { return }
        if exchange.isTunnel {
            connections[place].exchange?.isFinishing = true
            sendUp(id)
        } else if !exchange.hasRequest {
            dropWhenSent(id, &disk)
        }
    }

    /// Hands over what waits, and hears the page or not, by how much waits behind it.
    private mutating func sendUp(_ id: ConnectionID) {
        guard let place = change(id), var exchange = connections[place].exchange else { return }
        if exchange.isConnected, !exchange.isSendingUp, !exchange.hasAnswer {
            if !exchange.up.isEmpty {
                effects.append(.upstream(exchange.upstream, .send(exchange.up)))
                exchange.up = []
                exchange.isSendingUp = true
            } else if exchange.isFinishing {
                effects.append(.upstream(exchange.upstream, .finish))
                exchange.isFinishing = false
            }
        }
        let isTooMuch = exchange.up.count > Exchange.mostWaiting
        if isTooMuch != exchange.isDeaf {
            exchange.isDeaf = isTooMuch
            exchange.pace.restart(at: now)
            effects.append(.hear(id, isTooMuch ? .never : .always))
        }
        connections[place].exchange = exchange
    }

    // MARK: From the remote root

    mutating func upstream(_ upstream: UpstreamID, _ event: UpstreamEvent, _ disk: inout some Disk) {
        guard let place = place(upstream) else { return }
        let id = connections[place].id
        switch event {
        case .connected:
            connections[place].exchange?.isConnected = true
            wait(id, configuration.limits.answerTimeout)
            sendUp(id)
            receive(id)
        case .sent:
            connections[place].exchange?.isSendingUp = false
            wait(id, configuration.limits.answerTimeout)
            sendUp(id)
            read(id, &disk)
        case .bytes(let bytes):
            connections[place].exchange?.isReceiving = false
            connections[place].exchange?.parser.append(bytes)
            wait(id, configuration.limits.answerTimeout)
            readAnswer(id, &disk)
        case .ended:
            connections[place].exchange?.isReceiving = false
            answerEnded(id, &disk)
        case .failed(let failure):
            // Nothing was wanted of it any more.
            if connections[place].exchange?.hasAnswer == true { return }
            let status = failure == .timedOut ? StatusCode.gatewayTimeout : .badGateway
            upstreamFailed(id, status, failure.rawValue, &disk)
        }
    }

    private mutating func readAnswer(_ id: ConnectionID, _ disk: inout some Disk) {
        while let place = change(id), var exchange = connections[place].exchange, !exchange.hasAnswer {
            if exchange.isTunnel {
                exchange.addDown(exchange.parser.takeRaw())
                connections[place].exchange = exchange
                break
            }
            guard let event = exchange.parser.next() else { break }
            connections[place].exchange?.parser = exchange.parser
            take(event, id, &disk)
        }
        sendDown(id, &disk)
    }

    private mutating func take(
        _ event: ResponseParser.Event, _ id: ConnectionID, _ disk: inout some Disk
    ) {
        guard let place = change(id), let exchange = connections[place].exchange else { return }
        switch event {
        case .interim(let head):
            // Others than the one that was asked for are dropped (HT-X13).
            guard head.status == .continue, exchange.request.expectation == .continue else { return }
            connections[place].exchange?.down += ResponseHead(.continue).serialized()
        case .head(let head, let framing): answerBegins(id, head, framing, &disk)
        case .body(let bytes): connections[place].exchange?.addDown(bytes)
        case .end:
            // Its trailers are dropped; what stands behind it was never asked for (HT-X5).
            connections[place].exchange?.endDown()
            effects.append(.upstream(exchange.upstream, .close))
        case .failure(let failure):
            upstreamFailed(id, .badGateway, "the remote root's answer is broken: \(failure)", &disk)
        }
    }

    private mutating func answerBegins(
        _ id: ConnectionID, _ head: ResponseHead, _ framing: BodyFraming, _ disk: inout some Disk
    ) {
        guard let place = change(id), let exchange = connections[place].exchange else { return }
        if head.status == .switchingProtocols {
            guard exchange.mayUpgrade(head) else {
                let sentence = "the remote root's answer is broken: a switch of protocols nobody asked for"
                return upstreamFailed(id, .badGateway, sentence, &disk)
            }
            connections[place].exchange?.addSwitch(head)
            let early = connections[place].parser.becomeTunnel()
            connections[place].exchange?.addUp(early)
            sendUp(id)
        } else {
            // Behind a request that is not complete nothing on this connection is a request (HT-P12).
            let keeps =
                exchange.request.keepsAlive && exchange.hasRequest && !connections[place].isDeaf
                && !hasTooManyKnown
            connections[place].exchange?.addHead(head, framing, keeps: keeps)
        }
        effects.append(
            .answered(
                Answer(
                    method: exchange.request.method.name,
                    target: exchange.request.path.map(ReservedQueryItems.withoutKey) ?? "",
                    status: head.status.code,
                    type: head.fields["Content-Type"], load: nil, site: nil, isRemote: true)))
    }

    private mutating func answerEnded(_ id: ConnectionID, _ disk: inout some Disk) {
        guard let place = change(id), var exchange = connections[place].exchange, !exchange.hasAnswer else {
            return
        }
        if exchange.isTunnel {
            connections[place].exchange?.hasAnswer = true
            return sendDown(id, &disk)
        }
        let event = exchange.parser.close()
        connections[place].exchange?.parser = exchange.parser
        guard let event else { return upstreamFailed(id, .badGateway, "no answer came", &disk) }
        take(event, id, &disk)
        sendDown(id, &disk)
    }

    /// Before the head has left it is an answer of ours; behind it the connection ends, and no mark says that
    /// the body is whole (HT-X6).
    private mutating func upstreamFailed(
        _ id: ConnectionID, _ status: StatusCode, _ sentence: String, _ disk: inout some Disk
    ) {
        guard let exchange = place(id).flatMap({ connections[$0].exchange }) else { return }
        // An interim answer may still be on its way; nothing can be put behind it before it has left.
        if exchange.hasHead || exchange.isSendingDown { return dropWhenSent(id, &disk) }
        endExchange(id)
        refuse(id, status, sentence, closes: !exchange.hasRequest)
    }

    // MARK: To the page

    private mutating func sendDown(_ id: ConnectionID, _ disk: inout some Disk) {
        guard let place = change(id), var exchange = connections[place].exchange, !exchange.isSendingDown
        else { return }
        if !exchange.down.isEmpty {
            effects.append(.send(id, Output(head: exchange.down, body: .none)))
            exchange.down = []
            exchange.isSendingDown = true
            connections[place].exchange = exchange
            setTimer(.write(id), configuration.limits.writeTimeout, id)
        } else if exchange.hasAnswer {
            passed(id, &disk)
        } else {
            wait(id, configuration.limits.answerTimeout)
            receive(id)
        }
    }

    /// Everything that was handed over has left.
    mutating func passSent(_ id: ConnectionID, _ disk: inout some Disk) {
        guard let place = change(id) else { return }
        connections[place].exchange?.isSendingDown = false
        sendDown(id, &disk)
    }

    private mutating func receive(_ id: ConnectionID) {
        guard let place = change(id), let exchange = connections[place].exchange, exchange.isConnected,
            !exchange.isReceiving
        else { return }
        connections[place].exchange?.isReceiving = true
        effects.append(.upstream(exchange.upstream, .receive))
    }

    /// The answer is out.
    private mutating func passed(_ id: ConnectionID, _ disk: inout some Disk) {
        guard let place = change(id), let exchange = connections[place].exchange else { return }
        guard exchange.keeps, !exchange.isTunnel, !connections[place].isDeaf else { return drop(id, &disk) }
        endExchange(id)
        connections[place].state = .reading
        connections[place].head = nil
        cancelTimer(id)
        read(id, &disk)
    }

    /// The connection to the remote root is given up; the page's goes on, and is heard again.
    mutating func endExchange(_ id: ConnectionID) {
        guard let place = change(id), let exchange = connections[place].exchange else { return }
        effects.append(.upstream(exchange.upstream, .close))
        effects.append(.hear(id, .betweenAnswers))
        connections[place].exchange = nil
        connections[place].parser.limits.body = configuration.limits.bodyBytes
    }

    /// How long the remote root may be silent now.
    private mutating func wait(_ id: ConnectionID, _ span: TimeSpan) {
        guard let place = change(id), let exchange = connections[place].exchange, !exchange.isSendingDown
        else { return }
        let limit = exchange.isTunnel ? configuration.limits.tunnelTimeout : span
        setTimer(.upstream(id), limit, id)
    }

    mutating func upstreamSilent(_ id: ConnectionID, _ disk: inout some Disk) {
        guard let exchange = place(id).flatMap({ connections[$0].exchange }) else { return }
        // A page that does not complete its request keeps the remote root from answering.
        guard exchange.isConnected, !exchange.hasRequest, exchange.up.isEmpty, !exchange.isSendingUp else {
            return upstreamFailed(id, .gatewayTimeout, UpstreamFailure.timedOut.rawValue, &disk)
        }
        upstreamFailed(id, .requestTimeout, "the request took too long", &disk)
    }
}
