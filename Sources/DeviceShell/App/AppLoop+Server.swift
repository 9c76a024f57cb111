import AppHost
import Core
import LocalServer

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Bionic)
    import Bionic
#endif

/// The listening sockets and what is accepted from them.
extension AppLoop {
    /// More don't linger at their end: a flood of strangers takes no descriptors that way.
    static let mostLeaving = 128
    /// Accepted in one turn at each address, so that those who are in are heard between (HT-T3).
    static let mostAccepted = 16

    // MARK: - Listening

    /// 127.0.0.1, and ::1 where the device has it: a browser that is told `localhost` tries either.
    func listen(_ port: UInt16) {
        stopListening()
        do throws(SystemError) {
            try listening.add(SocketCalls.listen(at: .version4, port: port))
            do throws(SystemError) {
                try listening.add(SocketCalls.listen(at: .version6, port: port))
            } catch {
                // A stranger on the same port of the other address would answer in our name.
                if error.number == EADDRINUSE { throw error }
            }
            inbox.append(.listener(.listening))
        } catch {
            stopListening()
            inbox.append(.listener(.portTaken))
        }
    }

    func stopListening() { listening.closeAll() }

    /// Some of those that wait; the others are told of again.
    func accept(_ listener: Int32) {
        do throws(SystemError) {
            for _ in 0..<mostAccepted {
                guard let descriptor = try SocketCalls.accept(listener) else { return }
                let id = ConnectionID(nextConnection)
                nextConnection += 1
                peers[descriptor] = Peer(id: id, descriptor: descriptor)
                descriptors[id] = descriptor
                inbox.append(.connection(id, .opened))
                watch(descriptor)
            }
        } catch {
            listening.failed(error, at: clock.now)
        }
    }

    // MARK: - Bytes

    /// One portion, so that no peer keeps the others waiting.
    func receive(_ descriptor: Int32) {
        guard let id = peers[descriptor]?.id else { return }
        let count: Int?
        do throws(SystemError) {
            count = try SocketCalls.receive(descriptor, into: &buffer)
        } catch {
            return lost(descriptor, nil)
        }
        guard let count else { return }
        if count == 0 {
            // Told of although nothing is waited for: both sides have ended.
            if peers[descriptor]?.hasFinished == true { return lost(descriptor, nil) }
            peers[descriptor]?.hasFinished = true
            inbox.append(.connection(id, .finished))
            return watch(descriptor)
        }
        inbox.append(.connection(id, .received(Array(buffer[..<count]))))
    }

    func begin(_ id: ConnectionID, _ output: LocalServer.Output) {
        guard let descriptor = descriptors[id] else { return }
        peers[descriptor]?.begin(output)
        send(descriptor)
    }

    func send(_ descriptor: Int32) {
        guard var peer = peers.removeValue(forKey: descriptor) else { return }
        do throws(Peer.Fault) {
            let progress = try peer.send(disk)
            peers[descriptor] = peer
            switch progress {
            case .blocked, .portion:
                inbox.append(.connection(peer.id, .progressed))
                watch(descriptor)
            case .whole:
                inbox.append(.connection(peer.id, .sent))
                watch(descriptor)
            }
        } catch {
            peers[descriptor] = peer
            switch error {
            case .peer: lost(descriptor, nil)
            case .file(let fault): lost(descriptor, fault)
            }
        }
    }

    func hear(_ id: ConnectionID, _ hearing: LocalServer.ReadInterest) {
        guard let descriptor = descriptors[id] else { return }
        peers[descriptor]?.hearing = hearing
        watch(descriptor)
    }

    private func watch(_ descriptor: Int32) {
        guard let interest = peers[descriptor]?.interest else { return }
        do throws(SystemError) {
            try poller.watch(descriptor, interest)
        } catch {
            lost(descriptor, nil)
        }
    }

    // MARK: - The end of a connection

    /// The host learns of it.
    private func lost(_ descriptor: Int32, _ error: DiskError?) {
        guard let peer = peers.removeValue(forKey: descriptor) else { return }
        descriptors[peer.id] = nil
        poller.forget(descriptor)
        SocketCalls.close(descriptor)
        inbox.append(.connection(peer.id, .closed(error)))
    }

    func admitted(_ id: ConnectionID) {
        guard let descriptor = descriptors[id] else { return }
        peers[descriptor]?.isAdmitted = true
    }

    /// The host is done with it, and nobody asks after it any more: a peer that does not take what is left of
    /// an answer would keep its descriptor for ever (HT-T11).
    func close(_ id: ConnectionID) {
        guard let descriptor = descriptors.removeValue(forKey: id),
            let peer = peers.removeValue(forKey: descriptor)
        else { return }
        if peer.hasAnswered, !peer.isSending {
            return leaving.add(descriptor, at: clock.now, goesFirst: !peer.isAdmitted)
        }
        poller.forget(descriptor)
        if peer.isSending { SocketCalls.reset(descriptor) } else { SocketCalls.close(descriptor) }
    }

    /// Every socket of the app, at once: what has not left is dropped.
    package func closeAll() {
        stopListening()
        leaving.closeAll()
        for (descriptor, _) in peers {
            poller.forget(descriptor)
            SocketCalls.close(descriptor)
        }
        peers = [:]
        descriptors = [:]
    }
}
