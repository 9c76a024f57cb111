import Core
import Foundation
import LocalServer
import Testing

@testable import DeviceShell

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite("How a connection sends its answer")
struct PeerTests {
    private let folder: SyncFolder

    init() throws { folder = try SyncFolder() }

    private func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    }

    /// A stored file, open for reading.
    private func file(_ bytes: [UInt8], _ name: String = "f") throws -> Core.FileHandle {
        let path = DiskPath(.data, name)
        let file = try folder.disk.open(path, .create)
        var written = 0
        while written < bytes.count {
            written += try folder.disk.write(file, bytes[written...], at: written)
        }
        try folder.disk.close(file)
        return try folder.disk.open(path, .read)
    }

    private func peer(_ descriptor: Int32, _ output: LocalServer.Output) -> Peer {
        var peer = Peer(id: ConnectionID(7), descriptor: descriptor)
        peer.begin(output)
        return peer
    }

    /// Sends until the peer has everything, while the far end receives it.
    private func sendAll(_ peer: inout Peer, _ pair: SocketPair, _ count: Int) throws -> [UInt8] {
        var heard: [UInt8] = []
        _ = try GatedSyncs.wait {
            let progress = try peer.send(folder.disk)
            heard += pair.hear(DescriptorFacts.unread(pair.far))
            if case .whole = progress { return true }
            return false
        }
        return heard + pair.hear(count - heard.count)
    }

    @Test("A new connection has no answer, has not shown the key, and is read between answers")
    func new() {
        var peer = Peer(id: ConnectionID(7), descriptor: 5)
        #expect(peer.id == ConnectionID(7) && peer.descriptor == 5)
        #expect(!peer.isAdmitted && !peer.hasFinished && !peer.hasAnswered && !peer.isSending)
        #expect(peer.readInterest == .betweenAnswers)
        for (interest, idle, sending) in [
            (.betweenAnswers, .reads, .writes), (.always, .reads, [.reads, .writes]), (.never, [], .writes),
        ] as [(LocalServer.ReadInterest, Poller.Interest, Poller.Interest)] {
            peer = Peer(id: ConnectionID(7), descriptor: 5)
            peer.readInterest = interest
            #expect(peer.interest == idle && peer.wantsRead == idle.contains(.reads))
            peer.begin(LocalServer.Output(head: [1], body: .none))
            #expect(peer.isSending && !peer.hasAnswered)
            #expect(peer.interest == sending && peer.wantsRead == sending.contains(.reads))
            peer.hasFinished = true
            #expect(peer.interest == .writes, "the peer sends nothing more")
        }
    }

    @Test("Without an answer there is nothing to send")
    func nothing() throws {
        var peer = Peer(id: ConnectionID(7), descriptor: -1)
        guard case .whole = try peer.send(folder.disk) else {
            Issue.record("something was sent")
            return
        }
        #expect(!peer.hasAnswered)
    }

    @Test("Every body arrives byte for byte, from its offset and up to its count, also a second answer")
    func bodies() throws {
        let pair = try SocketPair()
        defer { SocketCalls.close(pair.near) }
        let content = bytes(3_000_000)
        let stored = try file(content)
        var peer = Peer(id: ConnectionID(7), descriptor: pair.near)
        for (body, expected) in [
            (.none, []), (.bytes([]), []), (.bytes([9]), [9]), (.bytes(content), content[...]),
            (.file(stored, offset: 0, count: 0), []), (.file(stored, offset: 5, count: 7), content[5..<12]),
            (.file(stored, offset: 1, count: 16_384), content[1..<16_385]),
            (.file(stored, offset: 2, count: 16_385), content[2..<16_387]),
            (.file(stored, offset: 0, count: 3_000_000), content[...]),
            (.file(stored, offset: 2_999_999, count: 1), content[2_999_999...]),
        ] as [(LocalServer.Output.Body, ArraySlice<UInt8>)] {
            let head = Array("head of \(expected.count) ".utf8)
            peer.begin(LocalServer.Output(head: head, body: body))
            #expect(try sendAll(&peer, pair, head.count + expected.count) == head + expected)
            #expect(!peer.isSending && peer.hasAnswered)
            #expect(pair.isOpen && DescriptorFacts.unread(pair.far) == 0)
        }
    }

    #if os(Linux)
        /// A descriptor that takes everything at once: an empty file. It is no socket, so the answer has no
        /// head.
        private func sink() throws -> Int32 {
            let path = folder.url.appendingPathComponent("sink").path
            let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
            try #require(descriptor >= 0)
            return descriptor
        }

        private func size(_ descriptor: Int32) -> Int {
            var info = stat()
            return fstat(descriptor, &info) == 0 ? Int(info.st_size) : -1
        }

        @Test("After each megabyte others have their turn, however fast a peer takes its answer (S10)")
        func portions() throws {
            let mebi = 1 << 20
            let content = bytes(3 * mebi + 1)
            let stored = try file(content)
            for (count, sizes) in [
                (mebi - 1, [mebi - 1]), (mebi, [mebi, mebi]), (mebi + 1, [mebi, mebi + 1]),
                (content.count, [mebi, 2 * mebi, 3 * mebi, 3 * mebi + 1]),
            ] {
                let sink = try sink()
                defer { close(sink) }
                let body = LocalServer.Output.Body.file(stored, offset: 0, count: count)
                var peer = peer(sink, LocalServer.Output(head: [], body: body))
                for (index, expected) in sizes.enumerated() {
                    let isLast = index == sizes.count - 1
                    let progress = try peer.send(folder.disk)
                    #expect(size(sink) == expected, "\(count) bytes")
                    switch progress {
                    case .portion: #expect(!isLast && peer.isSending)
                    case .whole: #expect(isLast && !peer.isSending)
                    case .blocked: Issue.record("a file takes everything")
                    }
                }
            }
        }

        @Test("A short file leaves in one call with its head, a longer one in packets that are full (HT-T4)")
        func packets() throws {
            for (count, calls) in [(16_384, 1), (16_385, 2)] {
                // Each call of `send` is one record.
                var ends: [Int32] = [-1, -1]
                try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
                defer { for end in ends { close(end) } }
                let stored = try file(bytes(count), "\(count)")
                let body = LocalServer.Output.Body.file(stored, offset: 0, count: count)
                var peer = peer(ends[0], LocalServer.Output(head: [1, 2, 3], body: body))
                guard case .whole = try peer.send(folder.disk) else {
                    Issue.record("the system takes as much")
                    return
                }
                var buffer = [UInt8](repeating: 0, count: 65_536)
                let first = recv(ends[1], &buffer, buffer.count, 0)
                #expect(first == (calls == 1 ? count + 3 : 3))
            }
            let pair = try SocketPair()
            defer { SocketCalls.close(pair.near) }
            // The loopback usually carries 64 KiB in one.
            guard let segment = DescriptorFacts.tcp(pair.near, .segment), segment > 20_003 else { return }
            let stored = try file(bytes(20_000), "packet")
            let body = LocalServer.Output.Body.file(stored, offset: 0, count: 20_000)
            var peer = peer(pair.near, LocalServer.Output(head: [1, 2, 3], body: body))
            _ = try sendAll(&peer, pair, 20_003)
            #expect(DescriptorFacts.tcp(pair.near, .dataSegmentsSent) == 1)
        }

        @Test("The end of an answer does not wait for more (HT-T4)")
        func lastBytes() throws {
            for body in [LocalServer.Output.Body.none, .bytes([1]), .bytes(bytes(100))] {
                let pair = try SocketPair()
                defer { SocketCalls.close(pair.near) }
                var peer = peer(pair.near, LocalServer.Output(head: [1, 2, 3], body: body))
                _ = try peer.send(folder.disk)
                #expect(DescriptorFacts.tcp(pair.near, .notSent) == 0)
            }
            // The head alone has left, in an answer before.
            let pair = try SocketPair()
            defer { SocketCalls.close(pair.near) }
            var peer = peer(pair.near, LocalServer.Output(head: [], body: .bytes([1])))
            _ = try peer.send(folder.disk)
            #expect(DescriptorFacts.tcp(pair.near, .notSent) == 0)
            #expect(pair.hear(1) == [1])
        }
    #endif

    @Test("A full socket waits for its peer; the answer continues where it stopped")
    func blocked() throws {
        let pair = try SocketPair()
        defer { SocketCalls.close(pair.near) }
        try SocketCalls.setSendBuffer(pair.near, bytes: 4_096)
        let content = bytes(1_000_000)
        for body in [
            LocalServer.Output.Body.bytes(content), .file(try file(content), offset: 0, count: content.count),
        ] {
            var peer = peer(pair.near, LocalServer.Output(head: [1, 2, 3], body: body))
            #expect(
                try GatedSyncs.wait {
                    if case .blocked = try peer.send(folder.disk) { true } else { false }
                })
            #expect(peer.isSending && peer.hasAnswered)
            let all = try sendAll(&peer, pair, content.count + 3)
            #expect(all == [1, 2, 3] + content)
        }
    }

    /// Why sending failed.
    private func failure(_ peer: Peer) -> Peer.Fault? {
        var peer = peer
        // A reset takes a moment.
        for _ in 0..<5_000 {
            do throws(Peer.Fault) {
                _ = try peer.send(folder.disk)
            } catch {
                return error
            }
            if !peer.isSending { return nil }
            usleep(1_000)
        }
        return nil
    }

    @Test(
        "A file that is shorter than announced, or not open, is its own fault; a peer that is gone is another",
        arguments: [1_000, 100_000])
    func faults(count: Int) throws {
        let pair = try SocketPair()
        defer { SocketCalls.close(pair.near) }
        let stored = try file(bytes(count))
        for (body, expected) in [
            (.file(stored, offset: 0, count: count + 1), .inputOutput),
            (.file(stored, offset: count, count: 1), .inputOutput),
            (.file(Core.FileHandle(id: 12_345), offset: 0, count: count), .badHandle),
        ] as [(LocalServer.Output.Body, DiskError.Code)] {
            guard case .file(let error) = failure(peer(pair.near, LocalServer.Output(head: [1], body: body)))
            else {
                Issue.record("\(body) was sent")
                continue
            }
            #expect(error == DiskError(expected, .read))
            _ = pair.hear(DescriptorFacts.unread(pair.far))
        }
        pair.closeFar(isReset: true)
        for body in [
            .bytes([UInt8](repeating: 1, count: 20_000_000)), .file(stored, offset: 0, count: count),
        ]
            as [LocalServer.Output.Body]
        {
            SocketCalls.ignoreBrokenPipes()
            guard case .peer = failure(peer(pair.near, LocalServer.Output(head: [], body: body))) else {
                Issue.record("a peer that is gone takes bytes")
                continue
            }
        }
    }
}
