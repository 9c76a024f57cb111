import Backend
import Core
import ScenarioLanguage
import Testing

@testable import World

@Suite("Random calls with syncs in flight")
struct SyncInFlightPropertyTests {
    @Test(
        "A sync that completes leaves what a sync at once at its submission would have left",
        arguments: CrashProfile.allCases)
    func completion(profile: CrashProfile) {
        var completed = 0
        var differed = 0
        for seed in 0..<150 {
            var workload = SyncWorkload(seed: UInt64(seed), profile: profile)
            for _ in 0..<60 {
                workload.step()
                guard workload.tickets.isEmpty else {
                    if workload.disk.pendingCount != workload.twin.pendingCount { differed += 1 }
                    continue
                }
                completed += 1
                #expect(
                    workload.disk.worstDurableImage().picture == workload.twin.worstDurableImage().picture,
                    "seed \(seed)")
                #expect(workload.disk.picture == workload.twin.picture)
                guard workload.disk.powerCutPlan().isExact, workload.disk.pendingCount < 6 else { continue }
                #expect(workload.disk.pictures == workload.twin.pictures, "seed \(seed)")
            }
        }
        #expect(completed > 1_000 && differed > 1_000)
    }

    @Test(
        "The outcome in which those in flight are done is legal, and is the image after they have completed",
        arguments: CrashProfile.allCases)
    func outcome(profile: CrashProfile) {
        var inFlight = 0
        for seed in 0..<150 {
            var workload = SyncWorkload(seed: UInt64(seed), profile: profile)
            for _ in 0..<60 {
                workload.step()
                guard !workload.tickets.isEmpty else { continue }
                inFlight += 1
                let disk = workload.disk
                var cut = disk
                let survivors = cut.powerCut(keeping: .syncsInFlight)
                let order = PersistenceOrder(disk.pending, profile)
                #expect(order.removing(from: survivors) == survivors, "closed")
                #expect(zip(disk.coveredBySyncsInFlight, survivors).allSatisfy { !$0 || $1 })
                // A completion that removes a file's last name drops its other operations. Where these would
                // have brought others with them, several syncs leave less than the outcome.
                let isOrdered = profile != .strict && profile != .alice
                if isOrdered && workload.tickets.count > 1 { continue }
                var done = disk
                for ticket in workload.tickets { #expect(done.complete(ticket) == nil) }
                #expect(cut.picture == done.worstDurableImage().picture, "seed \(seed)")
            }
        }
        #expect(inFlight > 1_000)
    }

    @Test("The operations of a file or directory are those that reading all of them finds")
    func counted() {
        for seed in 0..<40 {
            var workload = SyncWorkload(seed: UInt64(seed), profile: .strict)
            for _ in 0..<60 {
                workload.step()
                let disk = workload.disk
                for inode in disk.data.inodeNumbers {
                    let content = disk.pending.indices.filter {
                        disk.pending[$0].object == inode && disk.pending[$0].isContent
                    }
                    let names = disk.pending.indices.filter { disk.pending[$0].changesNames(of: inode) }
                    #expect(disk.pendingOperations.indices(ofContentOf: inode) == content)
                    #expect(disk.pendingOperations.indices(ofNamesIn: inode) == names)
                }
            }
        }
    }
}

/// Calls drawn from a seed, on a disk whose syncs complete some calls after their submission, and on a twin
/// that performs them at their submission.
private struct SyncWorkload {
    private(set) var disk: SimulatedDisk
    private(set) var twin: SimulatedDisk
    private(set) var tickets: [SyncTicket] = []
    private var files: [FileHandle] = []
    private var draws: DiskDraws
    private var nextTicket: UInt32 = 1

    init(seed: UInt64, profile: CrashProfile) {
        disk = SimulatedDisk(profile: profile, key: seed, hasSmallSectors: true)
        twin = disk
        draws = DiskDraws(seed: seed)
    }

    private mutating func draw(_ bound: Int) -> Int { draws.draw(bound) }

    private mutating func drawPath() -> DiskPath { draws.path() }

    private mutating func drawDirectory() -> DiskPath { data(["d", "e", "d/f"][draw(3)]) }

    /// Makes the call on both disks; an error is as good as any other result, if it is the same on both.
    private mutating func both<Answer: Equatable>(
        _ call: (inout SimulatedDisk) throws(DiskError) -> Answer
    ) -> Answer? {
        func result(_ disk: inout SimulatedDisk) -> Result<Answer, DiskError> {
            do throws(DiskError) { return .success(try call(&disk)) } catch { return .failure(error) }
        }
        let one = result(&disk)
        #expect(one == result(&twin))
        guard case .success(let answer) = one else { return nil }
        return answer
    }

    mutating func step() {
        switch draw(16) {
        case 0:
            let path = drawDirectory()
            _ = both { (disk) throws(DiskError) in try disk.makeDirectory(path) == () }
        case 1:
            let path = drawDirectory()
            _ = both { (disk) throws(DiskError) in try disk.removeDirectory(path) == () }
        case 2:
            let path = drawPath()
            _ = both { (disk) throws(DiskError) in try disk.remove(path) == () }
        case 3, 4:
            let (source, target) = (drawPath(), drawPath())
            _ = both { (disk) throws(DiskError) in try disk.rename(source, to: target) == () }
        case 5:
            let (source, target) = (drawDirectory(), drawDirectory())
            _ = both { (disk) throws(DiskError) in try disk.rename(source, to: target) == () }
        case 6, 7: open()
        case 8, 9, 10: write()
        case 11, 12, 13: submit()
        default: complete()
        }
    }

    private mutating func open() {
        let path = drawPath()
        let mode: OpenMode = draw(3) == 0 ? .update : .create
        if let file = both({ (disk) throws(DiskError) in try disk.open(path, mode) }) { files.append(file) }
        // A file with a sync in flight is not closed.
        guard files.count > 3, tickets.isEmpty else { return }
        let first = files.removeFirst()
        _ = both { (disk) throws(DiskError) in try disk.close(first) == () }
    }

    private mutating func write() {
        guard !files.isEmpty else { return }
        let file = files[draw(files.count)]
        if draw(5) == 0 {
            let size = draw(900)
            _ = both { (disk) throws(DiskError) in try disk.truncate(file, to: size) == () }
            return
        }
        let bytes = [UInt8](repeating: UInt8(65 + draw(26)), count: 1 + draw(700))
        let offset = draw(600)
        _ = both { (disk) throws(DiskError) in try disk.write(file, bytes[...], at: offset) }
    }

    private mutating func submit() {
        let target: SyncTarget
        if draw(2) == 0, !files.isEmpty {
            target = .file(files[draw(files.count)])
        } else {
            target = .directory(data(["", "d", "e"][draw(3)]))
        }
        guard twin.sync(target) == nil else { return }
        let ticket = SyncTicket(nextTicket)
        nextTicket += 1
        disk.submit(ticket, target)
        tickets.append(ticket)
    }

    /// Completes one of them, in any order.
    private mutating func complete() {
        guard !tickets.isEmpty else { return }
        let ticket = tickets.remove(at: draw(tickets.count))
        #expect(disk.complete(ticket) == nil)
    }
}
