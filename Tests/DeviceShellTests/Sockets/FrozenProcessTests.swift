import Foundation
import LocalServer
import Synchronization
import Testing

@testable import DeviceShell

/// A process that the system stops, or a device that sleeps, without a notice (R3, R4, S10).
@Suite("A process that does not run for a time, on real sockets", .serialized)
struct FrozenProcessTests {
    private static let app = "com.example.real"
    /// More than the system's buffers take, so that an answer waits for its peer.
    private static let huge =
        AppLoopTests.large + AppLoopTests.large + AppLoopTests.large + AppLoopTests.large

    @Test("An answer goes on to a peer that reads; one that does not is cut at its time-out (HT-T11)")
    func answers() throws {
        let app = try RealApp(
            embeds: [AppLoopTests.files[0], (route: "/huge.bin", bytes: FrozenProcessTests.huge)])
        var limits = LocalServer.Limits()
        limits.writeTimeout = .seconds(2)
        try app.launch(limits: limits)
        let cookie = try app.start().cookie
        let reading = try RawClient(port: app.port)
        let rude = try RawClient(port: app.port, receiveBuffer: 4_096)
        for client in [reading, rude] {
            client.say(app.request("/huge.bin", cookie: cookie))
            #expect(client.hearToEnd(atMost: 1).end == "more")
        }
        app.freeze(milliseconds: 3_000)
        let size = FrozenProcessTests.huge.count
        let (bytes, end) = reading.hearToEnd(atMost: size)
        #expect(end == "more", "\(bytes.count) of more than \(size) bytes, then \(end)")
        usleep(3_500_000)
        #expect(rude.hearToEnd(atMost: .max).bytes.count < size)
    }

    @Test("A start is not failed by time in which the process was stopped, and confirms afterwards (R3, R4)")
    func start() throws {
        let deployed = Mutex(false)
        let version = [
            (route: "/index.html", bytes: Array("<!doctype html><p>two</p>".utf8)),
            (route: "/app.js", bytes: Array("two()".utf8)),
        ]
        let manifest = RealApp.manifest("v2", serial: 2, version)
        let origin = try ScriptedOrigin { target in
            guard deployed.withLock({ $0 }) else { return .notFound }
            if target == "/manifest.json" { return .ok(Array(manifest.utf8)) }
            return version.first { $0.route == target }.map { .ok($0.bytes) } ?? .notFound
        }
        let app = try ServedProcess(package: [
            (path: "index.html", text: "<!doctype html><p>one</p>"), (path: "app.js", text: "one()"),
        ])
        try app.start("--app", FrozenProcessTests.app, "--port", "0", "--origin", origin.url("/"))
        deployed.withLock { $0 = true }
        app.say("check")
        try app.line("became-pending", "v2")
        app.stop()
        let page = try PageClient(
            try app.start("--origin", origin.url("/"), "--startup-timeout", "5s"))
        #expect(page.document.contains("two"))
        usleep(500_000)
        app.stopFor(milliseconds: 7_000)
        usleep(1_000_000)
        #expect(throws: ServedProcess.Failure.self) { try app.line("by-clock", within: 1) }
        _ = try page.call(#"{"method":"startupDidComplete","id":1}"#)
        try app.line("start-confirmed", "v2")
        app.stop()
    }
}
