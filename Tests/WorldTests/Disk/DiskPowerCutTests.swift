import Backend
import Core
import ScenarioLanguage
import Testing

@testable import World

@Suite("Power cuts")
struct DiskPowerCutTests {
    @Test("A point with few pending operations is exact, one with many is sampled in every class")
    func plan() throws {
        var disk = SimulatedDisk(hasSmallSectors: true)
        #expect(disk.powerCutPlan().isExact)
        #expect(disk.powerCutPlan().outcomes == [.nothing])
        let file = try disk.open(data("a"), .create)
        try disk.append(file, String(repeating: "x", count: 512 * 9))
        // Name, nine blocks, one length.
        #expect(disk.pendingCount == 11)
        #expect(!disk.powerCutPlan().isExact)
        let outcomes = disk.powerCutPlan().outcomes
        for wanted in [PowerCutOutcome.nothing, .everything, .metadataOnly, .dataOnly, .only(3), .allBut(3)] {
            #expect(outcomes.contains(wanted))
        }
        #expect(outcomes.contains(.pair(0, 10)))
        #expect(outcomes.count { if case .keyed = $0 { true } else { false } } == 50)
        try disk.sync(file)
        #expect(disk.powerCutPlan().outcomes == [.nothing, .everything])
    }

    @Test("The classes of an outcome leave what they say")
    func classes() throws {
        var disk = SimulatedDisk()
        try disk.make("a", "1")
        try disk.make("b", "2")
        // a: name, data, length; b: name, data, length.
        func picture(_ outcome: PowerCutOutcome) -> String {
            var fork = disk
            fork.powerCut(keeping: outcome)
            return fork.picture
        }
        #expect(picture(.nothing) == "")
        #expect(picture(.everything) == "a=1 b=2")
        #expect(picture(.only(3)) == "b=")
        #expect(picture(.allBut(1)) == "a=. b=2")
        #expect(picture(.allBut(0)) == "b=2")
        #expect(picture(.pair(0, 5)) == "a=")
        #expect(picture(.metadataOnly) == "a=. b=.")
        #expect(picture(.dataOnly) == "")
        #expect(picture(.these([3, 4, 5])) == "b=2")
        #expect(picture(.keyed(7)) == picture(.keyed(7)))
        #expect(Set((0..<50).map { picture(.keyed($0)) }).count > 5)
    }

    @Test("No outcome of any class violates the profile's order", arguments: CrashProfile.allCases)
    func closure(profile: CrashProfile) throws {
        var sampled = 0
        for seed in 0..<60 {
            var workload = DiskWorkload(seed: UInt64(seed), profile: profile)
            workload.run(calls: 5 + seed % 25)
            let pending = workload.disk.pending
            var outcomes = workload.disk.powerCutPlan().outcomes
            if outcomes.count > 150 { outcomes = Array(outcomes.prefix(150)) }
            outcomes += (0..<10).map { .keyed(UInt64($0)) }
            outcomes += [.metadataOnly, .dataOnly, .these([pending.count / 2, pending.count - 1])]
            for outcome in outcomes {
                var fork = workload.disk
                let survivors = fork.powerCut(keeping: outcome)
                let broken = brokenRule(pending, survivors, profile)
                #expect(broken == nil, "seed \(seed), \(outcome): \(broken ?? "")")
                #expect(fork.pendingCount == 0)
                sampled += 1
            }
        }
        #expect(sampled > 500)
    }

    /// The profile's rules once more, said over whole sets and not operation by operation.
    private func brokenRule(_ pending: [PendingOperation], _ kept: [Bool], _ profile: CrashProfile) -> String?
    {
        let lost = pending.indices.filter { !kept[$0] }
        if profile == .prefix, let first = lost.first, kept[first...].contains(true) { return "not a prefix" }
        let metadata = pending.indices.filter { !pending[$0].isData }
        if profile.isJournalled, let first = metadata.first(where: { !kept[$0] }),
            metadata.contains(where: { $0 > first && kept[$0] })
        {
            return "metadata is not a prefix"
        }
        for index in pending.indices where kept[index] {
            let operation = pending[index]
            let lostBefore = lost.filter { $0 < index }.map { pending[$0] }
            switch operation.change {
            case .data, .add: break
            case .size:
                let isLost = lostBefore.contains { other in
                    if case .data(_, _, grows: true) = other.change {
                        return other.object == operation.object
                    }
                    return false
                }
                if profile == .journal && isLost { return "a length without its data" }
            case .removal(_, let inode, let place?):
                let isLost = lostBefore.contains { other in
                    if case .add(place.name, inode) = other.change { return other.object == place.directory }
                    return false
                }
                if isLost { return "the old name gone before the new one came" }
            case .removal(_, let inode, nil):
                if lostBefore.contains(where: { $0.changesNames(of: inode) }) {
                    return "a directory gone before what emptied it"
                }
            case .move(_, let inode, _, let replaced):
                let isLost = lostBefore.contains { $0.isData && $0.object == inode }
                if replaced != nil && profile.replacementNeedsData && isLost {
                    return "replaced before its data"
                }
            }
        }
        return nil
    }

    @Test(
        "What was synced with its directories is there after every outcome; what was not need not be",
        arguments: CrashProfile.allCases)
    func syncedSurvives(profile: CrashProfile) throws {
        var wasLost = false
        for seed in 0..<40 {
            var workload = DiskWorkload(seed: UInt64(1_000 + seed), profile: profile)
            workload.run(calls: 6)
            workload.disk.flush()
            try workload.disk.makeDirectory(data("keep"))
            try workload.disk.make("keep/synced", "synced", isSynced: true)
            try workload.disk.syncDirectory(data("keep"))
            try workload.disk.syncDirectory(data(""))
            workload.run(calls: 6)
            try workload.disk.make("keep/unsynced", "unsynced")
            workload.run(calls: 4)
            for outcome in workload.disk.powerCutPlan().outcomes.prefix(300) {
                var fork = workload.disk
                fork.powerCut(keeping: outcome)
                #expect(
                    fork.content(of: data("keep/synced"))?.bytes == Array("synced".utf8),
                    "seed \(seed), \(outcome)")
                if fork.content(of: data("keep/unsynced"))?.bytes != Array("unsynced".utf8) { wasLost = true }
            }
        }
        #expect(wasLost)
    }

    @Test("Pending operations are described in program order")
    func descriptions() throws {
        var disk = try SimulatedDisk.holding([("d/old", "x")])
        try disk.make("a", "1")
        try disk.rename(data("a"), to: data("d/b"))
        try disk.remove(data("d/old"))
        #expect(
            disk.pendingDescriptions == [
                "name a", "block 0 of d/b", "length 1 of d/b", "name d/b", "removal of name a",
                "removal of name d/old",
            ])
    }

    @Test("A second power cut right after the first changes nothing")
    func twice() {
        for seed in 0..<40 {
            var workload = DiskWorkload(seed: UInt64(seed), profile: .strict)
            workload.run(calls: 30)
            workload.disk.powerCut(keeping: .keyed(UInt64(seed)))
            var again = workload.disk
            again.powerCut(keeping: .everything)
            #expect(again == workload.disk)
            #expect(again.worstDurableImage() == workload.disk)
        }
    }

    @Test(
        "The worst durable image is what a cut leaves that nothing pending survives, and what is durable now")
    func worst() {
        for seed in 0..<40 {
            var workload = DiskWorkload(seed: UInt64(seed), profile: .strict)
            workload.run(calls: 30)
            let worst = workload.disk.worstDurableImage()
            let files = workload.disk.files(under: data(""), in: .durable)
            #expect(worst.files(under: data("")) == files)
            for path in files {
                #expect(worst.content(of: path) == workload.disk.content(of: path, in: .durable))
            }
        }
    }
}

/// Random calls on a simulated disk, in a tree of few names; errors are part of it.
struct DiskWorkload {
    var disk: SimulatedDisk
    private var draws: DiskDraws

    init(seed: UInt64, profile: CrashProfile) {
        disk = SimulatedDisk(profile: profile, key: seed, hasSmallSectors: true)
        draws = DiskDraws(seed: seed)
    }

    private mutating func draw(_ bound: Int) -> Int { draws.draw(bound) }

    private mutating func drawPath() -> DiskPath { draws.path() }

    mutating func run(calls: Int) {
        for _ in 0..<calls {
            do {
                try step()
            } catch is DiskError {
                // A name that is not there or there already: as good a step as any.
            } catch { Issue.record(error) }
        }
    }

    private mutating func step() throws {
        switch draw(12) {
        case 0: try disk.makeDirectory(data(["d", "e", "d/f"][draw(3)]))
        case 1: try disk.removeDirectory(data(["d", "e", "d/f"][draw(3)]))
        case 2: try disk.remove(drawPath())
        case 3, 4, 5: try disk.rename(drawPath(), to: drawPath())
        case 6: try disk.syncDirectory(data(["", "d", "e"][draw(3)]))
        case 7, 8:
            let file = try disk.open(drawPath(), .update)
            _ = try disk.write(
                file, [UInt8](repeating: UInt8(65 + draw(26)), count: 1 + draw(700))[...], at: draw(600))
            if draw(4) == 0 { try disk.sync(file) }
            if draw(4) == 0 { try disk.truncate(file, to: draw(900)) }
            try disk.close(file)
        case 9: try disk.rename(data(["d", "e"][draw(2)]), to: data(["e", "d/f", "g"][draw(3)]))
        default:
            try disk.make(drawPath().text, String(repeating: "x", count: draw(3)), isSynced: draw(3) == 0)
        }
    }
}
