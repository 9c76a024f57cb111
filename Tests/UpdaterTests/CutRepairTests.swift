import Core
import ScenarioLanguage
import Testing
import World

@testable import Updater

/// Windows that a search over crash points found, with one test each.
@Suite("Interrupted between two writes that belong together")
struct CutRepairTests {
    private func stored() throws -> Harness {
        var device = try Harness(embedded: Version("v1", serial: 1))
        try device.start()
        device.offered = Version("v2", serial: 2)
        device.check()
        #expect(device.status.pending?.id == "v2")
        return device
    }

    @Test("R7: while a damaged version is downloaded again, the table that the record names always exists")
    func tableIsReplaced() throws {
        var device = try stored()
        device.kill()
        let blob = try #require(device.disk.files(under: StorePaths.blobs).first)
        try device.disk.place(blob, [1])
        try device.start()
        #expect(device.causes(.contentDamaged) == 1)
        let table = try #require(device.disk.files(under: StorePaths.tables).first)
        let first = device.disk.operations
        var whole = device
        whole.check()
        #expect(whole.status.pending?.id == "v2")
        for call in 0..<(whole.disk.operations - first) {
            for outcome in [nil, PowerCutOutcome.nothing, .everything] {
                var cut = device
                cut.disk.stop(atCall: call + 1)
                cut.check()
                if let outcome { cut.disk.powerCut(keeping: outcome) } else { cut.kill() }
                cut.disk.resume()
                let read = TableCoding.decode(cut.bytes(of: table), packageRoot: nil, limits: .init())
                #expect(read?.key.id == "v2", "call \(call), \(outcome.map { "\($0)" } ?? "kill")")
            }
        }
        // If the process continued after all, nothing is left over.
        whole.wait(.minutes(2))
        #expect(whole.disk.files(under: StorePaths.tables) == [table])
    }

    @Test("U3: a damaged number whose download never began does not block the origin line")
    func acceptedAndCutOff() throws {
        var damaged = Version("v2", serial: 900)
        damaged.files[1].bytes[0] ^= 1
        var device = try Harness(embedded: Version("v1", serial: 1))
        try device.start()
        device.offered = Version("v2", serial: 2)
        device.answers = [("manifest.json", 200, damaged.manifest)]
        let first = device.disk.operations
        var whole = device
        whole.check()
        for call in 0..<(whole.disk.operations - first) {
            var cut = device
            cut.disk.stop(atCall: call + 1)
            cut.check()
            cut.kill()
            cut.disk.resume()
            cut.answers = []
            try cut.launch()
            cut.check()
            cut.wait(.minutes(2))
            #expect(cut.status.pending?.id == "v2", "call \(call)")
        }
    }

    @Test("U8: a version that was complete or given up here is not in doubt for the next process")
    func acceptedAndLeft() throws {
        var device = try Harness(embedded: Version("v1", serial: 1))
        try device.start()
        // Publication 3 is accepted and can't be downloaded for lack of space.
        device.offered = Version("v3", serial: 3)
        device.disk.limitFreeSpace(to: 50_000_000 + 3_200)
        device.check()
        #expect(device.causes(.noSpace) >= 1 && device.status.pending == nil)
        device.kill()
        device.disk.limitFreeSpace(to: 1 << 40)
        try device.launch()
        // An edge with an old publication.
        device.offered = Version("v2", serial: 2)
        device.check()
        device.wait(.minutes(2))
        #expect(device.status.pending == nil)
        #expect(device.causes(.olderThanAccepted) > 0)
    }

    @Test("R7: five confirmations in one process make a version good, not proven")
    func provenByProcesses() throws {
        var device = try stored()
        device.kill()
        try device.start()
        let v2 = Version("v2", serial: 2)
        for round in 0..<3 {
            device.offered = Version("v3", serial: 3 + 2 * round, app: "v3")
            device.check()
            device.send(.page(device.load(.reload), .confirmed))
            #expect(device.status.current?.id == "v3")
            device.offered = v2
            device.offered?.serial = 4 + 2 * round
            device.check()
            device.send(.page(device.load(.reload), .confirmed))
            #expect(device.status.current?.id == "v2")
        }
        let entry = device.updater.record.versions.first { $0.key.id == "v2" }
        #expect(entry?.confirmations == 1)
        for process in 2...5 {
            device.kill()
            try device.start()
            let entry = device.updater.record.versions.first { $0.key.id == "v2" }
            #expect(entry?.confirmations == process)
        }
    }
}
