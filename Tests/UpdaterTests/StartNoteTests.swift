import Core
import Testing
import World

@testable import Updater

@Suite("What a process notes of its starts, confirms, and reports of them (R2, R3, R6, R7, R13)")
struct StartNoteTests {
    @Test("The file of starts is written when it has changed, and not again")
    func writtenOnce() throws {
        var device = try Harness.aboutToStart()
        device.load(.processStart)
        device.send(.inactive)
        let before = device.disk.operations
        device.send(.inactive)
        device.send(.background)
        let unchanged = device.disk.operations
        #expect(device.updater.starts.file == device.updater.starts.written)
        device.send(.inactive)
        #expect(device.disk.operations == unchanged && unchanged - before <= 4)
        #expect(StartsFile.decode(device.bytes(of: StorePaths.starts)) == device.updater.starts.file)
        #expect(!device.disk.files(under: StorePaths.root).contains(StorePaths.newStarts))
        #expect(device.disk.openCount == 1, "the lock")
    }

    @Test("What a killed process left of the file is no obstacle, and an error leaves the old file")
    func replaced() throws {
        var device = try Harness.aboutToStart()
        device.load(.processStart)
        try device.disk.place(StorePaths.newStarts, [1])
        device.send(.inactive)
        #expect(device.updater.starts.file == device.updater.starts.written)
        #expect(!device.disk.files(under: StorePaths.root).contains(StorePaths.newStarts))
        for call in [DiskCall.open, .write, .close, .rename] {
            var failing = device
            let before = failing.bytes(of: StorePaths.starts)
            failing.disk.add(DiskFault(call, .inputOutput, path: StorePaths.newStarts))
            failing.send(.active)
            #expect(failing.bytes(of: StorePaths.starts) == before, "\(call)")
            #expect(failing.disk.openCount == 1 && failing.causes(.diskFailed) == 1, "\(call)")
            failing.send(.inactive)
            failing.send(.active)
            #expect(StartsFile.decode(failing.bytes(of: StorePaths.starts))?.note?.presence == .front)
        }
    }

    @Test("R2: in background the page had been seen after five seconds in front, not before")
    func presence() throws {
        let cases: [(milliseconds: Int64, presence: StartNote.Presence)] = [(4_999, .unseen), (5_000, .away)]
        for (milliseconds, presence) in cases {
            var device = try Harness.aboutToStart()
            device.load(.processStart)
            device.wait(.milliseconds(milliseconds))
            device.send(.background)
            #expect(device.updater.starts.file.note?.presence == presence, "\(milliseconds)")
        }
    }

    @Test("R7: the good version before is the last one, unless that is recalled or the confirmed one itself")
    func goodBefore() throws {
        for (recalled, before) in [([], "v1"), (["v1"], nil), (["v0"], "v1")] as [([String], String?)] {
            var device = try Harness.aboutToStart()
            let token = device.load(.processStart)
            if recalled == ["v1"] {
                // The embedded version can't be recalled, so that another one takes its place.
                let other = VersionKey(id: "v1", digest: SHA256.hash(of: [1]))
                device.updater.record.lastKnownGood = other
                device.updater.record.previousGood = nil
            }
            device.updater.record.recalled = recalled
            device.send(.page(token, .confirmed))
            #expect(device.updater.record.lastKnownGood?.id == "v2")
            #expect(device.updater.record.previousGood?.id == before, "\(recalled)")
        }
    }

    @Test("R6: a page confirms its own start once; one that is closed, of another start or too late does not")
    func confirmations() throws {
        var device = try Harness.aboutToStart()
        let token = device.load(.processStart)
        device.send(.page(PageLoadToken(99), .confirmed))
        #expect(device.causes(.confirmationFromPreviousPage) == 1)
        let before = device.causes(.startConfirmed)
        device.send(.page(token, .confirmed))
        device.send(.page(token, .confirmed))
        #expect(device.causes(.startConfirmed) == before + 1)
        var failed = try Harness.aboutToStart()
        let late = failed.load(.processStart)
        failed.send(.page(late, .failed("broken")))
        failed.send(.page(late, .confirmed))
        #expect(failed.causes(.confirmationTooLate) == 1 && failed.status.current?.id == "v1")
    }

    @Test("R3: the origin is reachable for a start if it answered well in the minute before, or since")
    func reachable() throws {
        for (seconds, isReachable) in [(59, true), (60, true), (61, false)] as [(Int64, Bool)] {
            var device = try Harness.aboutToStart()
            device.check()
            device.wait(.seconds(seconds))
            device.load(.processStart)
            #expect(device.updater.record.openStart?.isReachable == isReachable, "\(seconds)")
            device.wait(.seconds(21))
            #expect(device.causes(.startFailedByClock) == (isReachable ? 1 : 0), "\(seconds)")
            #expect(device.causes(.startUnclearByClock) == (isReachable ? 0 : 1), "\(seconds)")
        }
    }

    @Test("T1: what a page says is kept to a length: 200 characters of a failure, 300 of an error")
    func lengths() throws {
        let text = String(repeating: "x", count: 400)
        var device = try Harness.aboutToStart()
        let token = device.load(.processStart)
        device.send(.page(token, .reportedError(text)))
        device.send(.page(token, .failed(text)))
        let details = [LogCause.pageError, .startFailedByPage].map { cause in
            device.logged.first { $0.cause == cause }?.detail
        }
        #expect(details == [String(text.prefix(300)), "page: " + text.prefix(200)])
    }

    @Test("R13: the cover clock ends with its page: a page that was closed shows no screen later")
    func coverOfClosedPage() throws {
        for isClosed in [false, true] {
            var device = try Harness.started()
            let token = PageLoadToken(50)
            device.send(.pageLoadRequested(token, .navigation))
            device.send(.page(token, .indexServed))
            if isClosed { device.send(.page(token, .closed)) }
            device.wait(.minutes(1))
            #expect(device.screens.contains(.recoveryUntilContent) == !isClosed)
            #expect(device.causes(.noContentShown) == (isClosed ? 0 : 1))
        }
    }

    @Test("R13: where the next document does not come, the time of the page in front begins anew")
    func coverOfThePageThatStays() throws {
        for hasContent in [false, true] {
            var device = try Harness.started()
            let first = PageLoadToken(50)
            device.send(.pageLoadRequested(first, .navigation))
            device.send(.page(first, .indexServed))
            device.send(.page(first, .committed))
            device.wait(.seconds(15))
            let second = PageLoadToken(51)
            device.send(.pageLoadRequested(second, .navigation))
            device.send(.page(second, .left))
            device.send(.page(first, .stays))
            if hasContent { device.send(.page(first, .contentShown)) }
            device.wait(.seconds(19))
            #expect(!device.screens.contains(.recoveryUntilContent))
            device.wait(.minutes(1))
            #expect(device.causes(.noContentShown) == (hasContent ? 0 : 1))
        }
    }

    @Test("The status and the current version are reported when they change, and not twice in a row")
    func reported() throws {
        let key = VersionKey(id: "v2", digest: SHA256.hash(of: [2]))
        var report = StatusReport()
        #expect(report.isStale)
        let announced = [nil, key, key, nil, key].map { report.announce(current: $0) }
        #expect(announced == [false, true, false, true, true])
        var status = UpdaterStatus()
        status.current = key
        let first = [report.update(status), report.update(status)]
        #expect(first == [true, false] && !report.isStale)
        let loading = report.whileLoading(VersionKey(id: "v3", digest: key.digest))
        #expect(loading.downloading?.id == "v3" && loading.current == key && report.isStale)
        let again = report.update(status)
        #expect(again, "the next one is reported in any case")
    }

    @Test("Every error of every call has a class: only an absent file says something about the content")
    func errorClasses() {
        let reading: Set<DiskCall> = [.read, .size, .status, .list, .close, .freeSpace]
        for code in DiskError.Code.allCases {
            for call in DiskCall.allCases {
                let error = DiskError(code, call, StorePaths.recordA)
                let wanted: DiskErrorClass =
                    switch code {
                    case .notFound, .notADirectory: .absent
                    case .noSpace, .quota, .tooBig: reading.contains(call) ? .transient : .full
                    case .readOnly: reading.contains(call) ? .transient : .readOnly
                    default: .transient
                    }
                #expect(error.errorClass == wanted, "\(code) in \(call)")
                #expect(error.isOfSync == [.sync, .syncDirectory].contains(call))
                #expect(error.isTooLong == (code == .tooBig && call == .read))
            }
        }
    }

    @Test("Failed syncs are counted for the folder that they were for, and for the folder of folders")
    func blobNames() {
        var names = BlobNames()
        let (first, same) = (Digest256(0x0a << 56, 0, 0, 1), Digest256(0x0a << 56, 0, 0, 2))
        let other = Digest256(0x0b << 56, 0, 0, 1)
        #expect(names.failures(of: first) == BlobNames.Failures() && names.synced.isEmpty)
        names.folderSyncFailed(of: first)
        names.folderSyncFailed(of: same)
        names.blobsSyncFailed()
        #expect(names.failures(of: same).ofFolder == 2 && names.failures(of: same).ofBlobs == 1)
        #expect(names.failures(of: other).ofFolder == 0 && names.failures(of: other).ofBlobs == 1)
        names.becameDurable(other)
        #expect(names.synced == [other] && !names.isFolderDurable(of: other))
    }
}
