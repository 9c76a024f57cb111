import Core
import Testing
import World

@testable import Updater

@Suite("What follows where the record can't be written, and when it can again")
struct RecordCommitTests {
    private static let slots = [StorePaths.recordA, StorePaths.recordB]

    /// Calls of both slots of the record fail from now on.
    private func refuse(_ device: inout Harness, _ call: DiskCall = .write) {
        for slot in Self.slots { device.disk.add(DiskFault(call, .noSpace, times: nil, path: slot)) }
    }

    /// v1 runs, v2 is being downloaded: the last bytes of one file are missing.
    private func downloading() throws -> (device: Harness, rest: [UInt8]) {
        var device = try Harness.started()
        device.offered = Version("v2", serial: 2)
        device.delayed = ["/app.js"]
        device.check()
        return (device, Version("v2", serial: 2).bytes("/app.js"))
    }

    @Test("S9: what a page, the user or the platform waits for is awaited, and nothing else")
    func awaited() throws {
        let key = VersionKey(id: "v", digest: SHA256.hash(of: [1]))
        let token = PageLoadToken(1)
        let awaited: [CommitFollowUp] = [
            .opened, .answer(token), .answerPageLoads, .rescue, .switchAnswer(token, key),
        ]
        let others: [CommitFollowUp] = [
            .becamePending(key), .readableAgain(key), .downloadBegun(key), .collectGarbage, .reportEntries,
            .sendOutcomes,
        ]
        #expect(awaited.allSatisfy { RecordCommit(then: [$0]).isAwaited })
        #expect(others.allSatisfy { !RecordCommit(then: [$0]).isAwaited })
        #expect(RecordCommit(then: others + awaited).isAwaited && !RecordCommit(then: []).isAwaited)
    }

    @Test("U1: a version whose place in the record can't be written is not pending, and is later")
    func pending() throws {
        var (device, bytes) = try downloading()
        refuse(&device)
        device.arrive("/app.js", bytes, of: bytes.count)
        let id = try #require(device.waiting.last?.id)
        device.send(.transfer(id, .end))
        #expect(device.causes(.recordNotWritten) >= 1 && device.causes(.becamePending) == 0)
        #expect(device.status.pending == nil && device.updater.record.pending == nil)
        #expect(!device.notices.contains { if case .newVersionReady = $0 { true } else { false } })
        device.disk.removeFaults()
        device.delayed = []
        device.wait(.minutes(2))
        #expect(device.status.pending?.id == "v2" && device.causes(.becamePending) == 1)
        #expect(device.requested("/app.js").count == 1, "what is stored is not requested again")
    }

    @Test("U6: a switch that can't be written is answered as none")
    func switches() throws {
        var (device, bytes) = try downloading()
        device.arrive("/app.js", bytes, of: bytes.count)
        device.send(.transfer(try #require(device.waiting.last?.id), .end))
        #expect(device.status.pending?.id == "v2")
        for (isRefused, answer) in [
            (true, Updater.SwitchAnswer.nothingPending),
            (false, .switched(try #require(device.status.pending))),
        ] {
            var device = device
            if isRefused { refuse(&device) }
            device.effects = []
            device.send(.switchRequested(PageLoadToken(1)))
            #expect(device.effects.contains(.switchAnswered(PageLoadToken(1), answer)))
        }
    }

    @Test("R7: a download whose name can't be recorded does not begin, and does with the next check")
    func begin() throws {
        var device = try Harness.started()
        device.offered = Version("v2", serial: 2)
        refuse(&device)
        device.check()
        #expect(device.requested("/app.js").isEmpty && device.updater.download == nil)
        #expect(device.logged.contains { $0.cause == .recordNotWritten && $0.version == "v2" })
        device.disk.removeFaults()
        device.check()
        #expect(device.status.pending?.id == "v2")
    }

    @Test("ST: a sync of the record that failed is noted for the next process, until two records are durable")
    func unsynced() throws {
        var device = try Harness.started()
        func isNoted() -> Bool { StartsFile.read(&device.disk).isRecordUnsynced }
        #expect(!isNoted())
        device.disk.add(DiskFault(.sync, .inputOutput))
        device.settings.user = "a"
        device.send(.settings(device.settings))
        #expect(device.updater.store.isRecordUnsynced && isNoted())
        #expect(device.causes(.recordNotWritten) == 1)
        for (user, isUnsynced) in [("b", true), ("c", false)] {
            device.settings.user = user
            device.send(.settings(device.settings))
            #expect(device.updater.store.isRecordUnsynced == isUnsynced && isNoted() == isUnsynced)
            #expect(device.updater.durable.audience.user == user)
        }
        device.disk.add(DiskFault(.sync, .inputOutput))
        device.settings.user = "d"
        device.send(.settings(device.settings))
        device.wait(.minutes(3))
        #expect(!device.updater.store.isRecordUnsynced && !isNoted(), "the updater writes it anew itself")
        #expect(device.updater.durable.audience.user == "d")
    }

    @Test("T1: what only the log has changed is written with the next change, and not for its sake")
    func logAlone() throws {
        var device = try Harness.started()
        let generation = device.updater.durable.generation
        device.send(.heldOff(true))
        device.check()
        #expect(device.updater.record.log.last?.cause == .nothingOffered)
        let before = device.updater.durable
        device.check()
        #expect(device.updater.durable == before && before.generation <= generation + 1)
        #expect(device.updater.record.log.count > before.log.count)
    }

    // MARK: The unfinished download of an earlier process

    /// A process that ended when it had 2,000 of 3,000 bytes.
    private func interrupted() throws -> Harness {
        var (device, bytes) = try downloading()
        device.arrive("/app.js", Array(bytes.prefix(2_000)), of: bytes.count)
        device.kill()
        device.delayed = []
        device.requests = []
        return device
    }

    @Test("U2: the part of an earlier process is continued if its manifest is the one that the record names")
    func continued() throws {
        let other = Version("v3", serial: 3).manifest
        let changes: [(what: String, from: Int?, change: (inout Harness) throws -> Void)] = [
            ("as it was", 2_000, { _ in }),
            ("another manifest", 2_000, { try $0.disk.place(StorePaths.partialManifest, other) }),
            ("no manifest any more", 2_000, { try $0.disk.remove(StorePaths.partialManifest) }),
            ("a damaged manifest", 2_000, { try $0.disk.place(StorePaths.partialManifest, [1]) }),
        ]
        for (what, from, change) in changes {
            var device = try interrupted()
            try change(&device)
            try device.launch()
            device.load(.processStart)
            #expect(device.causes(.readFailed) == 0 && device.updater.store.mayDelete, "\(what)")
            #expect((device.updater.partial.interrupted != nil) == (what == "as it was"), "\(what)")
            let whole = Version("v2", serial: 2).bytes("/app.js")
            device.script = { request in request.from.map { Reply.part(whole, from: $0) } }
            device.check()
            #expect(device.requested("/app.js").map(\.from) == [from], "\(what)")
            #expect(device.status.pending?.id == "v2", "\(what)")
        }
    }

    @Test("R7: a part whose manifest can't be read now is kept, and the log says so")
    func unread() throws {
        var device = try interrupted()
        device.disk.add(DiskFault(.read, .inputOutput, times: nil, path: StorePaths.partialManifest))
        try device.launch()
        device.load(.processStart)
        let entry = try #require(device.logged.last { $0.cause == .readFailed })
        #expect(entry.version == "v2" && entry.detail == "unfinished download: EIO in read")
        #expect(!device.updater.store.mayDelete && device.updater.partial.interrupted == nil)
        device.wait(.minutes(3))
        #expect(device.disk.files(under: StorePaths.partial).count >= 2)
    }
}
