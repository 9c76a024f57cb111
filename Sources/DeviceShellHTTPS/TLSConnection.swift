import DeviceShell
import Foundation
import LocalServer

/// One connection to a remote root on a separate thread, which sleeps while there is nothing to do and ends
/// with the connection.
///
/// Guarantees, as ``LocalServer/UpstreamCommand`` specifies: each `send` is answered by one `sent`, each
/// `receive` by one `bytes` or `ended`, unless the connection fails. After `close` no operation begins; an
/// event enqueued just before has an id that the server no longer uses, and is ignored.
final class TLSConnection: Sendable {
    private let root: RemoteRoot
    private let library: CurlLibrary
    private let onFailure: @Sendable (String) -> Void
    private let deliver: @Sendable (UpstreamEvent) -> Void
    private let wakeUp: WakeUp
    private let pending = Guarded(PendingCalls())

    /// Calls that the thread has not taken yet.
    private struct PendingCalls {
        var output: [UInt8]?
        var receives = false
        var finishes = false
        /// Whether the connection is closed for good.
        var isOver = false
    }

    /// Most bytes in one event.
    private static let portion = 65_536

    init(
        _ root: RemoteRoot, _ library: CurlLibrary, _ onFailure: @escaping @Sendable (String) -> Void,
        _ deliver: @escaping @Sendable (UpstreamEvent) -> Void
    ) throws(SystemError) {
        self.root = root
        self.library = library
        self.onFailure = onFailure
        self.deliver = deliver
        wakeUp = try WakeUp()
    }

    /// Starts the thread.
    func start() {
        let thread = Thread { self.run() }
        thread.name = "otalab.tls"
        thread.stackSize = 1 << 19
        thread.start()
    }

    /// Passes a call to the thread. Never blocks; may be called from any thread.
    func enqueue(_ call: UpstreamCommand) {
        pending.withLock { pending in
            switch call {
            case .open: break
            case .send(let bytes): pending.output = bytes
            case .receive: pending.receives = true
            case .finish: pending.finishes = true
            case .close: pending.isOver = true
            }
        }
        wakeUp.signal()
    }

    var isOver: Bool { pending.withLock { $0.isOver } }

    // MARK: - On its thread

    private func run() {
        guard let connection = CurlConnection(library, isCancelled: { self.isOver }) else {
            return deliver(.failed(.unreachable))
        }
        if let fault = connection.open(root) {
            if isOver { return }
            onFailure("\(root.host): \(fault.message)")
            return deliver(.failed(fault.failure))
        }
        deliver(.connected)
        var work = Work(connection)
        while takeCalls(&work) {
            if work.isSending, work.send() { deliver(.sent) }
            if work.isReceiving, let event = work.receive() {
                deliver(event)
                if case .failed = event { return }
            }
            wait(work)
        }
    }

    /// Takes the pending calls.
    /// - Returns: false when the connection is closed.
    private func takeCalls(_ work: inout Work) -> Bool {
        wakeUp.drain()
        let calls = pending.withLock { pending in
            defer { pending = PendingCalls(isOver: pending.isOver) }
            return pending
        }
        if calls.isOver { return false }
        if let output = calls.output { work.begin(output) }
        if calls.receives { work.isReceiving = true }
        // Closes TCP's sending side alone, because libcurl can't close one side of a TLS connection.
        if calls.finishes { SocketCalls.endSending(work.connection.descriptor) }
        return true
    }

    /// Waits for the socket, if it is needed, and for calls.
    private func wait(_ work: Work) {
        var interest: Int32 = 0
        if work.isSending { interest |= Int32(POLLOUT) }
        if work.isReceiving { interest |= Int32(POLLIN) }
        // `poll` ignores a negative descriptor; a closed socket would be reported again and again.
        let socket = interest == 0 ? -1 : work.connection.descriptor
        var waits = [
            pollfd(fd: wakeUp.readEnd, events: Int16(POLLIN), revents: 0),
            pollfd(fd: socket, events: Int16(interest), revents: 0),
        ]
        _ = poll(&waits, nfds_t(waits.count), -1)
    }

    /// Operations in progress on the connection.
    private struct Work {
        let connection: CurlConnection
        private var output: [UInt8] = []
        /// Bytes of the output sent so far.
        private var sent = 0
        private(set) var isSending = false
        var isReceiving = false
        private var input = [UInt8](repeating: 0, count: TLSConnection.portion)
        /// End of the connection, delivered after the bytes before it.
        private var end: UpstreamEvent?

        init(_ connection: CurlConnection) { self.connection = connection }

        mutating func begin(_ bytes: [UInt8]) {
            (output, sent, isSending) = (bytes, 0, true)
        }

        /// - Returns: whether all bytes have been sent.
        mutating func send() -> Bool {
            while sent < output.count {
                // A call that would have blocked is repeated with the same bytes at the same address.
                switch output.withUnsafeBytes({ connection.send(.init(rebasing: $0[sent...])) }) {
                case .done(let count): sent += count
                case .mustWait: return false
                // An early answer that the remote root sent before it closed may still be read.
                case .over, .broken: sent = output.count
                }
            }
            isSending = false
            output = []
            return true
        }

        /// - Returns: nil when nothing has been received yet.
        mutating func receive() -> UpstreamEvent? {
            var count = 0
            while end == nil, count < input.count {
                switch input.withUnsafeMutableBytes({
                    connection.receive(into: .init(rebasing: $0[count...]))
                }) {
                case .done(let more): count += more
                case .mustWait:
                    if count == 0 { return nil }
                    return finishReceiving(count)
                case .over: end = .ended
                case .broken: end = .failed(.reset)
                }
            }
            return finishReceiving(count)
        }

        private mutating func finishReceiving(_ count: Int) -> UpstreamEvent? {
            isReceiving = false
            return count > 0 ? .bytes(Array(input[..<count])) : end
        }
    }
}
