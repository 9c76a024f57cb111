import Core
import ScenarioLanguage
import Testing
import World

@testable import Updater

@Suite("Recovery")
struct RecoveryTests {
    private func device(pending id: String = "v2") throws -> Harness {
        var device = try Harness.started()
        device.offered = Version(id, serial: 2)
        device.check()
        #expect(device.status.pending?.id == id)
        device.kill()
        return device
    }

    @Test("R3, R5: a hanging version is left after its clock, tried once more with 60 s, then blacklisted")
    func hangs() throws {
        var device = try device()
        try device.launch()
        device.check()
        #expect(device.show(.processStart) == "v2")
        device.wait(.seconds(19))
        #expect(device.causes(.rescued) == 0)
        device.wait(.seconds(2))
        #expect(device.causes(.rescued) == 1)
        let rescue = device.load(.commanded)
        #expect(device.running(rescue) == "v1")
        device.send(.page(rescue, .confirmed))
        #expect(device.status.blacklist.isEmpty)
        #expect(device.status.pending?.id == "v2" && device.status.pendingWaits)
        #expect(device.show(.reload) == "v1")
        device.kill()
        try device.launch()
        device.check()
        #expect(device.show(.processStart) == "v2")
        device.wait(.seconds(59))
        #expect(device.status.blacklist.isEmpty)
        device.wait(.seconds(2))
        #expect(device.status.blacklist.map(\.id) == ["v2"])
        #expect(device.show(.commanded) == "v1")
        let before = device.requests.count
        device.check()
        #expect(device.requests.count == before + 1)
        #expect(device.causes(.blacklisted) == 1)
    }

    @Test(
        "R3: with a recorded crash or an end in front one start is enough; three unclear ones park it"
    )
    func dies() throws {
        var stated = try device()
        try stated.launch()
        stated.load(.processStart)
        stated.kill(.crash)
        try stated.launch()
        #expect(stated.show(.processStart) == "v1")
        #expect(stated.causes(.startFailedByCrash) == 1)

        var inFront = try device()
        try inFront.launch()
        inFront.load(.processStart)
        inFront.kill(inFront: true)
        try inFront.launch()
        #expect(inFront.show(.processStart) == "v1")
        #expect(inFront.causes(.startEndedInFront) == 1)

        var silent = try device()
        for _ in 0..<3 {
            try silent.launch()
            #expect(silent.show(.processStart) == "v2")
            silent.kill()
        }
        try silent.launch()
        #expect(silent.show(.processStart) == "v1")
        #expect(silent.status.parked.map(\.id) == ["v2"])
        silent.check()
        #expect(silent.causes(.parkedOffer) == 1)
    }

    @Test("R4: a clock that runs out while the page is in use reloads nothing and blames no version")
    func inUse() throws {
        var device = try device()
        try device.launch()
        device.check()
        let token = device.load(.processStart)
        device.send(.page(token, .touched))
        device.wait(.minutes(3))
        #expect(device.causes(.rescued) == 0)
        #expect(device.causes(.startUnclearByClock) == 1)
        device.send(.background)
        #expect(device.causes(.rescued) == 1)
        #expect(device.status.blacklist.isEmpty)
    }

    @Test("R6: the previous page's confirmation does not count for the new version")
    func previousPage() throws {
        var device = try Harness(embedded: Version("v1", serial: 1))
        try device.launch()
        let old = device.load(.processStart)
        device.send(.page(old, .confirmed))
        device.offered = Version("v2", serial: 2)
        device.check()
        #expect(device.show(.reload) == "v2")
        device.send(.page(old, .confirmed))
        #expect(device.causes(.confirmationFromPreviousPage) == 1)
        #expect(!device.status.good.contains { $0.id == "v2" })
    }

    @Test(
        "R2: the start record is durable before the index is served; if it can't be written, nothing starts"
    )
    func mark() throws {
        var device = try device()
        try device.launch()
        device.disk.limitFreeSpace(to: 0)
        device.disk.makeReadOnly(true)
        #expect(device.show(.processStart) == "v1")
        #expect(device.causes(.startNotMarked) == 1)
    }

    @Test("R8: a damaged newer generation falls back to the older one; losing both does not cost the app")
    func generations() throws {
        var device = try device()
        try device.launch()
        device.kill()
        try device.disk.place(StorePaths.recordA, Array("nonsense".utf8))
        try device.launch()
        #expect(device.causes(.recordFellBack) == 1)
        device.kill()
        try device.disk.place(StorePaths.recordA, [])
        try device.disk.place(StorePaths.recordB, Array(repeating: 0, count: 5_000))
        try device.launch()
        #expect(device.causes(.recordLost) == 1)
        #expect(device.show(.processStart) == "v1")
    }

    @Test("R10: damaged content takes its version out of use without blame, and is downloaded again")
    func damage() throws {
        var device = try device()
        try device.launch()
        device.load(.processStart)
        device.kill()
        let blob = try #require(device.disk.files(under: StorePaths.blobs).first)
        try device.disk.place(blob, Array(repeating: 7, count: 3_000))
        device.boot = "boot-2"
        try device.launch()
        #expect(device.show(.processStart) == "v1")
        #expect(device.causes(.contentDamaged) == 1)
        #expect(device.status.blacklist.isEmpty)
        device.check()
        device.wait(.seconds(1))
        #expect(device.status.pending?.id == "v2")
        device.kill()
        try device.launch()
        #expect(device.show(.processStart) == "v2")
    }

    @Test(
        "R1: after a power cut during an update or its first start the next launch shows a version"
    )
    func everyPowerCut() throws {
        var scenario = try Harness(embedded: Version("v1", serial: 1))
        try scenario.start()
        let first = scenario.disk.operations
        try update(&scenario)
        let count = scenario.disk.operations - first
        #expect(count > 40)
        for point in stride(from: 0, to: count, by: 1) {
            for outcome in [PowerCutOutcome.nothing, .everything, .keyed(UInt64(point))] {
                var device = try Harness(embedded: Version("v1", serial: 1))
                try device.start()
                device.disk.stop(atCall: point + 1)
                try update(&device)
                device.disk.powerCut(keeping: outcome)
                device.disk.resume()
                device.boot = "boot-2"
                try device.launch()
                let token = device.load(.processStart)
                #expect(["v1", "v2"].contains(device.running(token)), "point \(point) \(outcome)")
            }
        }
    }

    private func update(_ device: inout Harness) throws {
        device.offered = Version("v2", serial: 2)
        device.check()
        device.kill()
        try device.launch()
        let token = device.load(.processStart)
        device.send(.page(token, .confirmed))
    }
}
