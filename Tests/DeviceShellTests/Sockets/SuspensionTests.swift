import Foundation
import Testing

@testable import DeviceShell

/// Clients that keep their connections, as browsers do (S8, F12).
@Suite("Kept connections over a suspension, on real sockets", .serialized)
struct SuspensionTests {
    /// Waits until the port accepts connections, or does not.
    private static func wait(_ port: UInt16, isOpen: Bool) throws {
        for _ in 0..<1_000 {
            if ((try? RawClient(port: port)) != nil) == isOpen { return }
            usleep(2_000)
        }
        throw RawClient.Failure(description: "the port is not \(isOpen ? "open" : "closed") after 2 s")
    }

    @Test(
        "An idle connection, a half request and an answer under way are closed; new ones are answered (HT-T9)"
    )
    func keptConnections() throws {
        let app = try RealApp(embeds: AppLoopTests.files)
        try app.launch()
        let cookie = try app.start().cookie
        let idle = try RawClient(port: app.port, patience: 3)
        idle.say(app.request("/app.js", cookie: cookie))
        #expect(try idle.answer()?.status == 200)
        let half = try RawClient(port: app.port, patience: 3)
        half.say("GET /app.js HTTP/1.1\r\nHost: lo")
        let silent = try RawClient(port: app.port, patience: 3)
        let reading = try RawClient(port: app.port, receiveBuffer: 4_096, patience: 3)
        reading.say(app.request("/large.bin", cookie: cookie))
        #expect(try !reading.hearOnce().isEmpty)
        app.inbox?.enqueue(.background)
        app.inbox?.enqueue(.suspended)
        try SuspensionTests.wait(app.port, isOpen: false)
        app.inbox?.enqueue(.resumed)
        app.inbox?.enqueue(.foreground)
        try SuspensionTests.wait(app.port, isOpen: true)
        idle.say(app.request("/app.js", cookie: cookie))
        #expect(idle.hearToEnd(atMost: 1).end != "nothing", "neither answered nor closed")
        #expect(half.hearToEnd(atMost: 1).end != "nothing")
        // Where the system had not handed it over yet, it is reset when it is used (`TCP_DEFER_ACCEPT`).
        silent.say(app.request("/app.js", cookie: cookie))
        #expect(silent.hearToEnd(atMost: 1).end != "nothing")
        let (bytes, end) = reading.hearToEnd(atMost: .max)
        #expect(end != "nothing" && bytes.count < AppLoopTests.large.count)
        // One that was made while a busy machine still handled the resumption may be closed with the others.
        var new = try RawClient(port: app.port)
        var answer: RawClient.Answer?
        for _ in 0..<20 where answer == nil {
            new = try RawClient(port: app.port)
            new.say(app.request("/app.js", cookie: cookie))
            answer = try new.answer()
        }
        #expect(answer?.body == AppLoopTests.files[1].bytes)
        new.say(app.request("/large.bin", cookie: cookie))
        #expect(try new.answer()?.body == AppLoopTests.large)
    }

    @Test("Thirty suspensions, each with connections that stay, leave no descriptors (S8)")
    func descriptors() throws {
        let app = try ServedProcess(package: [
            (path: "index.html", text: "<!doctype html><p>one</p>"), (path: "a.js", text: "a()"),
        ])
        let page = try PageClient(try app.start("--app", "com.example.real", "--port", "0"))
        guard let before = app.openDescriptors else { return }
        let request = "GET /a.js HTTP/1.1\r\nHost: localhost:\(page.port)\r\nCookie: \(page.cookie)\r\n\r\n"
        var kept: [RawClient] = []
        for round in 0..<30 {
            for _ in 0..<2 {
                let client = try RawClient(port: page.port)
                client.say(request)
                #expect(try client.answer()?.status == 200, "round \(round)")
                kept.append(client)
            }
            app.say("suspend")
            try SuspensionTests.wait(page.port, isOpen: false)
            app.say("resume")
            try SuspensionTests.wait(page.port, isOpen: true)
        }
        let after = app.descriptors(atMost: before)
        #expect(after <= before, "\(before) descriptors before, \(after) after thirty suspensions")
        let last = try RawClient(port: page.port)
        last.say(request)
        #expect(try last.answer()?.status == 200)
        withExtendedLifetime(kept) {}
        app.stop()
    }
}
