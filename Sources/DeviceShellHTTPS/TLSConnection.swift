import DeviceShell
import Foundation
import LocalServer
import Synchronization

/// One connection to a remote root on a thread of its own, which sleeps while there is nothing to do and ends
/// with the connection.
///
/// VerificationSummary what ``LocalServer/UpstreamCall`` says: each `send` is answered by one `sent`, each
/// `receive` by one `bytes` or `ended`, unless the connection fails. After `close` nothing begins any more;
/// what had been told just before is for an id that nobody knows.
final class TLSConnection: Sendable {
    private let root: RemoteRoot
    private let library: CurlLibrary
    private let tells: @Sendable (String) -> Void
    private let deliver: @Sendable (UpstreamEvent) -> Void
    private let wakeUp: WakeUp
    private let asked = Mutex(Asked())

    /// Since the thread has last looked.
    private struct Asked {
        var output: [UInt8]?
        var receives = false
        var finishes = false
        /// For good.
        var isOver = false
    }

    /// Bytes, at most, in one event.
    private static let portion = 65_536

    init(
        _ root: RemoteRoot, _ library: CurlLibrary, _ tells: @escaping @Sendable (String) -> Void,
        _ deliver: @escaping @Sendable (UpstreamEvent) -> Void
    ) throws(SystemError) {
        self.root = root
        self.library = library
        self.tells = tells
        self.deliver = deliver
        wakeUp = try WakeUp()
    }

    func begin() {
        let thread = Thread { self.live() }
        thread.name = "otalab.tls"
        thread.stackSize = 1 << 19
        thread.start()
    }

    /// From any thread; never waits.
    func ask(_ call: UpstreamCall) {
        asked.withLock { asked in
            switch call {
            case .open: break
            case .send(let bytes): asked.output = bytes
            case .receive: asked.receives = true
            case .finish: asked.finishes = true
            case .close: asked.isOver = true
            }
        }
        wakeUp.ring()
    }

    var isOver: Bool { asked.withLock { $0.isOver } }

    // MARK: - On its thread

    private func live() {
        guard let pipe = CurlConnection(library, isUnwanted: { self.isOver }) else {
            return deliver(.failed(.unreachable))
        }
        if let fault = pipe.open(root) {
            if isOver { return }
            tells("\(root.host): \(fault.sentence)")
            return deliver(.failed(fault.failure))
        }
        deliver(.connected)
        var work = Work(pipe)
        while take(&work) {
            if work.isSending, work.send() { deliver(.sent) }
            if work.isReceiving, let event = work.receive() {
                deliver(event)
                if case .failed = event { return }
            }
            wait(work)
        }
    }

    /// - Returns: false: it is over.
    private func take(_ work: inout Work) -> Bool {
        wakeUp.hear()
        let asked = asked.withLock { asked in
            defer { asked = Asked(isOver: asked.isOver) }
            return asked
        }
        if asked.isOver { return false }
        if let output = asked.output { work.begin(output) }
        if asked.receives { work.isReceiving = true }
        // By TCP alone: libcurl has no half of a TLS connection to close.
        if asked.finishes { SocketCalls.endSending(work.pipe.descriptor) }
        return true
    }

    /// For the socket, as far as anything is wanted of it, or for a ring.
    private func wait(_ work: Work) {
        var interest: Int32 = 0
        if work.isSending { interest |= Int32(POLLOUT) }
        if work.isReceiving { interest |= Int32(POLLIN) }
        // One that is less than 0 is not looked at: a socket that has ended would tell so without end.
        let socket = interest == 0 ? -1 : work.pipe.descriptor
        var waits = [
            pollfd(fd: wakeUp.listening, events: Int16(POLLIN), revents: 0),
            pollfd(fd: socket, events: Int16(interest), revents: 0),
        ]
        _ = poll(&waits, nfds_t(waits.count), -1)
    }

    /// What is being done with the connection.
    private struct Work {
        let pipe: CurlConnection
        private var output: [UInt8] = []
        private var sent = 0
        private(set) var isSending = false
        var isReceiving = false
        private var input = [UInt8](repeating: 0, count: TLSConnection.portion)
        /// Met behind bytes that were told first.
        private var end: UpstreamEvent?

        init(_ pipe: CurlConnection) { self.pipe = pipe }

        mutating func begin(_ bytes: [UInt8]) {
            (output, sent, isSending) = (bytes, 0, true)
        }

        /// - Returns: all of it has been handed over.
        mutating func send() -> Bool {
            while sent < output.count {
                // A call that had to wait is made again with the same bytes at the same place: TLS wants it.
                switch output.withUnsafeBytes({ pipe.send(.init(rebasing: $0[sent...])) }) {
                case .done(let count): sent += count
                case .mustWait: return false
                // What it said before it went may still be read: an early answer.
                case .over, .broken: sent = output.count
                }
            }
            isSending = false
            output = []
            return true
        }

        /// - Returns: nil: there is nothing yet.
        mutating func receive() -> UpstreamEvent? {
            var count = 0
            while end == nil, count < input.count {
                switch input.withUnsafeMutableBytes({ pipe.receive(into: .init(rebasing: $0[count...])) }) {
                case .done(let more): count += more
                case .mustWait:
                    if count == 0 { return nil }
                    return told(count)
                case .over: end = .ended
                case .broken: end = .failed(.reset)
                }
            }
            return told(count)
        }

        private mutating func told(_ count: Int) -> UpstreamEvent? {
            isReceiving = false
            return count > 0 ? .bytes(Array(input[..<count])) : end
        }
    }
}
