import Testing

@testable import Updater

@Suite("The status is computed anew after a change of what it depends on")
struct StatusReportTests {
    @Test("Each part that the status depends on marks it as stale")
    func stale() throws {
        let changes: [(part: String, change: (inout Updater) -> Void)] = [
            ("record", { $0.record.device = "other" }), ("durable record", { $0.durable.device = "other" }),
            ("store update", { $0.settledUpdate = StoreRecord() }),
            ("versions", { $0.versions.readAnew() }), ("selection", { $0.selection.isWithoutContent = true }),
        ]
        for (part, change) in changes {
            var device = try Harness.started()
            #expect(!device.updater.status.isStale)
            change(&device.updater)
            #expect(device.updater.status.isStale, "\(part)")
        }
    }
}
