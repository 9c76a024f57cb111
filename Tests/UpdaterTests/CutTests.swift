import Core
import ScenarioLanguage
import Testing
import World

@testable import Updater

/// A power cut at every disk call of scenarios in which recovery works, with a launch after each.
@Suite("Recovery that is interrupted")
struct CutTests {
    /// v2 fails, is rescued from, gets its second chance, fails, and is blacklisted.
    private static func blame(_ device: inout Harness) throws {
        device.offered = Version("v2", serial: 2)
        device.check()
        for _ in 0..<2 {
            device.kill()
            try device.launch()
            let token = device.load(.processStart)
            device.send(.page(token, .failed("broken")))
            device.send(.page(device.load(.commanded), .confirmed))
        }
    }

    /// v2 is damaged, the damage is found, and it is downloaded again and started.
    private static func repair(_ device: inout Harness) throws {
        device.offered = Version("v2", serial: 2)
        device.check()
        device.kill()
        let blob = device.disk.files(under: StorePaths.blobs).first
        if let blob { try device.disk.place(blob, [1]) }
        try device.start()
        device.check()
        device.kill()
        try device.start()
    }

    /// A store update while v2 is good and v3 pending.
    private static func storeUpdate(_ device: inout Harness) throws {
        device.offered = Version("v2", serial: 2)
        device.check()
        device.kill()
        try device.start()
        device.offered = Version("v3", serial: 3)
        device.check()
        device.kill()
        try device.embed(Version("v4", serial: 4))
        device.native = "1.1"
        try device.start()
        device.wait(.minutes(2))
    }

    private static let scenarios: [(name: String, run: @Sendable (inout Harness) throws -> Void)] = [
        ("blame", blame), ("repair", repair), ("store update", storeUpdate),
    ]

    @Test("R1, R5, R8: after a power cut at any point the next launches show a version and keep the blame")
    func everyCut() throws {
        for scenario in CutTests.scenarios {
            var whole = try Harness.started()
            let first = whole.disk.operations
            try scenario.run(&whole)
            let count = whole.disk.operations - first
            #expect(count > 40, "\(scenario.name)")
            for point in 0..<count {
                let outcome: PowerCutOutcome =
                    switch point % 3 {
                    case 0: .nothing
                    case 1: .everything
                    default: .keyed(UInt64(point))
                    }
                try cut(scenario, at: point, outcome)
            }
        }
    }

    private func cut(
        _ scenario: (name: String, run: @Sendable (inout Harness) throws -> Void), at point: Int,
        _ outcome: PowerCutOutcome
    ) throws {
        var device = try Harness.started()
        device.disk.stop(atCall: point + 1)
        try scenario.run(&device)
        let wasBlacklisted = !device.updater.durable.blacklist.isEmpty
        let wasBuild = device.native
        device.disk.powerCut(keeping: outcome)
        device.disk.resume()
        let description = "\(scenario.name), call \(point), \(outcome)"
        for round in 0..<2 {
            device.boot = "boot-\(round + 2)"
            device.native = wasBuild
            try device.launch()
            let shown = device.show(.processStart)
            #expect(["v1", "v2", "v3", "v4"].contains(shown), "\(description), launch \(round)")
            if wasBuild == "1.1" { #expect(shown == "v4", "\(description), launch \(round)") }
            if wasBlacklisted, wasBuild == "1.0" {
                #expect(shown == "v1" && !device.status.blacklist.isEmpty, "\(description), launch \(round)")
            }
            device.kill()
        }
    }

    @Test("R3: if the end of a start can't be written, the rescue continues from memory")
    func rescueWithoutDisk() throws {
        var device = try Harness.started()
        device.offered = Version("v2", serial: 2)
        device.check()
        device.kill()
        try device.launch()
        let token = device.load(.processStart)
        #expect(device.running(token) == "v2")
        device.disk.makeReadOnly(true)
        device.send(.page(token, .failed("broken")))
        #expect(device.causes(.recordNotWritten) > 0 && device.causes(.rescued) == 1)
        #expect(device.show(.commanded) == "v1")
    }
}
