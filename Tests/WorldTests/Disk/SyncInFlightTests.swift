import Backend
import Core
import ScenarioLanguage
import Testing

@testable import World

@Suite("A sync that takes place beside other calls")
struct SyncInFlightTests {
    private let ticket = SyncTicket(1)
    private let other = SyncTicket(2)

    private func blocks(_ letter: String) -> String { String(repeating: letter, count: 512) }

    /// An open file `a` with a block of `x` that a sync in flight covers, and a block of `y` written since.
    private func writing(profile: CrashProfile = .strict) throws -> (disk: SimulatedDisk, file: FileHandle) {
        var disk = try SimulatedDisk.holding([("a", "")], profile: profile)
        let file = try disk.open(data("a"), .update)
        try disk.append(file, blocks("x"))
        disk.submit(ticket, .file(file))
        try disk.append(file, blocks("y"))
        return (disk, file)
    }

    @Test("covers what was written before its submission, and nothing written since")
    func laterWrite() throws {
        var (disk, file) = try writing()
        #expect(disk.complete(ticket) == nil)
        #expect(disk.pictures == ["a=x*512", "a=x*512.*512", "a=x*512y*512"])
        try disk.sync(file)
        #expect(disk.pictures == ["a=x*512y*512"])
    }

    @Test("counts as slowed from its beginning on, because the process may end before it does")
    func slowed() {
        var disk = SimulatedDisk()
        #expect(disk.begin(batch: [.directory(data(""))]) < .seconds(5))
        #expect(disk.faultEffects.isEmpty)
        disk.slow(.syncDirectory, by: .seconds(5))
        #expect(disk.begin(batch: [.directory(data(""))]) >= .seconds(5))
        #expect(disk.faultEffects == .slow(.syncDirectory))
    }

    @Test("leaves a later write of the same block pending")
    func overwrittenBlock() throws {
        var disk = try SimulatedDisk.holding([("a", "old")])
        let file = try disk.open(data("a"), .update)
        try disk.overwrite("a", "one")
        disk.submit(ticket, .file(file))
        try disk.overwrite("a", "two")
        #expect(disk.complete(ticket) == nil)
        #expect(disk.pictures == ["a=one", "a=two"])
        #expect(try disk.text("a") == "two")
    }

    @Test("leaves nothing pending if nothing came in between", arguments: CrashProfile.allCases)
    func nothingLater(profile: CrashProfile) throws {
        var disk = try SimulatedDisk.holding([("a", "")], profile: profile)
        let file = try disk.open(data("a"), .update)
        try disk.append(file, blocks("x"))
        disk.submit(ticket, .file(file))
        #expect(disk.pendingCount == 2)
        #expect(disk.complete(ticket) == nil)
        #expect(disk.pendingCount == 0)
    }

    @Test("covers the names of a directory at its submission, and no later rename")
    func laterRename() throws {
        var disk = try SimulatedDisk.holding([("a", "x")])
        try disk.rename(data("a"), to: data("b"))
        disk.submit(ticket, .directory(data("")))
        try disk.rename(data("b"), to: data("c"))
        #expect(disk.complete(ticket) == nil)
        #expect(disk.pictures == ["b=x", "b=x c=x", "c=x"])
    }

    @Test("follows a directory that is renamed meanwhile")
    func renamedDirectory() throws {
        var disk = try SimulatedDisk.holding([("d/a", "x")])
        try disk.remove(data("d/a"))
        disk.submit(ticket, .directory(data("d")))
        try disk.rename(data("d"), to: data("e"))
        #expect(disk.complete(ticket) == nil)
        #expect(disk.pictures == ["d/", "e/"])
    }

    @Test("makes durable what its own operations need in the order of the profile")
    func needs() throws {
        var disk = try SimulatedDisk.holding([("a", ""), ("b", "x")], profile: .journal)
        let file = try disk.open(data("a"), .update)
        try disk.rename(data("b"), to: data("c"))
        try disk.append(file, "1")
        disk.submit(ticket, .file(file))
        try disk.rename(data("c"), to: data("d"))
        #expect(disk.complete(ticket) == nil)
        #expect(disk.pictures == ["a=1 c=x", "a=1 d=x"])
    }

    @Test("is one of several, which complete in any order")
    func several() throws {
        for isFirst in [true, false] {
            var (disk, file) = try writing()
            disk.submit(other, .file(file))
            try disk.append(file, blocks("z"))
            #expect(disk.complete(isFirst ? ticket : other) == nil)
            #expect(disk.worstDurableImage().picture == (isFirst ? "a=x*512" : "a=x*512y*512"))
            #expect(disk.complete(isFirst ? other : ticket) == nil)
            #expect(disk.worstDurableImage().picture == "a=x*512y*512")
            #expect(disk.content(of: data("a"))?.size == 1536)
        }
    }

    @Test("is a call at its completion: counted, of a cost, and noted for observers")
    func isCall() throws {
        var (disk, _) = try writing()
        let (operations, revision) = (disk.operations, disk.revision)
        _ = disk.takeCost()
        disk.submit(other, .directory(data("")))
        #expect(disk.operations == operations && disk.takeCost() == .zero && disk.revision == revision)
        #expect(disk.complete(ticket) == nil)
        #expect(disk.operations == operations + 1)
        #expect(disk.takeCost() == disk.cost.perCall + disk.cost.sync)
        let changes = try #require(disk.changes(since: revision).changes)
        #expect(changes.map { disk.path(at: $0.pathIndex) } == [data("a")] && changes.allSatisfy(\.isSync))
        #expect(disk.complete(other) == nil)
        #expect(disk.takeCost() == disk.cost.perCall + disk.cost.syncDirectory)
    }

    @Test("of a file that was closed, or of a process that ended, makes nothing durable")
    func dropped() throws {
        var (disk, file) = try writing()
        let pending = disk.pendingCount
        var ended = disk
        try disk.close(file)
        let reused = try disk.open(data("a"), .update)
        #expect(reused == file)
        #expect(disk.complete(ticket) == DiskError(.badHandle, .sync))
        #expect(disk.pendingCount == pending)
        ended.processEnded()
        #expect(ended.pendingCount == pending)
        #expect(ended.powerCutChoice(turn: 0, atMost: nil).existing.contains(.syncsInFlight) == false)
        #expect(ended.dataDigest() == disk.dataDigest())
    }

    @Test("of a target that was not there fails, even if it is made meanwhile")
    func invalidTarget() throws {
        var disk = SimulatedDisk()
        try disk.make("a", "x")
        disk.submit(SyncTicket(1), .directory(data("d")))
        disk.submit(SyncTicket(2), .directory(data("a")))
        disk.submit(SyncTicket(3), .file(FileHandle(id: 7)))
        try disk.makeDirectory(data("d"))
        #expect(disk.complete(SyncTicket(1)) == DiskError(.notFound, .syncDirectory, data("d")))
        #expect(disk.complete(SyncTicket(2)) == DiskError(.notADirectory, .syncDirectory, data("a")))
        #expect(disk.complete(SyncTicket(3)) == DiskError(.badHandle, .sync))
    }

    // MARK: - Faults

    @Test("that fails loses what it covered, and nothing written since")
    func failed() throws {
        var (disk, file) = try writing()
        disk.add(DiskFault(.sync, .inputOutput, path: data("a")))
        #expect(disk.complete(ticket) == DiskError(.inputOutput, .sync))
        #expect(disk.pictures == ["a=", "a=.*1024", "a=.*512y*512"])
        // The kernel has dropped the lost pages: a second sync succeeds and does not bring them back.
        try disk.sync(file)
        #expect(disk.pictures == ["a=.*512y*512"])
    }

    @Test("of a directory that fails loses the names that it covered, and no later ones")
    func failedDirectory() throws {
        var disk = try SimulatedDisk.holding([("a", "x")])
        try disk.make("b", "", isSynced: true)
        disk.submit(ticket, .directory(data("")))
        try disk.make("c", "", isSynced: true)
        disk.add(DiskFault(.syncDirectory, .inputOutput))
        #expect(disk.complete(ticket) == DiskError(.inputOutput, .syncDirectory, data("")))
        #expect(disk.pictures == ["a=x", "a=x c="])
    }

    @Test("that the disk leaves out, or lies about, succeeds and does nothing")
    func lies() throws {
        for isLying in [true, false] {
            var (disk, _) = try writing()
            let pending = disk.pendingCount
            if isLying { disk.ignoreSyncs(true) } else { disk.leaveOut(.sync, under: data("a")) }
            #expect(disk.complete(ticket) == nil)
            #expect(disk.pendingCount == pending)
        }
    }

    @Test("at which the disk stops is done; those after it stay in flight until the crash")
    func stop() throws {
        var (disk, _) = try writing()
        try disk.make("b", "")
        disk.submit(other, .directory(data("")))
        disk.stop(atCall: 1)
        #expect(disk.complete(ticket) == DiskError(.inputOutput, .sync))
        #expect(disk.isStopped)
        #expect(disk.complete(other) == DiskError(.inputOutput, .syncDirectory, data("")))
        #expect(disk.callsAfterStop == 1)
        #expect(disk.worstDurableImage().picture == "a=x*512")
        disk.powerCut(keeping: .syncsInFlight)
        #expect(disk.picture == "a=x*512 b=")
    }

    // MARK: - Power cuts

    @Test("can be all that a power cut leaves done, beside many other pending operations")
    func outcome() throws {
        var (disk, _) = try writing()
        for name in ["p", "q", "r"] { try disk.make(name, String(repeating: name, count: 512 * 5)) }
        let choice = disk.powerCutChoice(turn: 3, atMost: PowerCutClass.allCases.count)
        #expect(!choice.isExact)
        #expect(choice.existing.contains(.syncsInFlight) && choice.covered.contains(.syncsInFlight))
        #expect(disk.powerCutPlan().outcomes.count { $0 == .syncsInFlight } == 1)
        let candidate = try #require(choice.candidates.first { $0.outcome == .syncsInFlight })
        #expect(candidate.survivors.count { $0 } == 2)
        var cut = disk
        #expect(cut.powerCut(keeping: .syncsInFlight) == candidate.survivors)
        #expect(cut.picture == "a=x*512")
        // Without a sync in flight there is no such outcome.
        #expect(disk.complete(ticket) == nil)
        #expect(!disk.powerCutChoice(turn: 3, atMost: nil).existing.contains(.syncsInFlight))
        #expect(!disk.powerCutPlan().outcomes.contains(.syncsInFlight))
    }

    @Test("that covers nothing pending makes no outcome of its own")
    func coversNothing() throws {
        var disk = try SimulatedDisk.holding([("a", "x")])
        disk.submit(ticket, .directory(data("")))
        try disk.make("b", "1")
        #expect(!disk.powerCutChoice(turn: 0, atMost: nil).existing.contains(.syncsInFlight))
    }

    @Test("is part of a disk's value as long as it is in flight")
    func equality() throws {
        let (disk, file) = try writing()
        var same = disk
        #expect(same == disk && same.fingerprint() == disk.fingerprint())
        same.submit(other, .file(file))
        #expect(same != disk && same.fingerprint() != disk.fingerprint())
        var later = disk
        later.submit(other, .directory(data("")))
        #expect(later != same)
        #expect(later.complete(other) == nil)
        #expect(later == disk, "a completed sync leaves no trace in the value")
    }
}
