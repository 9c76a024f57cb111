import Core
import Testing
import World

@testable import Updater

@Suite("Steps of the updater: what they request, and what they leave to the other parts of the app (S9)")
struct UpdaterStepTests {
    private func handle(_ event: Updater.Event, _ device: inout Harness) -> [Updater.Effect] {
        device.updater.handle(event, at: device.now, disk: &device.disk)
    }

    private func agains(_ effects: [Updater.Effect]) -> [WorkLane] {
        effects.compactMap { if case .again(let lane) = $0 { lane } else { nil } }
    }

    @Test("A step of a lane is requested once, however many events come before it")
    func again() throws {
        var device = try Harness.started()
        device.offered = Version("v2", serial: 2)
        device.check()
        let token = PageLoadToken(77)
        // The reload switches: the record is written before the page is answered.
        #expect(agains(handle(.pageLoadRequested(token, .reload), &device)) == [.urgent])
        #expect(agains(handle(.network(.online), &device)).isEmpty)
        #expect(agains(handle(.pageLoadRequested(PageLoadToken(78), .navigation), &device)).isEmpty)
        #expect(agains(handle(.again(.urgent), &device)) == [.urgent], "the next step of the commit")
        var other = try Harness.started()
        other.updater.jobs.add(JobKind.garbage.job)
        #expect(agains(handle(.network(.online), &other)) == [.background])
        #expect(agains(handle(.network(.online), &other)).isEmpty)
        #expect(agains(handle(.again(.background), &other)) == [.background])
    }

    @Test("A step that has used the disk says so, and no other")
    func touchedDisk() throws {
        var device = try Harness.started()
        device.offered = Version("v2", serial: 2, size: 200)
        device.delayed = ["/app.js"]
        device.check()
        let transfer = try #require(device.waiting.last).id
        let quiet: [Updater.Event] = [
            .network(.online), .check(.app), .heldOff(true), .heldOff(false), .timer(.retry), .suspended,
            .resumed, .transfer(TransferID(999), .end), .timer(.idle(TransferID(999))),
        ]
        for event in quiet {
            _ = handle(event, &device)
            #expect(!device.updater.hasTouchedDisk, "\(event)")
        }
        let busy: [Updater.Event] = [
            .inactive, .background,
            .transfer(transfer, .head(status: 200, fields: ["Content-Length": "200"])),
            .transfer(transfer, .bytes([1])),
        ]
        for event in busy {
            let before = device.disk.operations
            _ = handle(event, &device)
            #expect(device.updater.hasTouchedDisk == (device.disk.operations > before), "\(event)")
        }
        device.now = device.now + .minutes(2)
        _ = handle(.timer(.idle(transfer)), &device)
        #expect(device.updater.hasTouchedDisk, "the partial file is closed")
    }

    @Test("Ids of requests and choices by name and ordinal differ within a process")
    func ids() throws {
        var device = try Harness.started()
        let ids = (0..<3).map { _ in device.updater.nextTransferID() }
        #expect(Set(ids).count == 3)
        let updater = device.updater
        #expect(updater.choose("a") == updater.choose("a", 0) && updater.choose("a") != updater.choose("b"))
        #expect(updater.choose("a", 1) != updater.choose("a", 2))
        device.kill()
        try device.launch()
        #expect(device.updater.choose("a") != updater.choose("a"), "the entropy of another launch")
    }

    @Test("Log entries that wait for a commit, and those after them, are reported in their order")
    func heldEntries() throws {
        var device = try Harness.started()
        let key = try #require(device.updater.record.embedded)
        device.updater.logWhenDurable(.startConfirmed, key, "first")
        device.updater.log(.heldOff, key, "second")
        func details(_ effects: [Updater.Effect]) -> [String] {
            effects.compactMap { if case .log(let entry) = $0 { entry.detail } else { nil } }
        }
        #expect(details(device.updater.effects).isEmpty)
        device.logged = []
        device.send(.network(.online))
        #expect(device.logged.map(\.detail) == ["first", "second"])
        device.updater.log(.heldOff, key, "third")
        #expect(details(device.updater.effects) == ["third"])
        #expect(device.updater.record.log.map(\.detail).suffix(3) == ["first", "second", "third"])
    }
}
