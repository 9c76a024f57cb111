import Core
import Foundation
import Testing

@testable import DeviceShell

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite("The system calls for sockets", .serialized)
struct SocketCallsTests {
    private static let tcp = Int32(IPPROTO_TCP)

    @Test("Every socket is non-blocking and not inherited; a connection sends small packets at once")
    func options() throws {
        let listener = try SocketCalls.listen(at: .version4, port: 0)
        let port = try SocketCalls.port(of: listener)
        #expect(port > 0)
        #expect(try SocketCalls.accept(listener) == nil)
        let client = try SocketCalls.connect(to: .loopback4(port: port))
        let server = try SocketPair.accepted(listener)
        defer { for descriptor in [listener, client, server] { SocketCalls.close(descriptor) } }
        for descriptor in [listener, client, server] {
            #expect(fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0)
            #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
        }
        for descriptor in [client, server] {
            #expect(DescriptorFacts.option(descriptor, SocketCallsTests.tcp, TCP_NODELAY) == 1)
            #expect(SocketCalls.failure(of: descriptor)?.errorNumber == nil)
            #expect(SocketCalls.peer(of: descriptor)?.text == "127.0.0.1")
        }
        #expect(SocketCalls.peer(of: listener)?.text == nil)
        #expect(DescriptorFacts.option(listener, SOL_SOCKET, SO_REUSEADDR) == 1)
        #expect(DescriptorFacts.option(listener, SOL_SOCKET, SO_REUSEPORT) == 0)
        #if os(Linux)
            let most = try String(contentsOfFile: "/proc/sys/net/core/somaxconn", encoding: .utf8)
            let limit = try #require(Int(most.filter(\.isNumber)))
            #expect(DescriptorFacts.tcp(listener, .backlog) == min(512, limit))
            #expect(DescriptorFacts.option(listener, SocketCallsTests.tcp, TCP_DEFER_ACCEPT) == 0)
            try SocketCalls.deferAccepting(listener)
            // Seconds; two would be reported as three.
            #expect(DescriptorFacts.option(listener, SocketCallsTests.tcp, TCP_DEFER_ACCEPT) == 1)
        #endif
    }

    @Test("The two loopback addresses share no port: what listens at one leaves the other free")
    func bothAddresses() throws {
        // A device without IPv6 has one alone.
        guard let six = try? SocketCalls.listen(at: .version6, port: 0) else { return }
        let four = try SocketCalls.listen(at: .version4, port: SocketCalls.port(of: six))
        #expect(DescriptorFacts.option(six, Int32(IPPROTO_IPV6), IPV6_V6ONLY) == 1)
        for (listener, address) in [
            (six, SocketAddress.loopback6(port: try SocketCalls.port(of: six))),
            (four, .loopback4(port: try SocketCalls.port(of: four))),
        ] {
            let client = try SocketCalls.connect(to: address)
            SocketCalls.close(try SocketPair.accepted(listener))
            SocketCalls.close(client)
            SocketCalls.close(listener)
        }
    }

    #if os(Linux)
        /// Sockets of this process that are neither bound nor connected. Other tests have few at a time, for
        /// a moment each.
        private func unbound() -> Int {
            (0..<Int32(20_000)).count {
                DescriptorFacts.option($0, SOL_SOCKET, SO_TYPE) == Int32(SOCK_STREAM.rawValue)
                    && (try? SocketCalls.port(of: $0)) == 0
            }
        }

        @Test("A socket that can't be opened is closed: a port in use, an address that is none")
        func failedSockets() throws {
            let listener = try SocketCalls.listen(at: .version4, port: 0)
            defer { SocketCalls.close(listener) }
            let port = try SocketCalls.port(of: listener)
            let cut = SocketAddress.loopback4(port: port).withPointer { address, _ in
                SocketAddress(address, size: 4)
            }
            for _ in 0..<300 {
                do throws(SystemError) {
                    _ = try SocketCalls.listen(at: .version4, port: port)
                    Issue.record("the port is in use")
                } catch {
                    #expect(error.errorNumber == EADDRINUSE)
                }
                do throws(SystemError) {
                    _ = try SocketCalls.connect(to: cut)
                    Issue.record("the address is cut off")
                } catch {
                    #expect(error.errorNumber == EINVAL)
                }
            }
            #expect(unbound() < 200)
        }
    #endif

    @Test("A connection that can't be prepared is closed and not accepted")
    func failedAccept() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "otalab-\(UUID().uuidString.prefix(8))")
        defer { unlink(folder.path) }
        // It has no option of TCP.
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: folder.path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        #if canImport(Darwin)
            let ends = [socket(AF_UNIX, SOCK_STREAM, 0), socket(AF_UNIX, SOCK_STREAM, 0)]
        #else
            let stream = Int32(SOCK_STREAM.rawValue)
            let ends = [socket(AF_UNIX, stream, 0), socket(AF_UNIX, stream, 0)]
        #endif
        defer { for end in ends { close(end) } }
        let answers = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                [bind(ends[0], $0, size), listen(ends[0], 1), connect(ends[1], $0, size)]
            }
        }
        try #require(answers == [0, 0, 0])
        #expect(throws: SystemError.self) { try SocketCalls.accept(ends[0]) }
        var byte: UInt8 = 0
        #expect(recv(ends[1], &byte, 1, 0) == 0, "the connection is closed")
    }

    @Test(
        "Bytes arrive as they were sent, up to the limit of a call; nothing, and the end, are reported apart")
    func bytes() throws {
        let pair = try SocketPair()
        defer { SocketCalls.close(pair.near) }
        var buffer = [UInt8](repeating: 0, count: 8)
        #expect(try SocketCalls.receive(pair.near, into: &buffer) == nil)
        #expect(try SocketCalls.discard(pair.near, atMost: 9) == nil)
        pair.say("0123456789abcdef")
        #expect(GatedSyncs.wait { DescriptorFacts.unread(pair.near) == 16 })
        #expect(try SocketCalls.receive(pair.near, into: &buffer, atMost: 3) == 3)
        #expect(Array(buffer[..<3]) == Array("012".utf8))
        #expect(try SocketCalls.discard(pair.near, atMost: 4) == 4)
        #expect(try SocketCalls.receive(pair.near, into: &buffer) == 8)
        #expect(buffer == Array("789abcde".utf8))
        #expect(try SocketCalls.discard(pair.near, atMost: 4) == 1)
        #expect(try SocketCalls.send(pair.near, Array("xyz".utf8)[1...], isFollowed: false) == 2)
        #expect(pair.hear(2) == Array("yz".utf8))
        pair.endSaying()
        #expect(try GatedSyncs.wait { try SocketCalls.receive(pair.near, into: &buffer) == 0 })
        #expect(try SocketCalls.discard(pair.near, atMost: 4) == 0)
        SocketCalls.endSending(pair.near)
        #expect(pair.end() == "closed")
        #expect(throws: SystemError.self) {
            try SocketCalls.send(pair.near, [1], isFollowed: false)
        }
    }

    #if os(Linux)
        @Test("Bytes that others follow wait for them; the last ones leave at once (HT-T4)")
        func followed() throws {
            let pair = try SocketPair()
            defer { SocketCalls.close(pair.near) }
            #expect(try SocketCalls.send(pair.near, [1, 2, 3], isFollowed: true) == 3)
            #expect(DescriptorFacts.tcp(pair.near, .notSent) == 3)
            #expect(try SocketCalls.send(pair.near, [4], isFollowed: false) == 1)
            #expect(DescriptorFacts.tcp(pair.near, .notSent) == 0)
            #expect(DescriptorFacts.tcp(pair.near, .dataSegmentsSent) == 1)
            #expect(pair.hear(4) == [1, 2, 3, 4])
        }
    #endif

    @Test("A reset drops what has not left; its peer gets the error that the connection was reset")
    func reset() throws {
        let pair = try SocketPair()
        try pair.fillFar()
        #expect(SocketCalls.unacknowledged(pair.near) > 0)
        SocketCalls.reset(pair.near)
        #expect(pair.end() == "reset")
    }

    @Test("A closed descriptor has a failure, no peer, no port and nothing unacknowledged")
    func closedDescriptor() throws {
        #expect(SocketCalls.failure(of: -1)?.errorNumber == EBADF)
        #expect(SocketCalls.peer(of: -1)?.text == nil)
        #expect(SocketCalls.unacknowledged(-1) == 0)
        #expect(throws: SystemError.self) { try SocketCalls.port(of: -1) }
        #expect(throws: SystemError.self) { try SocketCalls.setSendBuffer(-1, bytes: 1) }
        #expect(throws: SystemError.self) { try SocketCalls.accept(-1) }
    }

    @Test("A refused connection has its failure once")
    func refused() throws {
        let port = try RealApp.freePort()
        let descriptor = try SocketCalls.connect(to: .loopback4(port: port))
        defer { SocketCalls.close(descriptor) }
        let poller = try Poller()
        try poller.watch(descriptor, .writes)
        #expect(try poller.wait(.seconds(10)).map(\.descriptor) == [descriptor])
        #expect(SocketCalls.failure(of: descriptor)?.errorNumber == ECONNREFUSED)
        #expect(SocketCalls.failure(of: descriptor)?.errorNumber == nil)
    }

    @Test(
        "What the error of a connection means",
        arguments: [
            (ECONNREFUSED, ConnectionFault.refused), (ENETUNREACH, .unreachable),
            (EHOSTUNREACH, .unreachable), (ENETDOWN, .unreachable), (ETIMEDOUT, .timedOut),
            (ECONNRESET, .reset), (EPIPE, .reset), (EINVAL, .reset),
        ])
    func faults(number: Int32, fault: ConnectionFault) {
        #expect(SystemError(errorNumber: number).connectionFault == fault)
    }

    @Test(
        "Which errors say that the device has not got an address",
        arguments: [
            (EAFNOSUPPORT, true), (EADDRNOTAVAIL, true), (EPROTONOSUPPORT, true), (EADDRINUSE, false),
            (EACCES, false),
        ])
    func missingAddress(number: Int32, isMissing: Bool) {
        #expect(SystemError(errorNumber: number).isMissingAddress == isMissing)
    }
}
