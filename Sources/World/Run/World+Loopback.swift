import AppHost
import Core
import LocalServer
import ScenarioLanguage
import Updater

/// The loopback connections between web views and the local server, which have a small latency.
extension World {
    /// Latency in one direction.
    static let loopbackDelay = TimeSpan.microseconds(100)

    // MARK: - Listening

    mutating func listen(_ port: UInt16, _ device: Int) {
        let refusals: [(kind: FaultKind, event: AppHost.ListenerEvent)] = [
            (.portTaken, .portTaken), (.portRefused, .portFailed(.notAllowed)),
        ]
        for refusal in refusals where faults.contains({ $0 == refusal.kind }) {
            for active in faults.active where active.fault.kind == refusal.kind {
                history.deviceFaultApplied(active.id)
            }
            return post(.input(.listener(refusal.event)), device)
        }
        devices[device].process.sockets.port = port
        devices[device].pages.bound(port: port)
        record(.listening(true), device)
        post(.input(.listener(.listening)), device)
    }

    /// Closes the listening socket, and with it the connections that it has not handed on. Accepted ones stay
    /// open, as with real sockets: a server that does not close them leaves pages waiting for ever.
    mutating func stopListening(_ device: Int) {
        guard devices[device].process.sockets.port != nil else { return }
        for connection in devices[device].process.sockets.stopListening() { closeAtPeer(connection, device) }
        record(.listening(false), device)
    }

    /// Closes all connections of a suspended process, as the system does; the web views notice it at once.
    /// - Returns: the events for the app.
    mutating func loseConnections(_ device: Int) -> [AppInput] {
        let connections = devices[device].process.sockets.connections
        devices[device].process.sockets.connections = []
        for connection in connections { closeAtPeer(connection, device) }
        return connections.map { .connection($0.id, .closed(nil)) }
    }

    /// The system takes the listening socket with all its connections. A process that stands still learns of
    /// it when it continues.
    mutating func loseSockets(_ device: Int) {
        for input in takeSockets(device) { arrive(input, device) }
    }

    /// - Returns: what the app is notified of.
    mutating func takeSockets(_ device: Int) -> [AppInput] {
        let isListening = devices[device].process.sockets.port != nil
        devices[device].process.sockets.port = nil
        return (isListening ? [.listener(.lost)] : []) + loseConnections(device)
    }

    // MARK: - From the web view

    /// A web view opens a connection.
    mutating func connect(_ socket: Int, _ id: WebViewID, _ device: Int) {
        guard let index = devices[device].process.webViews.firstIndex(where: { $0.id == id }) else { return }
        guard devices[device].process.sockets.port != nil else {
            postFromOutside(.page(id, .closed(socket)), device, after: World.loopbackDelay)
            return
        }
        let connection = devices[device].process.sockets.accept(from: .webView(id))
        devices[device].process.webViews[index].sockets.append((socket, connection))
        postFromOutside(.toServer(connection, .opened), device, after: World.loopbackDelay)
        postFromOutside(.page(id, .opened(socket)), device, after: World.loopbackDelay)
    }

    mutating func sendToServer(_ bytes: [UInt8], _ socket: Int, _ id: WebViewID, _ device: Int) {
        guard let connection = connection(socket, id, device) else { return }
        postFromOutside(.toServer(connection, .received(bytes)), device, after: World.loopbackDelay)
    }

    mutating func closeFromWebView(_ socket: Int, _ id: WebViewID, _ device: Int) {
        guard let connection = connection(socket, id, device) else { return }
        forgetSocket(connection, device)
        postFromOutside(.toServer(connection, .closed(nil)), device, after: World.loopbackDelay)
    }

    private func connection(_ socket: Int, _ id: WebViewID, _ device: Int) -> ConnectionID? {
        guard let index = devices[device].process.webViews.firstIndex(where: { $0.id == id }) else {
            return nil
        }
        return devices[device].process.webViews[index].sockets.first { $0.socket == socket }?.connection
    }

    /// An event of the web view's end has reached the server.
    mutating func reachServer(_ id: ConnectionID, _ event: AppHost.ConnectionEvent, _ device: Int) {
        guard let index = devices[device].process.sockets.connections.firstIndex(where: { $0.id == id })
        else {
            return
        }
        if case .opened = event { devices[device].process.sockets.connections[index].isAccepted = true }
        if case .closed = event {
            devices[device].process.sockets.connections.remove(at: index)
            _ = devices[device].process.waits.answered(id)
        }
        arrive(.connection(id, event), device)
    }

    // MARK: - From the server

    mutating func send(_ id: ConnectionID, _ output: LocalServer.Output, _ device: Int) {
        guard let index = devices[device].process.sockets.connections.firstIndex(where: { $0.id == id })
        else {
            return
        }
        devices[device].process.sockets.connections[index].output = Loopback.Pending(
            head: output.head, body: output.body)
        // What a client does not read stays with the server.
        if isClientThatReadsNothing(id, device) { return }
        post(.loopback(id), device, after: World.loopbackDelay)
    }

    /// Closes at once; unsent bytes are dropped.
    mutating func closeFromServer(_ id: ConnectionID, _ device: Int) {
        guard let index = devices[device].process.sockets.connections.firstIndex(where: { $0.id == id })
        else {
            return
        }
        close(index, device)
    }

    private mutating func close(_ index: Int, _ device: Int) {
        let connection = devices[device].process.sockets.connections.remove(at: index)
        closeAtPeer(connection, device)
    }

    private mutating func closeAtPeer(_ connection: Loopback, _ device: Int) {
        guard case .webView(let webView) = connection.peer else {
            return clientLost(connection.id, device)
        }
        guard let socket = socket(of: connection.id, at: webView, device) else { return }
        forgetSocket(connection.id, device)
        postFromOutside(.page(webView, .closed(socket)), device, after: World.loopbackDelay)
    }

    private func socket(of id: ConnectionID, at webView: WebViewID, _ device: Int) -> Int? {
        guard let index = devices[device].process.webViews.firstIndex(where: { $0.id == webView }) else {
            return nil
        }
        return devices[device].process.webViews[index].sockets.first { $0.connection == id }?.socket
    }

    private mutating func forgetSocket(_ id: ConnectionID, _ device: Int) {
        for index in 0..<devices[device].process.webViews.count {
            devices[device].process.webViews[index].sockets.removeAll { $0.connection == id }
        }
    }

    /// Sends one chunk of an answer: the head and up to 64 KiB of the body; the rest follows in further
    /// chunks. A file is read directly from its handle, which takes time of the disk but not of the app.
    mutating func sendPiece(_ id: ConnectionID, _ device: Int) {
        guard let index = devices[device].process.sockets.connections.firstIndex(where: { $0.id == id }),
            var output = devices[device].process.sockets.connections[index].output
        else { return }
        let peer = devices[device].process.sockets.connections[index].peer
        var bytes = output.head
        output.head = []
        var isLast = true
        var cost = TimeSpan.zero
        switch output.body {
        case .none: break
        case .bytes(let body): bytes += body
        case .file(let file, let offset, let count):
            let wanted = min(count - output.sent, Link.maxTurn)
            _ = devices[device].disk.takeCost()
            do throws(DiskError) {
                let piece = try devices[device].disk.read(file, at: offset + output.sent, count: wanted)
                // A file that is shorter than announced can't be sent completely.
                if piece.count < wanted { throw DiskError(.inputOutput, .read) }
                bytes = bytes.isEmpty ? piece : bytes + piece
            } catch {
                readFailed(index, error, device)
                return
            }
            cost = devices[device].disk.takeCost()
            output.sent += wanted
            isLast = output.sent >= count
        }
        switch peer {
        case .client: clientReceived(bytes, on: id, device)
        case .webView(let webView):
            if let socket = socket(of: id, at: webView, device) {
                post(.page(webView, .received(socket, bytes)), device, after: World.loopbackDelay + cost)
            }
        }
        guard isLast else {
            devices[device].process.sockets.connections[index].output = output
            post(.loopback(id), device, after: World.loopbackDelay + cost)
            return
        }
        devices[device].process.sockets.connections[index].output = nil
        post(.input(.connection(id, .sent)), device, after: cost)
    }

    private mutating func readFailed(_ index: Int, _ error: DiskError, _ device: Int) {
        let id = devices[device].process.sockets.connections[index].id
        if devices[device].disk.isStopped {
            stoppedDevice = device
            return
        }
        close(index, device)
        post(.input(.connection(id, .closed(error))), device)
    }
}
