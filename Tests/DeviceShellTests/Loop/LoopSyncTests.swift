import AppHost
import Core
import Foundation
import LocalServer
import Testing

@testable import DeviceShell

@Suite("A loop with syncs in flight", .serialized)
struct LoopSyncTests {
    private static let root = SyncTarget.directory(DiskPath(.data, ""))

    private static func answer(_ id: ConnectionID) -> AppHost.Effect {
        .send(
            id,
            LocalServer.Output(
                head: Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n".utf8), body: .bytes([111, 107])))
    }

    private func loop(
        _ folder: SyncFolder, _ record: EventRecord, _ gate: GatedSyncs, clock: (any DeviceClock)? = nil,
        _ script: @escaping @Sendable (AppHost.Event) -> [AppHost.Effect]
    ) throws -> AppLoop {
        try AppLoop(
            SyncFolder.open(folder.url), ScriptedHost(record: record, script: script), clock: clock ?? record,
            performSync: { gate.perform($0) })
    }

    /// Turns until a condition holds, for at most 5 s.
    private func turn(_ loop: AppLoop, until isMet: () -> Bool) throws -> Bool {
        try GatedSyncs.wait {
            try loop.turn(waiting: .milliseconds(1))
            return isMet()
        }
    }

    @Test("Other events are handled while a sync is slow; its result is a later event")
    func beside() throws {
        let (folder, record, gate) = (try SyncFolder(), EventRecord(), GatedSyncs())
        let ticket = SyncTicket(7)
        let loop = try loop(folder, record, gate) {
            $0 == .check ? [.sync(ticket, LoopSyncTests.root, .background)] : []
        }
        loop.take(.check)
        try loop.turn(waiting: .zero)
        #expect(loop.isSyncing && loop.isBusy)
        #expect(GatedSyncs.wait { gate.begun == [""] })
        loop.take(.foreground)
        for _ in 0..<3 { try loop.turn(waiting: .zero) }
        #expect(record.all == [.check, .foreground])
        gate.permit()
        #expect(try turn(loop) { !record.synced.isEmpty })
        #expect(record.all == [.check, .foreground, .synced(ticket, nil)])
        #expect(!loop.isSyncing && !loop.isBusy)
    }

    @Test("A sync that can't begin is answered in the same way, after the step that wanted it")
    func refused() throws {
        let (folder, record, gate) = (try SyncFolder(), EventRecord(), GatedSyncs())
        let (first, second) = (SyncTicket(1), SyncTicket(2))
        let missing = DiskPath(.data, "none")
        let loop = try loop(folder, record, gate) {
            guard $0 == .check else { return [] }
            return [
                .sync(first, .file(FileHandle(id: 12_345)), .urgent), .again(.urgent),
                .sync(second, .directory(missing), .background),
            ]
        }
        loop.take(.check)
        #expect(try turn(loop) { record.synced.count == 2 })
        #expect(
            record.all == [
                .check, .synced(first, DiskError(.badHandle, .sync)), .again(.urgent),
                .synced(second, DiskError(.notFound, .syncDirectory, missing)),
            ])
        #expect(gate.begun.isEmpty && !loop.isBusy)
    }

    @Test("A page's request is answered while a sync is slow (S9)")
    func page() throws {
        let (folder, record, gate) = (try SyncFolder(), EventRecord(), GatedSyncs())
        let app = try RealApp(embeds: [])
        let ticket = SyncTicket(1)
        let loop = try loop(folder, record, gate, clock: MonotonicClock()) { event in
            switch event {
            case .launched(let launch): [.listen(port: launch.port ?? 0)]
            case .listener: [.sync(ticket, LoopSyncTests.root, .background)]
            case .connection(let id, .received): [LoopSyncTests.answer(id)]
            default: []
            }
        }
        loop.begin(try app.launchValue())
        #expect(try turn(loop) { gate.begun == [""] })
        let client = try RawClient(port: app.port)
        client.say("GET / HTTP/1.1\r\n\r\n")
        #expect(
            try turn(loop) {
                record.all.contains { if case .connection(_, .sent) = $0 { true } else { false } }
            })
        #expect(try client.answer()?.body == [111, 107])
        #expect(record.synced.isEmpty)
        gate.permit()
        #expect(try turn(loop) { record.synced == [.synced(ticket, nil)] })
        loop.closeAll()
    }

    @Test("A loop that ends or is killed leaves no thread and no descriptor, and gets no result")
    func ended() throws {
        let (folder, record, gate) = (try SyncFolder(["a", "b"]), EventRecord(), GatedSyncs())
        var loop: AppLoop? = try loop(folder, record, gate) { event in
            guard event == .check else { return [] }
            return ["a", "b", "a"].enumerated().map {
                .sync(SyncTicket(UInt32($0)), .directory(DiskPath(.data, $1)), .background)
            }
        }
        loop?.take(.check)
        try loop?.turn(waiting: .zero)
        #expect(GatedSyncs.wait { gate.begun == ["a"] })
        weak let worker = loop?.syncs
        weak let inbox = loop?.eventInbox
        loop = nil
        #expect(inbox == nil)
        #if os(Linux)
            // The volumes of the folder's own disk, and the sync that has begun.
            #expect(try OpenDescriptors.count(folder.url) == 3)
        #endif
        gate.permit(3)
        #expect(GatedSyncs.wait { worker == nil })
        #expect(gate.begun == ["a"] && record.synced.isEmpty)
        #if os(Linux)
            #expect(try OpenDescriptors.count(folder.url) == 2)
        #endif
    }

    /// A loop on a separate thread.
    private final class RunningLoop: @unchecked Sendable {
        let loop: AppLoop
        let isOver = DispatchSemaphore(value: 0)

        init(_ loop: AppLoop) { self.loop = loop }

        func run(_ launch: AppHost.Launch) {
            do { try loop.run(launch) } catch { Issue.record(error) }
            isOver.signal()
        }
    }

    @Test("A loop makes no turns while a sync is in flight, takes its result, and ends without it")
    func idle() throws {
        let (folder, record, gate) = (try SyncFolder(), EventRecord(), GatedSyncs())
        let app = try RealApp(embeds: [])
        let loop = try loop(folder, record, gate, clock: MonotonicClock()) { event in
            switch event {
            case .launched: [.sync(SyncTicket(1), LoopSyncTests.root, .background)]
            case .synced: [.sync(SyncTicket(2), LoopSyncTests.root, .urgent)]
            default: []
            }
        }
        let running = RunningLoop(loop)
        let launch = try app.launchValue()
        Thread.detachNewThread { running.run(launch) }
        #expect(GatedSyncs.wait { gate.begun.count == 1 })
        usleep(50_000)
        let before = loop.turns
        usleep(300_000)
        #expect(loop.turns == before)
        gate.permit()
        #expect(GatedSyncs.wait { gate.begun.count == 2 })
        #expect(record.synced == [.synced(SyncTicket(1), nil)])
        loop.eventInbox.stop()
        #expect(running.isOver.wait(timeout: .now() + 1) == .success)
        gate.permit()
        #expect(record.synced.count == 1)
    }
}
