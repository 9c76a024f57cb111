import AppHost
import Foundation
import Testing

@testable import DeviceShell

/// The programs run as separate processes, with few descriptors (`ulimit -n`).
@Suite("A process without a descriptor to spare", .serialized)
struct DescriptorTests {
    private static let page = [
        (path: "index.html", text: "<!doctype html><p>one</p>"), (path: "a.js", text: "a()"),
    ]

    /// Number of connections that are accepted one after the other and stay open.
    private func crowd(_ port: UInt16, _ count: Int) -> [RawClient] {
        (0..<count).compactMap { _ in try? RawClient(port: port, patience: 2) }
    }

    @Test(
        "Clients without the key never use the descriptors that an app's files need (HT-T3)"
    )
    func app() throws {
        let app = try ServedProcess(package: DescriptorTests.page)
        app.descriptors = 40
        let url = try app.start("--app", "com.example.real", "--port", "0")
        let page = try PageClient(url)
        let strangers = crowd(page.port, 120)
        #expect(strangers.count == 120)
        for _ in 0..<20 { #expect(try page.get("/a.js").status == 200) }
        // A new connection of the page is accepted as well.
        #expect(try page.call(#"{"method":"infoRequest","params":{"text":"in"}}"#).contains("in"))
        usleep(300_000)
        let before = app.switches
        usleep(1_000_000)
        if let before, let after = app.switches { #expect(after - before < 60, "\(after - before)") }
        withExtendedLifetime(strangers) {}
        #expect(app.stop() == 0)
    }

    @Test("An origin's port without a free descriptor sleeps, and accepts again when there is one")
    func origin() throws {
        let app = try ServedProcess(package: [])
        app.descriptors = 40
        try app.write("story.json5", ServedScenario.text(#"{ launch: true }"#))
        try app.begin(["story.json5"], service: "origin")
        let line = try app.line("manifest  http://127.0.0.1:")
        let port = try #require(UInt16(line.split(separator: ":").last?.prefix { $0 != "/" } ?? ""))
        var strangers = crowd(port, 60)
        let last = try RawClient(port: port, patience: 1)
        last.say("GET /ota/manifest.json HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
        #expect(throws: RawClient.Failure.self) { try last.answer() }
        guard let before = app.switches, let work = app.processorTime else { return }
        usleep(1_000_000)
        // Ten times a second, not all the time.
        if let after = app.switches { #expect((5..<60).contains(after - before), "\(after - before)") }
        if let after = app.processorTime { #expect(after - work < 200, "\(after - work) ms of 1,000") }
        #expect(strangers.count == 60)
        strangers = []
        var status: Int?
        for _ in 0..<20 where status == nil { status = try? last.answer()?.status }
        #expect(status == 200)
        app.stop()
    }

    @Test(
        "A port that can't be opened for want of descriptors is not called taken; the screen says what helps")
    func noDescriptorForThePort() throws {
        let app = try ServedProcess(package: DescriptorTests.page)
        // Enough for the state folder and the poller, and none for the port.
        app.descriptors = 11
        try app.begin(["--package", "package", "--app", "com.example.real", "--port", "0"])
        let line = try app.line("no file descriptor is left", "ulimit -n")
        #expect(!line.contains("is in use"))
        app.stop(.killed)
    }

    @Test(
        "Why a port is not opened",
        arguments: [
            (EADDRINUSE, AppHost.ListenerEvent.portTaken), (EACCES, .portFailed(.notAllowed)),
            (EPERM, .portFailed(.notAllowed)), (EMFILE, .portFailed(.noDescriptor)),
            (ENFILE, .portFailed(.noDescriptor)), (ENOBUFS, .portFailed(.noMemory)),
            (EINVAL, .portFailed(.other(EINVAL))),
        ])
    func whyNotOpened(number: Int32, event: AppHost.ListenerEvent) {
        #expect(SystemError(errorNumber: number).listenerEvent == event)
    }

    @Test("What the peers may have leaves room for the rest, whatever the system allows")
    func room() {
        for limit in [0, 40, 64, 256, 1_024, 65_536] {
            let budget = FileDescriptorBudget(limit: limit)
            #expect(budget.connections >= 4 && budget.lingering >= 2)
            if limit >= 64 {
                #expect(budget.connections + budget.lingering + FileDescriptorBudget.reserved <= limit)
            }
        }
        #expect(FileDescriptorBudget(limit: 256).connections >= 128)
    }
}
