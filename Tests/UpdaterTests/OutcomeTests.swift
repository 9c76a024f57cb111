import Core
import Testing

@testable import Updater

@Suite("T3: outcomes")
struct OutcomeTests {
    private func stated(_ device: Harness) -> [String] {
        device.requests.filter { $0.kind == .outcomes }.flatMap { request -> [String] in
            do {
                let outcomes = try JSONReader.read(request.body, dialect: .strict).array ?? []
                return outcomes.map { "\($0["outcome"]?.string ?? "?") \($0["version"]?.string ?? "?")" }
            } catch {
                return ["unreadable"]
            }
        }
    }

    private func updated(_ reports: Bool) throws -> Harness {
        var device = try Harness(embedded: Version("v1", serial: 1))
        device.settings.reportsOutcomes = reports
        try device.start()
        device.offered = Version("v2", serial: 2)
        device.check()
        device.kill()
        try device.start()
        return device
    }

    @Test("Nothing is reported unless the settings say so")
    func off() throws {
        var device = try updated(false)
        device.check()
        #expect(stated(device).isEmpty)
    }

    @Test("Taken and confirmed are reported once each, with the next valid response, also across processes")
    func once() throws {
        var device = try updated(true)
        device.requests = []
        device.script = { $0.kind == .outcomes ? Reply(503) : nil }
        device.check()
        #expect(stated(device).contains("taken v2"))
        device.script = nil
        device.kill()
        try device.launch()
        device.requests = []
        device.check()
        #expect(
            stated(device).filter { $0 == "taken v2" || $0 == "confirmed v2" } == [
                "taken v2", "confirmed v2",
            ])
        let post = device.requests.first { $0.kind == .outcomes }
        #expect(post?.url == "https://origin.example/app/manifest.json/outcomes")
        device.requests = []
        device.check()
        #expect(stated(device).isEmpty)
    }

    @Test("A refusal is one outcome, however often it is logged")
    func refusals() throws {
        var device = try updated(true)
        device.check()
        device.offered = Version("v3", serial: 3)
        device.offered?.native = "\"native\": { \"min\": \"9\" },"
        device.requests = []
        for _ in 0..<3 {
            device.check()
            device.wait(.minutes(1))
        }
        #expect(stated(device).filter { $0 == "refused v3" }.count == 1)
    }

    @Test("An end that proves nothing is unclear, three of them park; neither is reported as failed")
    func unclear() throws {
        var device = try Harness(embedded: Version("v1", serial: 1))
        device.settings.reportsOutcomes = true
        try device.start()
        device.offered = Version("v2", serial: 2)
        device.check()
        for _ in 0..<3 {
            device.kill()
            try device.launch()
            _ = device.load(.processStart)
        }
        device.kill()
        try device.launch()
        #expect(device.status.parked.map(\.id) == ["v2"])
        device.requests = []
        device.check()
        #expect(stated(device).count { $0 == "unclear v2" } == 3)
        #expect(stated(device).contains("parked v2"))
        #expect(!stated(device).contains("failed v2"))
    }
}
