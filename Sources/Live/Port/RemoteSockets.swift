import DeviceShell
import LocalServer

/// The laboratory's end of the app's connections to the remote root of its API (rule S7): bytes that the
/// world's remote root reads, and its answers.
///
/// Each connection has a listening socket of its own, on a free port of the loopback, so that it is known
/// which of the app's connections was accepted. An id is used once.
final class RemoteSockets {
    private var sockets: PolledSockets<UpstreamID>
    /// Listening sockets of connections that the app has not made yet.
    private var listeners: [(descriptor: Int32, id: UpstreamID)] = []

    var poller: Poller { sockets.poller }

    /// Whether there is a connection, or one is expected.
    var isInUse: Bool { !sockets.isEmpty }

    init() throws(PortError) { sockets = try PolledSockets() }

    deinit { closeAll() }

    /// - Returns: the port at which the app's connection with this id is expected.
    func listen(for id: UpstreamID) throws(PortError) -> UInt16 {
        do throws(SystemError) {
            let listener = try SocketCalls.listen(at: .version4, port: 0)
            listeners.append((listener, id))
            sockets.expect(id)
            try poller.watch(listener, .reads)
            return try SocketCalls.port(of: listener)
        } catch {
            close(id)
            throw .system(error.errorNumber)
        }
    }

    func send(_ bytes: [UInt8], on id: UpstreamID) { sockets.send(bytes, on: id) }

    /// Ends the connection when all bytes are sent.
    func end(_ id: UpstreamID) { sockets.end(id, .orderly) }

    /// Breaks the connection off when all bytes are sent.
    func reset(_ id: UpstreamID) { sockets.end(id, .reset) }

    func close(_ id: UpstreamID) {
        stopListening { $0.id == id }
        sockets.close(id)
    }

    func closeAll() {
        stopListening { _ in true }
        sockets.closeAll()
    }

    /// Events since the last call; does not wait.
    func take() throws(PortError) -> [PolledSockets<UpstreamID>.Event] {
        let others = try sockets.poll()
        do throws(SystemError) {
            for listener in listeners where others.contains(listener.descriptor) { try accept(listener) }
        } catch {
            throw .system(error.errorNumber)
        }
        return sockets.takeEvents()
    }

    private func accept(_ ready: (descriptor: Int32, id: UpstreamID)) throws(SystemError) {
        guard let descriptor = try SocketCalls.accept(ready.descriptor) else { return }
        stopListening { $0.descriptor == ready.descriptor }
        try sockets.add(descriptor, for: ready.id)
    }

    private func stopListening(_ isOver: ((descriptor: Int32, id: UpstreamID)) -> Bool) {
        for listener in listeners where isOver(listener) {
            poller.forget(listener.descriptor)
            SocketCalls.close(listener.descriptor)
        }
        listeners.removeAll(where: isOver)
    }
}
