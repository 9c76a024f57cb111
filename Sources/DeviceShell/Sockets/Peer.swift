import AppHost
import Core
import LocalServer

/// An accepted connection with the answer that is being sent.
///
/// Nothing is read while an answer is being sent, unless the server requests it, so that a peer that floods
/// fills its socket's buffer instead of memory.
struct Peer {
    let id: ConnectionID
    let descriptor: Int32
    private var output: LocalServer.Output?
    /// Bytes of the head sent so far.
    private var headSent = 0
    /// Bytes of the body sent so far.
    private var bodySent = 0
    /// Whether a request on this connection was authenticated.
    var isAdmitted = false
    /// When the server wants bytes to be read.
    var readInterest = LocalServer.ReadInterest.betweenAnswers
    /// Whether the peer has closed its side.
    var hasFinished = false
    /// Whether bytes of an answer have been sent, which a close with bytes unread could take back.
    private(set) var hasAnswered = false

    /// How far the answer has been sent.
    enum Progress {
        /// The socket's buffer is full.
        case blocked
        /// One portion has been sent and more is left.
        case portion
        /// All of it has been sent.
        case whole
    }

    /// Why sending failed: the file can't be read, or the peer is gone.
    enum Fault: Error {
        case file(DiskError)
        case peer
    }

    init(id: ConnectionID, descriptor: Int32) {
        self.id = id
        self.descriptor = descriptor
    }

    var isSending: Bool { output != nil }

    /// Whether bytes are to be read now.
    var wantsRead: Bool {
        switch readInterest {
        case .betweenAnswers: !isSending
        case .always: true
        case .never: false
        }
    }

    var interest: Poller.Interest {
        var interest: Poller.Interest = isSending ? .writes : []
        if wantsRead, !hasFinished { interest.insert(.reads) }
        return interest
    }

    mutating func begin(_ output: LocalServer.Output) {
        self.output = output
        headSent = 0
        bodySent = 0
    }

    /// Most bytes sent before other connections are served.
    private static let portion = 1 << 20

    /// Sends until the socket is full, the answer is complete, or a portion has been sent.
    mutating func send(_ disk: PosixDisk) throws(Fault) -> Progress {
        guard let output else { return .whole }
        hasAnswered = true
        var remaining = Peer.portion
        while remaining > 0 {
            let count: Int?
            if headSent < output.head.count {
                count = try sendHead(output, disk)
            } else {
                guard let rest = try sendBody(output.body, disk) else { break }
                count = rest
            }
            guard let count else { return .blocked }
            remaining -= count
        }
        if remaining <= 0 { return .portion }
        self.output = nil
        return .whole
    }

    /// Largest file sent in one call with its head, because reading a short file costs less than `sendfile`.
    private static let maxInlineFile = 16 << 10

    /// Sends the head, in one call with a body of bytes or a short file; the first bytes of a longer file may
    /// share the packet.
    private mutating func sendHead(_ output: LocalServer.Output, _ disk: PosixDisk) throws(Fault) -> Int? {
        var bytes = Array(output.head[headSent...])
        let head = bytes.count
        var isFollowed = false
        switch output.body {
        case .none: break
        case .bytes(let body): bytes += body
        case .file(let handle, let offset, let count) where count <= Peer.maxInlineFile:
            bytes += try Peer.whole(handle, offset, count, disk)
        case .file: isFollowed = true
        }
        guard let count = try sendBytes(bytes[...], isFollowed: isFollowed) else { return nil }
        headSent += min(count, head)
        bodySent += max(count - head, 0)
        return count
    }

    private static func whole(
        _ handle: FileHandle, _ offset: Int, _ count: Int, _ disk: PosixDisk
    ) throws(Fault) -> [UInt8] {
        guard let file = disk.descriptor(of: handle) else { throw .file(DiskError(.badHandle, .read)) }
        var failure: SystemError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            do throws(SystemError) {
                filled = try SystemCalls.readFully(file, UnsafeMutableRawBufferPointer(buffer), at: offset)
            } catch {
                failure = error
            }
        }
        // The file is now shorter than the announced length, so the answer can't be completed.
        if failure != nil || bytes.count < count { throw .file(DiskError(.inputOutput, .read)) }
        return bytes
    }

    /// - Returns: nil when nothing is left; `.some(nil)` when the socket is full.
    private mutating func sendBody(_ body: LocalServer.Output.Body, _ disk: PosixDisk) throws(Fault) -> Int??
    {
        switch body {
        case .none: return nil
        case .bytes(let bytes):
            guard bodySent < bytes.count else { return nil }
            guard let count = try sendBytes(bytes[bodySent...], isFollowed: false) else { return .some(nil) }
            bodySent += count
            return count
        case .file(let handle, let offset, let count):
            guard bodySent < count else { return nil }
            guard let file = disk.descriptor(of: handle) else {
                throw .file(DiskError(.badHandle, .read))
            }
            let wanted = min(count - bodySent, Peer.portion)
            let sent: Int?
            do throws(SystemError) {
                sent = try SocketCalls.sendFile(descriptor, from: file, at: offset + bodySent, count: wanted)
            } catch {
                // One call fails for the peer and for the file; only an I/O error is the file's.
                throw error.code == .inputOutput ? .file(DiskError(.inputOutput, .read)) : .peer
            }
            guard let sent else { return .some(nil) }
            // The file is now shorter than the announced length, so the answer can't be completed.
            if sent == 0 { throw .file(DiskError(.inputOutput, .read)) }
            bodySent += sent
            return sent
        }
    }

    private func sendBytes(_ bytes: ArraySlice<UInt8>, isFollowed: Bool) throws(Fault) -> Int? {
        do throws(SystemError) {
            return try SocketCalls.send(descriptor, bytes, isFollowed: isFollowed)
        } catch {
            throw .peer
        }
    }
}
