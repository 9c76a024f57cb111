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

/// The local server's connections to the remote root over plain TCP: opened, sent, read a portion at a time
/// and closed as ``LocalServer/Effect/upstream(_:_:)`` asks.
///
/// VerificationSummary: nothing is read unasked, so that a slow page slows its upstream; each `send` is
/// answered by one `sent`, each `receive` by one `bytes` or `ended`, unless the connection fails; after
/// `close` there is silence. What can go wrong is an `UpstreamFailure`. Deliberately not here: time limits
/// and HTTP, which are the server's, and TLS (``AppLoop/UpstreamTransport``): a remote root over https fails
/// as insecure.
final class UpstreamClient {
    /// What became of a call; may be called from within any call.
    var deliver: (UpstreamID, UpstreamEvent) -> Void = { _, _ in }
    /// Asks for a host's addresses; the answer comes to ``resolved(_:_:)`` on this thread.
    var resolve: (UpstreamID, String, UInt16) -> Void = { _, _, _ in }

    private let poller: Poller
    private var lines: [UpstreamID: Line] = [:]
    private var idFor: [Int32: UpstreamID] = [:]
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    private struct Line {
        var descriptor: Int32?
        var others: [SocketAddress] = []
        var isConnected = false
        var output: [UInt8] = []
        var sent = 0
        var isSending = false
        var isReceiving = false
    }

    init(_ poller: Poller) { self.poller = poller }

    deinit { for line in lines.values { line.descriptor.map(SocketCalls.close) } }

    func call(_ id: UpstreamID, _ call: UpstreamCall) {
        switch call {
        case .open(let root):
            guard !root.isSecure else { return deliver(id, .failed(.insecure)) }
            lines[id] = Line()
            var host = root.host
            if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
            resolve(id, host, root.port)
        case .send(let bytes):
            guard lines[id]?.isConnected == true else { return }
            lines[id]?.output = bytes
            lines[id]?.sent = 0
            lines[id]?.isSending = true
            send(id)
        case .receive:
            lines[id]?.isReceiving = true
            watch(id)
        case .finish: lines[id]?.descriptor.map(SocketCalls.endSending)
        case .close: drop(id)
        }
    }

    func resolved(_ id: UpstreamID, _ addresses: [SocketAddress]) {
        guard lines[id] != nil else { return }
        guard !addresses.isEmpty else { return fail(id, .nameNotResolved) }
        lines[id]?.others = addresses
        connect(id, after: nil)
    }

    // MARK: - What the poller says

    func owns(_ descriptor: Int32) -> Bool { idFor[descriptor] != nil }

    func ready(_ ready: Poller.Ready) {
        guard let id = idFor[ready.descriptor] else { return }
        if lines[id]?.isConnected == false {
            if let failure = SocketCalls.failure(of: ready.descriptor) { return connect(id, after: failure) }
            lines[id]?.isConnected = true
            watch(id)
            return deliver(id, .connected)
        }
        if ready.canWrite, lines[id]?.isSending == true { send(id) }
        guard ready.canRead, idFor[ready.descriptor] == id else { return }
        if lines[id]?.isReceiving == true {
            receive(id)
        } else if !ready.canWrite || lines[id]?.isSending == false {
            // Told of without being asked: it has failed, or both sides have ended, which would be told again
            // and again; asking for a portion watches it anew.
            if let failure = SocketCalls.failure(of: ready.descriptor) {
                fail(id, failure)
            } else {
                poller.forget(ready.descriptor)
            }
        }
    }

    // MARK: - Connecting

    /// The host's next address, or the failure of the last one.
    private func connect(_ id: UpstreamID, after failure: SystemError?) {
        if let former = lines[id]?.descriptor { release(former) }
        lines[id]?.descriptor = nil
        var others = lines[id]?.others ?? []
        do throws(SystemError) {
            let descriptor = try SocketCalls.connect(toNextOf: &others, after: failure)
            lines[id]?.others = others
            lines[id]?.descriptor = descriptor
            idFor[descriptor] = id
            try poller.watch(descriptor, .writes)
        } catch {
            fail(id, error)
        }
    }

    // MARK: - Bytes

    private func watch(_ id: UpstreamID) {
        guard let line = lines[id], let descriptor = line.descriptor, line.isConnected else { return }
        var interest: Poller.Interest = []
        if line.isReceiving { interest.insert(.reads) }
        if line.isSending { interest.insert(.writes) }
        do throws(SystemError) {
            try poller.watch(descriptor, interest)
        } catch {
            fail(id, error)
        }
    }

    private func send(_ id: UpstreamID) {
        guard var line = lines[id], let descriptor = line.descriptor else { return }
        do throws(SystemError) {
            while line.sent < line.output.count {
                let count = try SocketCalls.send(descriptor, line.output[line.sent...], isFollowed: false)
                guard let count else { break }
                line.sent += count
            }
        } catch {
            // What it said before it went may still be read: an early answer.
            line.sent = line.output.count
        }
        line.isSending = line.sent < line.output.count
        lines[id] = line
        watch(id)
        if !line.isSending { deliver(id, .sent) }
    }

    private func receive(_ id: UpstreamID) {
        guard let descriptor = lines[id]?.descriptor else { return }
        let count: Int?
        do throws(SystemError) {
            count = try SocketCalls.receive(descriptor, into: &buffer)
        } catch {
            return fail(id, error)
        }
        guard let count else { return }
        lines[id]?.isReceiving = false
        watch(id)
        deliver(id, count == 0 ? .ended : .bytes(Array(buffer[..<count])))
    }

    // MARK: - The end

    private func fail(_ id: UpstreamID, _ error: SystemError) {
        switch error.connectionFault {
        case .refused: fail(id, .refused)
        case .unreachable: fail(id, .unreachable)
        case .timedOut: fail(id, .timedOut)
        case .reset: fail(id, .reset)
        }
    }

    private func fail(_ id: UpstreamID, _ failure: UpstreamFailure) {
        guard lines[id] != nil else { return }
        drop(id)
        deliver(id, .failed(failure))
    }

    private func drop(_ id: UpstreamID) {
        guard let line = lines.removeValue(forKey: id), let descriptor = line.descriptor else { return }
        release(descriptor)
    }

    private func release(_ descriptor: Int32) {
        poller.forget(descriptor)
        idFor[descriptor] = nil
        SocketCalls.close(descriptor)
    }
}
