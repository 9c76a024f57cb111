import Core
import HTTP1

/// The life of a connection: opened, read, answered, closed.
extension LocalServer {
    /// Connection of the page whose request is forwarded on an upstream connection; nil: none.
    package func connection(of upstream: UpstreamID) -> ConnectionID? {
        connections.index(of: upstream).map { connections[$0].id }
    }

    mutating func opened(_ id: ConnectionID, _ disk: inout some Disk) {
        guard case .accepted(let closing) = connections.admission else {
            effects.append(.close(id))
            return
        }
        if let closing { drop(closing, &disk) }
        connections.add(id)
        setTimer(.head(id), configuration.limits.headTimeout, id)
    }

    /// A request of this connection has passed the request policy.
    mutating func authenticate(_ id: ConnectionID, _ disk: inout some Disk) {
        guard let index = connections.index(of: id), !connections[index].isAuthenticated else { return }
        connections[index].authenticate()
        effects.append(.authenticated(id))
        if let idle = connections.authenticatedToClose(sparing: id) { drop(idle, &disk) }
    }

    // MARK: - Reading

    mutating func received(_ id: ConnectionID, _ bytes: [UInt8], _ disk: inout some Disk) {
        guard let index = connections.index(of: id), connections[index].append(bytes) else { return }
        read(id, &disk)
    }

    /// Everything that the peer sends has come; requests that wait are still answered.
    mutating func finished(_ id: ConnectionID, _ disk: inout some Disk) {
        guard let index = connections.index(of: id) else { return }
        connections[index].finishReading()
        read(id, &disk)
        pageFinished(id, &disk)
    }

    /// Reads until a request is complete or bytes are missing.
    mutating func read(_ id: ConnectionID, _ disk: inout some Disk) {
        if let index = connections.index(of: id), connections[index].exchange?.isTunnel == true {
            return forwardTunnel(id)
        }
        while let index = connections.index(of: id), connections[index].isReading,
            let event = connections[index].parser.next()
        {
            switch event {
            case .head(let head):
                connections[index].begin(head)
                begin(id, head, &disk)
            case .body(let bytes):
                if let head = connections[index].request, routing.readsBody(of: head) {
                    connections[index].appendToBody(bytes)
                }
                forwardBody(id, bytes, &disk)
            case .end:
                if connections[index].exchange != nil {
                    connections.markUsed(index)
                    forwardEnd(id)
                    continue
                }
                guard let head = connections[index].request else { continue }
                connections.markUsed(index)
                cancelTimer(id)
                answer(id, head, &disk)
            case .failure(let failure):
                if connections[index].exchange != nil { return forwardFailed(id, failure, &disk) }
                refuse(id, failure.status, "\(failure)", closes: true)
            }
        }
        awaitRequest(id, &disk)
    }

    /// Sets the deadline for what is to come, if a request is expected.
    private mutating func awaitRequest(_ id: ConnectionID, _ disk: inout some Disk) {
        guard let index = connections.index(of: id), connections[index].state == .reading else { return }
        if connections[index].peerHasFinished {
            reportNotTaken(id)
            return drop(id, &disk)
        }
        let limits = configuration.limits
        if connections[index].parser.isBetweenRequests {
            setTimer(.idle(id), limits.idleTimeout, id)
        } else {
            if case .head = connections[index].timer { return }
            setTimer(.head(id), limits.headTimeout, id)
        }
    }

    /// A head has come. A request with a body is refused at once where it is refused, and the connection
    /// closed after it, so that its body is never read as a request; a peer that expects `100 Continue` gets
    /// it.
    private mutating func begin(_ id: ConnectionID, _ head: RequestHead, _ disk: inout some Disk) {
        let upgrades = routing.remoteUpgrades(for: head)
        guard head.framing != .none || upgrades != nil else { return }
        if let refusal = policy.refusal(of: head) {
            return refuse(id, refusal, closes: head.framing != .none)
        }
        authenticate(id, &disk)
        if let upgrades {
            if openElsewhere(id, head) { return }
            return forward(id, head, upgrades: upgrades)
        }
        let bodyLimit = UntrustedInteger(configuration.limits.bodyBytes)
        if case .length(let length) = head.framing, length > bodyLimit {
            return refuse(id, .contentTooLarge, "the body is too long", closes: true)
        }
        guard head.expectation == .continue, let index = connections.index(of: id) else { return }
        connections[index].state = .sendingContinue
        effects.append(.send(id, Output(head: ResponseHead(.continue).serialized(), body: .none)))
        setTimer(.write(id), configuration.limits.writeTimeout, id)
    }

    // MARK: - Sending

    /// A part of a long response has left: the peer reads, however slowly, so its time begins again.
    mutating func progressed(_ id: ConnectionID) {
        guard let index = connections.index(of: id), connections[index].timer == .write(id) else { return }
        setTimer(.write(id), configuration.limits.writeTimeout, id)
    }

    mutating func sent(_ id: ConnectionID, _ disk: inout some Disk) {
        guard let index = connections.index(of: id), connections[index].isSending else { return }
        if connections[index].state == .proxying { return sentToPage(id, &disk) }
        // What is sent to a peer that has ended its side may not arrive.
        if !connections[index].peerHasFinished { pageLoads.sent(connections[index].response.load, on: id) }
        endResponse(index, &disk)
        cancelTimer(id)
        switch connections[index].state {
        case .reading, .waitingForVersion, .waitingForBridge, .waitingForHandler, .proxying, .sendingContinue:
            connections[index].state = .reading
        case .sending where !connections[index].isOverrun: connections[index].endRequest()
        case .sending, .closing:
            if connections[index].peerHasFinished { reportNotTaken(id) }
            connections.remove(id)
            effects.append(.close(id))
            return
        }
        read(id, &disk)
    }

    /// The response on this connection is over: its file is closed, and its page load has one response less
    /// in progress.
    private mutating func endResponse(_ index: Int, _ disk: inout some Disk) {
        let response = connections[index].response
        connections[index].response = Connection.ResponseInProgress()
        if let file = response.file { closeAfterReading(file.handle, &disk) }
        guard let token = response.load, pageLoads.endResponse(token) else { return }
        effects.append(.sending(token, false))
    }

    private func closeAfterReading(_ handle: FileHandle, _ disk: inout some Disk) {
        do {
            try disk.close(handle)
        } catch {
            // The file was opened for reading only: an error of the close says nothing about what was sent.
        }
    }

    // MARK: - Closing

    /// The peer is gone.
    mutating func closed(_ id: ConnectionID, _ error: DiskError?, _ disk: inout some Disk) {
        guard let index = connections.index(of: id) else { return }
        // Where a file can't be read, the peer is still there (R10).
        if error == nil { reportNotTaken(id) }
        if let error, let file = connections[index].response.file {
            effects.append(.readFailed(site: file.site, file.path, error))
        }
        forget(index, &disk)
    }

    /// The peer is gone: what it has requested and not got is reported, once.
    private mutating func reportNotTaken(_ id: ConnectionID) {
        if let navigation = hostCalls.navigations.call(of: id) { effects.append(.navigationGone(navigation)) }
        for token in pageLoads.takeLoads(carriedBy: id) { effects.append(.documentNotTaken(token)) }
    }

    /// Closes a connection that its peer has not closed. There is no other way to do so: a connection that is
    /// forgotten here and left open in the shell would be neither answered nor closed ever again (S8).
    mutating func drop(_ id: ConnectionID, _ disk: inout some Disk) {
        guard let index = connections.index(of: id) else { return }
        forget(index, &disk)
        effects.append(.close(id))
    }

    /// Sends what was handed over already and nothing more; the write timeout limits a peer that doesn't take
    /// it. The state stays until then: a close drops what has not left.
    mutating func dropWhenSent(_ id: ConnectionID, _ disk: inout some Disk) {
        guard let index = connections.index(of: id), connections[index].isSending else {
            return drop(id, &disk)
        }
        endExchange(id)
        connections[index].state = .closing
    }

    /// The listening socket is gone, and every connection with it.
    mutating func stopped(_ disk: inout some Disk) {
        hasTouchedDisk = true
        while let last = connections.last { drop(last.id, &disk) }
    }

    private mutating func forget(_ index: Int, _ disk: inout some Disk) {
        let id = connections[index].id
        endResponse(index, &disk)
        cancelTimer(id)
        if let exchange = connections[index].exchange {
            effects.append(.upstream(exchange.upstream, .close))
        }
        connections.remove(id)
        hostCalls.removeAll(of: id)
    }

    // MARK: - Timers

    mutating func timerFired(_ name: TimerName, _ disk: inout some Disk) {
        let id = name.connection
        guard let index = connections.index(of: id), connections[index].timer == name else { return }
        switch name {
        case .head:
            guard !connections[index].parser.isBetweenRequests || connections[index].request != nil else {
                return drop(id, &disk)
            }
            _ = connections[index].clearTimer()
            refuse(id, .requestTimeout, "the request took too long", closes: true)
        case .upstream:
            _ = connections[index].clearTimer()
            upstreamSilent(id, &disk)
        case .idle, .write:
            _ = connections[index].clearTimer()
            drop(id, &disk)
        }
    }

    mutating func setTimer(_ name: TimerName, _ span: TimeSpan, _ id: ConnectionID) {
        guard let index = connections.index(of: id) else { return }
        if let replaced = connections[index].setTimer(name, span) { effects.append(.cancelTimer(replaced)) }
        effects.append(.setTimer(name, after: span))
    }

    /// The process did not run for a time. A peer that reads was not served, and one that sends was not read:
    /// each time limit begins anew, and the throughput of bodies too.
    mutating func restartTimers() {
        for index in connections.indices {
            connections[index].exchange?.restartThroughput(at: clock.now)
            guard let name = connections[index].timer else { continue }
            effects.append(.setTimer(name, after: connections[index].timerSpan))
        }
    }

    mutating func cancelTimer(_ id: ConnectionID) {
        guard let index = connections.index(of: id), let name = connections[index].clearTimer() else {
            return
        }
        effects.append(.cancelTimer(name))
    }
}

extension LocalServer.TimerName {
    var connection: ConnectionID {
        switch self {
        case .head(let id), .idle(let id), .write(let id), .upstream(let id): id
        }
    }
}
