import AppHost
import Core
import Foundation
import Testing

@testable import DeviceShell

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The loop is stepped by hand, and the host only says who has shown the key, so that the order is exact.
@Suite("One turn of the loop, with a page and clients without the key", .serialized)
struct PageFirstTests {
    /// A client whose first byte is `K` has the key.
    private struct KeyHost: HostedApp {
        mutating func handle(
            _ event: AppHost.Event, at now: Instant, disk: inout some Disk
        ) -> [AppHost.Effect] {
            switch event {
            case .launched(let launch): [.listen(port: launch.port ?? 0)]
            case .connection(let id, .received(let bytes)):
                bytes.first == UInt8(ascii: "K") ? [.authenticated(id)] : []
            default: []
            }
        }
    }

    private let app: RealApp
    private let loop: AppLoop

    init() throws {
        app = try RealApp(embeds: [])
        loop = try AppLoop(app.disk(), KeyHost())
        loop.begin(try app.launchValue())
        try settle()
    }

    private func settle() throws {
        for _ in 0..<20 { try loop.turn(waiting: .milliseconds(1)) }
    }

    /// Connects, and waits until the loop has accepted: a client that has sent nothing may have to wait.
    private func client() throws -> RawClient {
        let client = try RawClient(port: app.port)
        client.say("c")
        try settle()
        return client
    }

    /// What the clients have sent, one letter each, in the order in which the loop took it; `+` for a
    /// connection that it accepted.
    private var taken: String {
        var waiting = loop.inbox
        var letters = ""
        while let event = waiting.next() {
            switch event {
            case .connection(_, .opened): letters += "+"
            case .connection(_, .received(let bytes)):
                letters += String(decoding: bytes.prefix(1), as: UTF8.self)
            default: letters += "?"
            }
        }
        return letters
    }

    @Test("A turn reads the page first, then clients without the key, and then accepts others (S10)")
    func order() throws {
        let strangers = try (0..<8).map { _ in try client() }
        let page = try client()
        page.say("K")
        try settle()
        for stranger in strangers { stranger.say("s") }
        let next = try RawClient(port: app.port)
        next.say("n")
        page.say("p")
        usleep(20_000)
        try loop.turn(waiting: .zero)
        #expect(taken == "pssssssss+")
        withExtendedLifetime(next) {}
        loop.closeAll()
    }

    @Test("Two hundred sockets that are ready at once don't keep the page waiting for another turn (S10)")
    func manyReady() throws {
        var strangers: [RawClient] = []
        for _ in 0..<100 { strangers.append(try client()) }
        let page = try client()
        page.say("K")
        try settle()
        for stranger in strangers { stranger.say("s") }
        page.say("p")
        usleep(20_000)
        try loop.turn(waiting: .zero)
        #expect(taken.hasPrefix("p"))
        #expect(taken.count { $0 == "s" } == 100)
        loop.closeAll()
    }

    #if !canImport(Darwin)
        @Test("A connection whose client has sent nothing waits in the system and displaces no other (S10)")
        func silent() throws {
            let silent = try RawClient(port: app.port)
            try settle()
            #expect(loop.peers.isEmpty)
            silent.say("s")
            try settle()
            #expect(loop.peers.count == 1)
            loop.closeAll()
        }
    #endif

    @Test("Until its client has shown the key, a connection's send buffer is small (HT-T13)")
    func sendBuffer() throws {
        let page = try client()
        let descriptor = try #require(loop.peers.keys.first)
        let before = PageFirstTests.sendBuffer(of: descriptor)
        #expect(before <= 32_768, "\(before)")
        page.say("K")
        try settle()
        let after = PageFirstTests.sendBuffer(of: descriptor)
        #expect(after >= 262_144, "\(after)")
        loop.closeAll()
    }

    /// Bytes, as the system counts them.
    private static func sendBuffer(of descriptor: Int32) -> Int32 {
        var bytes: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, &size)
        return bytes
    }
}
