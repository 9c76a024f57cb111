import Backend
import Core
import ScenarioLanguage
import Testing

@testable import World

@Suite("The choice of power cuts")
struct PowerCutChoiceTests {
    /// What can be left, class by class, said once more from storage.md.
    private struct Images {
        var nothing: [[Bool]] = []
        var everything: [[Bool]] = []
        var metadataOnly: [[Bool]] = []
        var dataOnly: [[Bool]] = []
        var only: [[Bool]] = []
        var allBut: [[Bool]] = []
        var pairs: [[Bool]] = []
        var torn: [Int] = []

        init(_ disk: SimulatedDisk) {
            let pending = disk.pending
            func left(_ outcome: PowerCutOutcome) -> [Bool] {
                var fork = disk
                return fork.powerCut(keeping: outcome)
            }
            nothing = [left(.nothing)]
            if pending.isEmpty { return }
            everything = [left(.everything)]
            torn = pending.indices.filter { pending[$0].isData }
            if torn.count > 0, torn.count < pending.count {
                metadataOnly = [left(.metadataOnly)]
                dataOnly = [left(.dataOnly)]
            }
            only = pending.indices.map { left(.only($0)) }
            allBut = pending.indices.map { left(.allBut($0)) }
            guard pending.count <= 24 else { return }
            for second in pending.indices {
                for first in 0..<second { pairs.append(left(.pair(first, second))) }
            }
        }

        /// Classes that exist and of which no image is among the chosen ones.
        func missing(_ rows: [PowerCutChoice.Candidate]) -> [String] {
            let whole = rows.filter { $0.torn == nil }.map(\.survivors)
            let classes = [
                ("nothing", nothing), ("everything", everything), ("metadata", metadataOnly),
                ("data", dataOnly), ("only", only), ("all but", allBut), ("pair", pairs),
            ]
            var missing = classes.filter { row in
                !row.1.isEmpty && !row.1.contains { whole.contains($0) }
            }.map(\.0)
            if !torn.isEmpty, !rows.contains(where: { $0.torn.map { torn.contains($0) } ?? false }) {
                missing.append("torn")
            }
            return missing
        }
    }

    /// Nothing, everything, and of the others some in even steps: how it was chosen before.
    private func evenly(_ disk: SimulatedDisk, _ most: Int) -> [PowerCutChoice.Candidate] {
        let all = disk.powerCutPlan().outcomes
        let rest = all.filter { $0 != .nothing && $0 != .everything }
        let open = min(most - 2, rest.count)
        let chosen = [.nothing, .everything] + (0..<max(open, 0)).map { rest[$0 * rest.count / open] }
        return chosen.map { outcome in
            var fork = disk
            return PowerCutChoice.Candidate(outcome: outcome, survivors: fork.powerCut(keeping: outcome))
        }
    }

    @Test("one outcome of every class that exists is among the chosen ones", arguments: CrashProfile.allCases)
    func classes(profile: CrashProfile) {
        let most = PowerCutClass.allCases.count
        var wasMissing = false
        for seed in 0..<60 {
            var workload = DiskWorkload(seed: UInt64(seed), profile: profile)
            workload.run(calls: 3 + seed % 30)
            let images = Images(workload.disk)
            let choice = workload.disk.powerCutChoice(turn: seed, atMost: most)
            #expect(choice.covered == choice.existing)
            #expect(choice.candidates.count <= most)
            #expect(
                images.missing(choice.candidates) == [], "seed \(seed), \(workload.disk.pendingCount) pending"
            )
            if !images.missing(evenly(workload.disk, most)).isEmpty { wasMissing = true }
        }
        #expect(wasMissing, "even steps alone leave classes out")
    }

    @Test("no two chosen outcomes leave the same operations, and none is impossible")
    func distinct() {
        for seed in 0..<40 {
            var workload = DiskWorkload(seed: UInt64(seed), profile: .strict)
            workload.run(calls: 3 + seed % 30)
            for most in [1, 3, 9, 20] {
                let rows = workload.disk.powerCutChoice(turn: seed, atMost: most).candidates
                #expect(rows.count <= most)
                for (number, row) in rows.enumerated() {
                    #expect(
                        !rows[..<number].contains { $0.survivors == row.survivors && $0.torn == row.torn })
                    var fork = workload.disk
                    let kept = row.survivors.indices.filter { row.survivors[$0] }
                    #expect(fork.powerCut(keeping: .these(kept)) == row.survivors, "closed")
                }
            }
        }
    }

    @Test("over the turns each operation is alone, is lost, and is torn")
    func turns() throws {
        var disk = SimulatedDisk(hasSmallSectors: true)
        try disk.make("a", String(repeating: "x", count: 512 * 9))
        let count = disk.pendingCount
        var alone: [Bool] = Array(repeating: false, count: count)
        var (lost, torn) = (alone, alone)
        for turn in 0..<60 {
            for row in disk.powerCutChoice(turn: turn, atMost: 9).candidates {
                switch row.outcome {
                case .only(let index): alone[index] = true
                case .allBut(let index): lost[index] = true
                case .torn(let index): torn[index] = true
                default: break
                }
            }
        }
        // The first to have the name alone, or to lose it, is another class as well: that one stands for it.
        #expect(alone.dropFirst().allSatisfy { $0 })
        #expect(lost.dropFirst().allSatisfy { $0 })
        #expect(torn.indices.allSatisfy { torn[$0] == disk.pending[$0].isData })
    }

    @Test("of fewer than there are classes these take turns, until each was met")
    func fewer() throws {
        var disk = SimulatedDisk(hasSmallSectors: true)
        try disk.make("a", String(repeating: "x", count: 512 * 4))
        var met: PowerCutClasses = []
        for turn in 0..<20 {
            let choice = disk.powerCutChoice(turn: turn, atMost: 2)
            #expect(choice.candidates.count == 2)
            #expect(choice.covered != choice.existing)
            met.formUnion(choice.covered)
        }
        #expect(met == disk.powerCutChoice(turn: 0, atMost: nil).existing)
    }

    @Test("without a limit a point with few subsets has them all, one with many a sample of every class")
    func all() throws {
        var disk = SimulatedDisk(hasSmallSectors: true)
        #expect(disk.powerCutChoice(turn: 0, atMost: nil).candidates.map(\.outcome) == [.nothing])
        try disk.make("a", "1")
        // Name, block and length: eight subsets, and the block torn.
        let exact = disk.powerCutChoice(turn: 5, atMost: nil)
        #expect(exact.isExact && exact.candidates.count == 9 && exact.covered == exact.existing)
        #expect(!disk.powerCutChoice(turn: 5, atMost: 8).isExact)
        #expect(disk.powerCutChoice(turn: 5, atMost: 9).isExact)
        try disk.make("b", String(repeating: "x", count: 512 * 9))
        let sampled = disk.powerCutChoice(turn: 5, atMost: nil)
        #expect(!sampled.isExact && sampled.candidates.count > 100 && sampled.covered == sampled.existing)
        let more = disk.powerCutChoice(turn: 5, atMost: 30)
        #expect(more.candidates.count == 30 && more.covered == more.existing)
    }
}
