import Core
import Testing
import Updater

@testable import AppHost

@Suite("What strangers and the system refuse, as the report and the screen have it")
struct RefusalTests {
    @Test("Refused clients, however many, take no entry of the host's log; each refusal has path and reason")
    func strangers() throws {
        var bench = try HostFixture()
        try bench.launch()
        bench.isPortTaken = true
        bench.handle(.listener(.lost))
        bench.handle(.listener(.listening))
        for _ in 0..<500 { #expect(bench.ask("/private?secret=1").status == 403) }
        for index in 0..<300 { _ = bench.ask("/\(index)") }
        let lines = bench.host.log.reportLines
        #expect(lines.first?["cause"] == "server-port-taken")
        let refused = lines.filter { $0["cause"] == "request-refused" }
        #expect(refused.count == RefusalLog.limit + 1)
        #expect(refused.last?["facts"] == "earlier=780")
        #expect(refused.first?["facts"] == "status=403 method=GET path=/280 reason=no-session-key")
        #expect(lines.map { $0["n"] } == (1...lines.count).map { String($0) })
        #expect(!bench.host.report.contains("secret"))
    }

    @Test("Twenty refusals a minute are logged at once, however many come; the others are counted (S10)")
    func logged() throws {
        var bench = try HostFixture()
        try bench.launch()
        func logged() -> [String] {
            bench.effects.compactMap { effect in
                if case .log(let entry) = effect, entry.cause == .requestRefused { entry.detail } else { nil }
            }
        }
        for index in 0..<5_000 { _ = bench.ask("/\(index)") }
        #expect(logged().count == 20)
        bench.wait(.seconds(61))
        _ = bench.ask("/later")
        #expect(
            logged().suffix(2) == [
                "unlogged=4980", "status=403 method=GET path=/later reason=no-session-key",
            ])
        #expect(logged().count == 22)
    }

    @Test("Equal refusals are one line with their number; a long path is cut")
    func counted() throws {
        var bench = try HostFixture()
        try bench.launch()
        for _ in 0..<3 { _ = bench.ask("/a.js?x=\(bench.effects.count)") }
        _ = bench.ask("/" + String(repeating: "b", count: 3_000))
        let facts = bench.host.log.reportLines.map { $0["facts"] ?? "" }
        #expect(facts.first == "status=403 method=GET path=/a.js reason=no-session-key times=3")
        #expect(facts.last?.utf8.count ?? 0 < 200)
        let logged = bench.count { effect in
            if case .log(let entry) = effect { entry.cause == .requestRefused } else { false }
        }
        #expect(logged == 4)
    }

    @Test("A page that repeats a message that is refused displaces nothing either")
    func messages() throws {
        var bench = try HostFixture()
        try bench.launch()
        let page = bench.show().target
        bench.isPortTaken = true
        bench.handle(.listener(.lost))
        bench.handle(.listener(.listening))
        for _ in 0..<200 { _ = bench.call(#"{"method":"nope"}"#, from: page) }
        let lines = bench.host.log.reportLines
        #expect(lines.map { $0["cause"] } == ["server-port-taken", "bridge-message-refused"])
        #expect(lines.last?["facts"] == "unknown method nope times=200")
    }

    @Test(
        "A port that the system does not open is logged with its reason, shown, and tried again (S4)",
        arguments: [
            (AppHost.PortFault.notAllowed, "not-allowed"), (.noDescriptor, "no-descriptor"),
            (.noMemory, "no-memory"), (.other(22), "errno-22"),
        ])
    func port(fault: AppHost.PortFault, reason: String) throws {
        var bench = try HostFixture()
        try bench.launch()
        bench.handle(.listener(.portFailed(fault)))
        #expect(bench.screen == .portFailed(fault))
        let line = try #require(bench.host.log.reportLines.last)
        #expect(line["cause"] == "server-port-failed")
        #expect(line["facts"] == "port=\(AppHost.defaultPort(ofApp: "com.example.shop")) reason=\(reason)")
        #expect(bench.timers.contains { $0.name == .retryListening })
        bench.wait(.seconds(1))
        #expect(bench.screen == .cover)
    }
}
