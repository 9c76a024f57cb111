import Core
import Foundation
import Synchronization
import Testing

@testable import DeviceShell

@Suite("Syncs beside the loop")
struct SyncWorkerTests {
    /// What a worker has delivered.
    private final class Results: Sendable {
        private let state = Mutex<[(ticket: UInt32, failure: DiskError?)]>([])

        func append(_ ticket: SyncTicket, _ failure: DiskError?) {
            state.withLock { $0.append((ticket.rawValue, failure)) }
        }

        var tickets: [UInt32] { state.withLock { $0.map(\.ticket) } }
        var failures: [DiskError] { state.withLock { $0.compactMap(\.failure) } }
    }

    private func worker(_ gate: GatedSyncs, _ results: Results) -> SyncWorker {
        SyncWorker({ gate.perform($0) }, deliver: { results.append($0, $1) })
    }

    private func submit(
        _ ticket: UInt32, _ name: String, _ lane: WorkLane, to worker: SyncWorker, _ folder: SyncFolder
    ) throws {
        let sync = try folder.disk.pendingSync(of: .directory(DiskPath(.data, name)))
        try worker.submit(SyncTicket(ticket), sync, lane)
    }

    @Test("Urgent syncs go before all background ones that have not begun, those of a lane in order")
    func order() throws {
        let folder = try SyncFolder(["a", "b", "c", "d", "e"])
        let (gate, results) = (GatedSyncs(), Results())
        let worker = worker(gate, results)
        try submit(1, "a", .background, to: worker, folder)
        #expect(GatedSyncs.wait { gate.begun == ["a"] })
        try submit(2, "b", .background, to: worker, folder)
        try submit(3, "c", .background, to: worker, folder)
        try submit(4, "d", .urgent, to: worker, folder)
        try submit(5, "e", .urgent, to: worker, folder)
        gate.permit(5)
        #expect(GatedSyncs.wait { results.tickets.count == 5 })
        #expect(gate.begun == ["a", "d", "e", "b", "c"])
        #expect(results.tickets == [1, 4, 5, 2, 3])
        #expect(results.failures.isEmpty)
    }

    @Test("A worker without a sync has no thread; after a pause it takes the next one")
    func thread() throws {
        let folder = try SyncFolder(["a"])
        let (gate, results) = (GatedSyncs(), Results())
        var worker: SyncWorker? = worker(gate, results)
        weak let remaining = worker
        for ticket: UInt32 in 1...3 {
            try submit(ticket, "a", .urgent, to: #require(worker), folder)
            gate.permit()
            #expect(GatedSyncs.wait { results.tickets.count == Int(ticket) })
        }
        // A thread keeps its worker.
        worker = nil
        #expect(GatedSyncs.wait { remaining == nil })
    }

    @Test("The end drops what waits, and leaves the sync that has begun alone")
    func end() throws {
        let folder = try SyncFolder(["a", "b", "c"])
        let (gate, results) = (GatedSyncs(), Results())
        var worker: SyncWorker? = worker(gate, results)
        weak let remaining = worker
        for (ticket, name) in zip([1, 2, 3] as [UInt32], ["a", "b", "c"]) {
            try submit(ticket, name, .background, to: #require(worker), folder)
        }
        #expect(GatedSyncs.wait { gate.begun == ["a"] })
        #if os(Linux)
            // Two volumes and three syncs.
            #expect(try OpenDescriptors.count(folder.url) == 5)
            worker?.end()
            #expect(try OpenDescriptors.count(folder.url) == 3)
        #else
            worker?.end()
        #endif
        worker = nil
        #expect(remaining != nil, "its thread is in the sync")
        gate.permit(3)
        #expect(GatedSyncs.wait { remaining == nil })
        #expect(gate.begun == ["a"])
        #expect(results.tickets.isEmpty)
        #if os(Linux)
            #expect(try OpenDescriptors.count(folder.url) == 2)
        #endif
    }

    @Test("More syncs than a host may have outstanding are refused at a limit, without a trap")
    func limit() throws {
        let folder = try SyncFolder(["a"])
        let (gate, results) = (GatedSyncs(), Results())
        let worker = worker(gate, results)
        try submit(0, "a", .background, to: worker, folder)
        #expect(GatedSyncs.wait { gate.begun.count == 1 })
        let limit = UInt32(SyncWorker.maxWaiting)
        for ticket in 1...limit {
            try submit(ticket, "a", ticket < 9 ? .urgent : .background, to: worker, folder)
        }
        let refusal = DiskError(.tooManyOpen, .syncDirectory, DiskPath(.data, "a"))
        for lane in [WorkLane.urgent, .background] {
            #expect(throws: refusal) { try submit(99, "a", lane, to: worker, folder) }
        }
        gate.permit(SyncWorker.maxWaiting + 1)
        #expect(GatedSyncs.wait { results.tickets.count == SyncWorker.maxWaiting + 1 })
        #expect(results.tickets == Array(0...limit))
    }

    @Test("Without a thread a sync is refused and closed; the next one is performed when there is a thread")
    func noThread() throws {
        let folder = try SyncFolder(["a"])
        let results = Results()
        let hasThread = Atomic(false)
        let worker = SyncWorker(
            startThread: { hasThread.load(ordering: .relaxed) && DetachedThread.start($0) },
            deliver: { results.append($0, $1) })
        for ticket: UInt32 in 1...2 {
            #expect(throws: DiskError(.noMemory, .syncDirectory, DiskPath(.data, "a"))) {
                try submit(ticket, "a", .urgent, to: worker, folder)
            }
        }
        #if os(Linux)
            #expect(try OpenDescriptors.count(folder.url) == 2)
        #endif
        hasThread.store(true, ordering: .relaxed)
        try submit(3, "a", .background, to: worker, folder)
        #expect(GatedSyncs.wait { results.tickets == [3] })
        #expect(results.failures.isEmpty)
    }

    // MARK: - What is synced

    @Test("A sync belongs to the file that was open when it began, whatever is closed afterwards")
    func ownDescriptor() throws {
        #if os(Linux)
            let folder = try SyncFolder()
            let data = folder.url.appendingPathComponent("data")
            var sync: PendingSync?
            do {
                let disk = try SyncFolder.open(folder.url)
                let file = try disk.open(DiskPath(.data, "a"), .create)
                _ = try disk.write(file, [1, 2, 3], at: 0)
                sync = try disk.pendingSync(of: .file(file))
                try disk.close(file)
                // Takes the number that has become free.
                let other = try disk.open(DiskPath(.data, "b"), .create)
                #expect(other.id == file.id)
            }
            // The folder of the first disk, and the file of the sync.
            #expect(try OpenDescriptors.count(data) == 2)
            #expect(sync?.perform() == nil)
            sync = nil
            #expect(try OpenDescriptors.count(data) == 1)
        #endif
    }

    @Test("Errors are those that the disk's own calls throw")
    func errors() throws {
        let folder = try SyncFolder(["a"])
        let disk = folder.disk
        let file = try disk.open(DiskPath(.data, "f"), .create)
        try disk.close(file)
        try FileManager.default.createSymbolicLink(
            atPath: folder.url.path + "/data/link", withDestinationPath: folder.url.path)
        func path(_ text: String) -> DiskPath { DiskPath(.data, text) }
        let closed: [(Core.FileHandle, DiskError)] = [
            (file, DiskError(.badHandle, .sync)), (Core.FileHandle(id: 12_345), DiskError(.badHandle, .sync)),
        ]
        for (handle, error) in closed {
            #expect(throws: error) { try disk.pendingSync(of: .file(handle)) }
            #expect(throws: error) { try disk.sync(handle) }
        }
        let directories: [(DiskPath, DiskError.Code)] = [
            (path("none"), .notFound), (path("f"), .notADirectory), (path("f/x"), .notADirectory),
            (path("link"), .notADirectory), (path("../x"), .invalid), (path("a//b"), .invalid),
            (DiskPath(.package, "x"), .notFound),
        ]
        for (path, code) in directories {
            let error = DiskError(code, .syncDirectory, path)
            #expect(throws: error) { try disk.pendingSync(of: .directory(path)) }
            #expect(throws: error) { try disk.syncDirectory(path) }
        }
        // `fsync` of a pipe.
        let wakeUp = try WakeUp()
        let copy = try SystemCalls.duplicate(wakeUp.readEnd)
        #expect(PendingSync(owning: copy, .sync).perform() == DiskError(.invalid, .sync))
        let other = try SystemCalls.duplicate(wakeUp.readEnd)
        #expect(
            PendingSync(owning: other, .syncDirectory, path("a")).perform()
                == DiskError(.invalid, .syncDirectory, path("a")))
    }
}
