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

/// Clients without the key, with the requests that once used up all descriptors and connections (S10).
@Suite("Clients without the key that send requests and do not read, over real sockets", .serialized)
struct UnauthenticatedClientTests {
    private static let package = [
        (path: "index.html", text: "<!doctype html><p>one</p>"), (path: "a.js", text: "a()"),
    ]

    /// 2,500 requests at once, as small segments to a peer that takes 4 KiB and reads nothing.
    private static func attack(_ port: UInt16) throws -> RawClient {
        let client = try RawClient(port: port, receiveBuffer: 4_096, segment: 536, patience: 1)
        let request = "GET /1k.bin HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n"
        client.say(String(repeating: request, count: 2_500))
        return client
    }

    private func served() throws -> (ServedProcess, PageClient) {
        let app = try ServedProcess(package: UnauthenticatedClientTests.package)
        app.descriptors = 256
        return (app, try PageClient(try app.start("--app", "com.example.real", "--port", "0")))
    }

    @Test("Ninety of them have no descriptor left after three seconds, whatever they have not read (HT-T11)")
    func descriptors() throws {
        let (app, page) = try served()
        guard let before = app.openDescriptors else { return }
        let attackers = try (0..<90).map { _ in try UnauthenticatedClientTests.attack(page.port) }
        let after = app.descriptors(atMost: before)
        #expect(after <= before, "\(before) descriptors before, \(after) after")
        #expect(try page.get("/a.js").status == 200)
        withExtendedLifetime(attackers) {}
        app.stop()
    }

    @Test("A hundred and forty, renewed, cost the page no connection, old or new (HT-T12)")
    func connectionLimit() throws {
        let (app, page) = try served()
        let request = "GET /a.js HTTP/1.1\r\nHost: localhost:\(page.port)\r\nCookie: \(page.cookie)\r\n\r\n"
        let idle = try RawClient(port: page.port)
        idle.say(request)
        #expect(try idle.answer()?.status == 200)
        var attackers: [RawClient] = []
        var slowest: UInt64 = 0
        for round in 0..<4 {
            // As many as fill all connections stay from the previous round while the others connect.
            if round > 0 { attackers.removeFirst(70) }
            while attackers.count < 140 {
                attackers.append(try UnauthenticatedClientTests.attack(page.port))
                guard attackers.count % 14 == 0 else { continue }
                let begin = DispatchTime.now().uptimeNanoseconds
                #expect(try page.get("/a.js").status == 200, "round \(round)")
                let new = try RawClient(port: page.port)
                new.say(request)
                #expect(try new.answer()?.status == 200, "a new connection in round \(round)")
                slowest = max(slowest, DispatchTime.now().uptimeNanoseconds - begin)
            }
        }
        idle.say(request)
        #expect(try idle.answer()?.status == 200, "the page's idle connection was taken")
        print("two requests of the page among 140 strangers: \(slowest / 1_000) µs at most")
        app.stop()
    }

    @Test(
        "A client without the key gets one refusal, with `Connection: close`, and no second answer (HT-T12)")
    func oneAnswer() throws {
        let (app, page) = try served()
        let attacker = try RawClient(port: page.port, patience: 3)
        let request = "GET /1k.bin HTTP/1.1\r\nHost: 127.0.0.1:\(page.port)\r\n\r\n"
        attacker.say(String(repeating: request, count: 100))
        let answer = try #require(try attacker.answer())
        #expect(answer.status == 403 && answer.field("Connection") == "close")
        #expect(attacker.hearToEnd(atMost: 1) == ([], "closed"))
        app.stop()
    }

    @Test(
        "A peer with the key that reads nothing is reset at the write time-out; nothing is sent on (HT-T11)")
    func hardClose() throws {
        var limits = LocalServer.Limits()
        limits.writeTimeout = .milliseconds(300)
        let app = try RealApp(embeds: AppLoopTests.files)
        try app.launch(limits: limits)
        let cookie = try app.start().cookie
        let stuck = try RawClient(port: app.port, receiveBuffer: 4_096)
        stuck.say(app.request("/large.bin", cookie: cookie))
        usleep(1_300_000)
        let (bytes, end) = stuck.hearToEnd(atMost: .max)
        #expect(end == "reset" && bytes.count < AppLoopTests.large.count, "\(end) after \(bytes.count) bytes")
        let page = try RawClient(port: app.port)
        page.say(app.request("/large.bin", cookie: cookie))
        #expect(try page.answer()?.body == AppLoopTests.large)
    }

    #if !canImport(Darwin)
        @Test("A page's connection is kept though 200 others connect before its request comes (HT-T12, S10)")
        func lateRequest() throws {
            let (app, page) = try served()
            let late = try RawClient(port: page.port)
            let strangers = try (0..<200).map { _ in try RawClient(port: page.port) }
            usleep(100_000)
            late.say("GET /a.js HTTP/1.1\r\nHost: localhost:\(page.port)\r\nCookie: \(page.cookie)\r\n\r\n")
            #expect(try late.answer()?.status == 200)
            withExtendedLifetime(strangers) {}
            app.stop()
        }
    #endif

    @Test("Of 140 of them the system keeps no byte after two seconds, and before only refusals (HT-T13)")
    func kernelMemory() throws {
        let (app, page) = try served()
        guard UnauthenticatedClientTests.queued(page.port) != nil else { return }
        let attackers = try (0..<140).map { _ in try UnauthenticatedClientTests.attack(page.port) }
        let sending = try #require(UnauthenticatedClientTests.queued(page.port)).sent
        #expect(sending <= 140 * 1_024, "\(sending) bytes wait for peers that don't read")
        usleep(2_000_000)
        let kept = try #require(UnauthenticatedClientTests.queued(page.port))
        #expect(kept.sent == 0 && kept.received == 0, "\(kept)")
        #expect(try page.get("/a.js").status == 200)
        withExtendedLifetime(attackers) {}
        app.stop()
    }

    /// Bytes in the system's queues of this port's connections, with those that no process has any more; nil
    /// where the system does not report them.
    private static func queued(_ port: UInt16) -> (sent: Int, received: Int)? {
        guard let text = try? String(contentsOfFile: "/proc/net/tcp", encoding: .utf8) else { return nil }
        var all = (sent: 0, received: 0)
        for line in text.split(separator: "\n").dropFirst() {
            let words = line.split(separator: " ")
            let queues = words[4].split(separator: ":").compactMap { Int($0, radix: 16) }
            // Not the listening socket, whose queue is one of connections.
            guard words[1].hasSuffix(":" + String(format: "%04X", port)), words[3] != "0A" else { continue }
            all.sent += queues[0]
            all.received += queues[1]
        }
        return all
    }

    @Test("A lingering client that does not take its answer is reset: after 1 s, with the key 30 s (HT-T11)")
    func hardEnd() throws {
        let poller = try Poller()
        let lingering = LingeringSockets(poller)
        let listener = try SocketCalls.listen(at: .version4, port: 0)
        defer { SocketCalls.close(listener) }
        let port = try SocketCalls.port(of: listener)
        func stuck(isEvictedFirst: Bool) throws -> RawClient {
            let client = try RawClient(port: port, receiveBuffer: 4_096, patience: 1)
            let descriptor = try #require(try SocketCalls.accept(listener))
            let bytes = [UInt8](repeating: 65, count: 100_000)
            while try SocketCalls.send(descriptor, bytes[...], isFollowed: false) != nil {}
            lingering.add(descriptor, at: .zero, isEvictedFirst: isEvictedFirst)
            return client
        }
        let stranger = try stuck(isEvictedFirst: true)
        let page = try stuck(isEvictedFirst: false)
        lingering.timePassed(.zero + .seconds(1))
        #expect(stranger.hearToEnd(atMost: .max).end == "reset")
        // It reads, and so its second begins again.
        _ = page.hearToEnd(atMost: 50_000)
        usleep(50_000)
        lingering.timePassed(.zero + .seconds(2))
        #expect(lingering.nextDeadline == .zero + .seconds(3))
        for second in 3..<40 {
            lingering.timePassed(.zero + .seconds(Int64(second)))
            let next = second < 32 ? Instant.zero + .seconds(Int64(second) + 1) : nil
            #expect(lingering.nextDeadline == next, "after \(second) s")
        }
        #expect(page.hearToEnd(atMost: .max).end == "reset", "it has taken nothing for thirty seconds")
    }

    @Test("Where connections linger at their end, those without the key make room before a page's (S10)")
    func lingering() throws {
        let poller = try Poller()
        let lingering = LingeringSockets(poller, limit: 3)
        let listener = try SocketCalls.listen(at: .version4, port: 0)
        defer { SocketCalls.close(listener) }
        let port = try SocketCalls.port(of: listener)
        var clients: [RawClient] = []
        func accepted() throws -> Int32 {
            clients.append(try RawClient(port: port))
            return try #require(try SocketCalls.accept(listener))
        }
        let page = try accepted()
        lingering.add(page, at: .zero)
        for second in 1...10 {
            lingering.add(try accepted(), at: .zero + .seconds(Int64(second)), isEvictedFirst: true)
        }
        #expect(lingering.owns(page))
        lingering.closeAll()
    }
}
