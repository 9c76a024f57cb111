import TestSupport
import Testing

@testable import Runner
@testable import ScenarioLanguage
@testable import Search

@Suite("Each cell in a few of the files that have it")
struct CellShareTests {
    /// Twenty files; file n has the cells 1 to 100 that n divides.
    private let files = (1...20).map { number in
        (path: "\(number).json5", cells: Set((1...100).filter { $0 % number == 0 }.map { UInt64($0) }))
    }

    private func owners(of share: CellShare) -> [UInt64: Int] {
        var counts: [UInt64: Int] = [:]
        for cell in files.flatMap({ share[$0.path] ?? [] }) { counts[cell, default: 0] += 1 }
        return counts
    }

    @Test("A cell is tried in as many files as asked for, or in all that have it", arguments: [1, 2, 30])
    func count(filesPerCell: Int) throws {
        let share = CellShare(files, filesPerCell: filesPerCell, seed: 1)
        let counts = owners(of: share)
        for cell in UInt64(1)...100 {
            let all = files.filter { $0.cells.contains(cell) }.count
            #expect(counts[cell] == min(all, filesPerCell), "\(cell)")
        }
        for file in files { #expect(try #require(share[file.path]).isSubset(of: file.cells)) }
    }

    @Test("The choice depends on the seed, and not on the order of the files")
    func seed() {
        func choice(_ files: [(path: String, cells: Set<UInt64>)], seed: UInt64) -> [Set<UInt64>?] {
            let share = CellShare(files, filesPerCell: 1, seed: seed)
            return self.files.map { share[$0.path] }
        }
        #expect(choice(files, seed: 1) == choice(files.reversed(), seed: 1))
        #expect(choice(files, seed: 1) != choice(files, seed: 2))
        #expect(choice(files, seed: 1).filter { $0?.isEmpty == false }.count > 10, "few files have all")
    }

    @Test("A file whose cells are not known tries all")
    func unknown() {
        #expect(CellShare(files, filesPerCell: 1, seed: 1)["other.json5"] == nil)
    }

    @Test("Two halves of some cells are a sweep of them")
    func halves() async throws {
        let plan = try SmallScenario.plan(SmallScenario.text(#"{ launch: true }, { wait: "5s" },"#))
        var run = SweepRun()
        let cells = run.cells(ofFile: [plan]).sorted()
        #expect(cells.count > 100)
        let some = cells.prefix(24)
        run.onlyCells = Set(some)
        let whole = try #require(await run.run([plan]).first)
        #expect(whole.tally.cells == cells.count)
        var tried = 0
        for half in [some.prefix(12), some.dropFirst(12)] {
            run.onlyCells = Set(half)
            let report = try #require(await run.run([plan]).first)
            #expect(report.tally.cells == cells.count, "the others are counted and not tried")
            #expect(report.tally.tried > 0)
            tried += report.tally.tried
        }
        #expect(tried == whole.tally.tried)
        run.onlyCells = []
        #expect(await run.run([plan]).first?.tally.tried == 0)
    }
}
