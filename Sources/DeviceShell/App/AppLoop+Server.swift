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

/// The listening sockets and the accepted connections.
extension AppLoop {
    /// Most connections that linger at their end, because a flood of unauthenticated clients must not use up
    /// the descriptors.
    static let maxLingering = 128
    /// Most connections accepted in one turn at each address, so that accepted ones are read in
    /// between.
    static let maxAcceptsPerTurn = 16
    /// Most lingering connections read in one turn, because nothing waits for what their peers still send.
    static let maxDrainsPerTurn = 8
    /// Most bytes read at once from a client that has not shown the key: a usual request, and little of what
    /// follows it, which is dropped unread.
    static let unauthenticatedPortion = 8 << 10
    /// Bytes that the system may keep for a client that has not shown the key: more than a refusal, and not
    /// the megabytes to which a system lets a send buffer grow.
    static let unauthenticatedSendBuffer: Int32 = 16 << 10
    /// Bytes that the system may keep for the page: a large file needs few turns, and a slow reader is seen
    /// to take some, because a socket can be written again only when a third of this has left.
    static let sendBuffer: Int32 = 256 << 10

    // MARK: - Listening

    /// Listens at 127.0.0.1, and at ::1 where the device has it, because a browser tries both for
    /// `localhost`.
    func listen(_ port: UInt16) {
        stopListening()
        do throws(SystemError) {
            try listening.add(deferring(SocketCalls.listen(at: .version4, port: port)))
            do throws(SystemError) {
                try listening.add(deferring(SocketCalls.listen(at: .version6, port: port)))
            } catch {
                // Another process on the same port of the other address would receive the app's requests.
                guard error.isMissingAddress else { throw error }
            }
            enqueue(.listener(.listening))
        } catch {
            stopListening()
            enqueue(.listener(error.listenerEvent))
        }
    }

    private func deferring(_ listener: Int32) -> Int32 {
        do throws(SystemError) {
            try SocketCalls.deferAccepting(listener)
        } catch {
            // Connections are accepted at once then; the oldest silent one makes room.
        }
        return listener
    }

    func stopListening() { listening.closeAll() }

    /// Accepts some of the waiting connections; the poller reports the others again.
    func accept(_ listener: Int32) {
        do throws(SystemError) {
            for _ in 0..<acceptsPerTurn {
                guard let descriptor = try SocketCalls.accept(listener) else { return }
                let id = ConnectionID(nextConnection)
                nextConnection += 1
                peers[descriptor] = Peer(id: id, descriptor: descriptor)
                descriptors[id] = descriptor
                setSendBuffer(of: descriptor, AppLoop.unauthenticatedSendBuffer)
                enqueue(.connection(id, .opened))
                watch(descriptor)
            }
        } catch {
            listening.failed(error, at: clock.now)
        }
    }

    // MARK: - Bytes

    /// Receives one portion, so that no peer delays the others.
    func receive(_ descriptor: Int32) {
        guard let peer = peers[descriptor] else { return }
        let id = peer.id
        let limit = peer.isAdmitted ? Int.max : AppLoop.unauthenticatedPortion
        let count: Int?
        do throws(SystemError) {
            count = try SocketCalls.receive(descriptor, into: &buffer, atMost: limit)
        } catch {
            return lost(descriptor, nil)
        }
        guard let count else { return }
        if count == 0 {
            // Reported without read interest: both directions are closed.
            if peers[descriptor]?.hasFinished == true { return lost(descriptor, nil) }
            peers[descriptor]?.hasFinished = true
            enqueue(.connection(id, .finished))
            return watch(descriptor)
        }
        enqueue(.connection(id, .received(Array(buffer[..<count]))))
    }

    func beginSending(_ id: ConnectionID, _ output: LocalServer.Output) {
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
                enqueue(.connection(peer.id, .progressed))
                watch(descriptor)
            case .whole:
                enqueue(.connection(peer.id, .sent))
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

    func setReadInterest(_ id: ConnectionID, _ interest: LocalServer.ReadInterest) {
        guard let descriptor = descriptors[id] else { return }
        peers[descriptor]?.readInterest = interest
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

    /// Closes a failed connection and reports it to the host.
    private func lost(_ descriptor: Int32, _ error: DiskError?) {
        guard let peer = peers.removeValue(forKey: descriptor) else { return }
        descriptors[peer.id] = nil
        poller.forget(descriptor)
        SocketCalls.close(descriptor)
        enqueue(.connection(peer.id, .closed(error)))
    }

    func authenticated(_ id: ConnectionID) {
        guard let descriptor = descriptors[id] else { return }
        peers[descriptor]?.isAdmitted = true
        setSendBuffer(of: descriptor, AppLoop.sendBuffer)
    }

    private func setSendBuffer(of descriptor: Int32, _ bytes: Int32) {
        do throws(SystemError) {
            try SocketCalls.setSendBuffer(descriptor, bytes: bytes)
        } catch {
            // The connection works with the system's own size too.
        }
    }

    /// Closes a connection that the host has finished with. One with an unsent answer is reset, because a
    /// peer that never reads the rest would keep its descriptor for ever.
    func close(_ id: ConnectionID) {
        guard let descriptor = descriptors.removeValue(forKey: id),
            let peer = peers.removeValue(forKey: descriptor)
        else { return }
        if peer.hasAnswered, !peer.isSending {
            return lingering.add(descriptor, at: clock.now, isEvictedFirst: !peer.isAdmitted)
        }
        poller.forget(descriptor)
        if peer.isSending { SocketCalls.reset(descriptor) } else { SocketCalls.close(descriptor) }
    }

    /// Every socket of the app, at once: what has not left is dropped.
    package func closeAll() {
        stopListening()
        lingering.closeAll()
        for (descriptor, _) in peers {
            poller.forget(descriptor)
            SocketCalls.close(descriptor)
        }
        peers = [:]
        descriptors = [:]
    }
}
