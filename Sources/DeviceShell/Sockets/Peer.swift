import AppHost
import Core
import LocalServer

/// An accepted connection, and what is on its way to it.
///
/// While an answer is on its way nothing is read, unless the server asks for it: a peer that floods fills its
/// own socket, not our memory.
struct Peer {
    let id: ConnectionID
    let descriptor: Int32
    private var output: LocalServer.Output?
    /// Of the head, then of the body.
    private var headSent = 0
    private var bodySent = 0
    /// A request on it has shown the key.
    var isAdmitted = false
    var hearing = LocalServer.ReadInterest.betweenAnswers
    /// It has ended its side.
    var hasFinished = false
    /// Bytes have left to it, which a close with bytes unread would take back.
    private(set) var hasAnswered = false

    /// How far an answer has come.
    enum Progress {
        case blocked
        case portion
        case whole
    }

    /// A file that can't be read any more, or a peer that is gone.
    enum Fault: Error {
        case file(DiskError)
        case peer
    }

    init(id: ConnectionID, descriptor: Int32) {
        self.id = id
        self.descriptor = descriptor
    }

    var isSending: Bool { output != nil }

    var isHeard: Bool {
        switch hearing {
        case .betweenAnswers: !isSending
        case .always: true
        case .never: false
        }
    }

    var interest: Poller.Interest {
        var interest: Poller.Interest = isSending ? .writes : []
        if isHeard, !hasFinished { interest.insert(.reads) }
        return interest
    }

    mutating func begin(_ output: LocalServer.Output) {
        self.output = output
        headSent = 0
        bodySent = 0
    }

    /// Bytes after which other connections have their turn.
    private static let portion = 1 << 20

    /// Sends until the socket is full, the answer is out, or a portion is.
    mutating func send(_ disk: PosixDisk) throws(Fault) -> Progress {
        guard let output else { return .whole }
        hasAnswered = true
        var left = Peer.portion
        while left > 0 {
            let count: Int?
            if headSent < output.head.count {
                count = try sendHead(output, disk)
            } else {
                guard let rest = try sendBody(output.body, disk) else { break }
                count = rest
            }
            guard let count else { return .blocked }
            left -= count
        }
        if left <= 0 { return .portion }
        self.output = nil
        return .whole
    }

    /// Of a file that leaves in one call with its head: shorter ones cost less read than passed on.
    private static let inOneCall = 16 << 10

    /// A body of bytes leaves in the same call, and a short file; a longer one's first bytes may share the
    /// packet.
    private mutating func sendHead(_ output: LocalServer.Output, _ disk: PosixDisk) throws(Fault) -> Int? {
        var bytes = Array(output.head[headSent...])
        let head = bytes.count
        var isFollowed = false
        switch output.body {
        case .none: break
        case .bytes(let body): bytes += body
        case .file(let handle, let offset, let count) where count <= Peer.inOneCall:
            bytes += try Peer.whole(handle, offset, count, disk)
        case .file: isFollowed = true
        }
        guard let count = try raw(bytes[...], isFollowed: isFollowed) else { return nil }
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
        // Shorter than it was when its length was announced: it can't be sent whole.
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
            guard let count = try raw(bytes[bodySent...], isFollowed: false) else { return .some(nil) }
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
                // The peer's failures and the file's come from one call.
                throw error.code == .inputOutput ? .file(DiskError(.inputOutput, .read)) : .peer
            }
            guard let sent else { return .some(nil) }
            // Shorter than it was when its length was announced: it can't be sent whole.
            if sent == 0 { throw .file(DiskError(.inputOutput, .read)) }
            bodySent += sent
            return sent
        }
    }

    private func raw(_ bytes: ArraySlice<UInt8>, isFollowed: Bool) throws(Fault) -> Int? {
        do throws(SystemError) {
            return try SocketCalls.send(descriptor, bytes, isFollowed: isFollowed)
        } catch {
            throw .peer
        }
    }
}
