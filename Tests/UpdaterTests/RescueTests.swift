import Core
import Testing

@testable import Updater

@Suite("Rescue and blame, rule by rule")
struct RescueTests {
    private func starting() throws -> (device: Harness, token: PageLoadToken) {
        var device = try Harness.aboutToStart()
        let token = device.load(.processStart)
        #expect(device.running(token) == "v2")
        return (device, token)
    }

    @Test("R3: after an unclear end in this process a reload does not activate the version again")
    func notTwice() throws {
        var (device, _) = try starting()
        device.wait(.seconds(21))
        #expect(device.causes(.startUnclearByClock) == 1)
        #expect(device.show(.commanded) == "v1")
        #expect(device.status.pending?.id == "v2")
        #expect(device.show(.reload) == "v1")
        let token = device.load(.navigation)
        device.send(.switchRequested(token))
        #expect(device.effects.contains(.switchAnswered(token, .nothingPending)))
        device.kill()
        try device.launch()
        #expect(device.show(.processStart) == "v2")
    }

    @Test("R3: a page in use keeps its version over links until it goes to background; its reload rescues")
    func pageInUse() throws {
        var (device, token) = try starting()
        device.check()
        device.send(.page(token, .touched))
        device.wait(.seconds(30))
        #expect(device.causes(.rescuePostponed) == 1 && device.reloads.isEmpty)
        #expect(device.show(.navigation) == "v2")
        #expect(device.show(.webProcessRestart) == "v2")
        var other = device
        #expect(other.show(.reload) == "v1")
        device.send(.background)
        #expect(device.reloads == [.rescue])
        #expect(device.show(.commanded) == "v1")
    }

    @Test("R13: a page without content gets the recovery screen also while a rescue is put off")
    func whitePageInUse() throws {
        var (device, token) = try starting()
        device.check()
        device.send(.page(token, .touched))
        device.wait(.seconds(30))
        #expect(device.causes(.rescuePostponed) == 1)
        let next = PageLoadToken(90)
        device.send(.pageLoadRequested(next, .navigation))
        device.send(.page(next, .indexServed))
        device.send(.page(next, .committed))
        device.wait(.seconds(19))
        #expect(!device.screens.contains(.recoveryUntilContent))
        device.wait(.seconds(2))
        #expect(device.screens.contains(.recoveryUntilContent))
    }

    @Test("R3: an uncounted end of a second chance leaves it waiting: no reload activates it")
    func waitsOn() throws {
        var (device, token) = try starting()
        device.send(.page(token, .failed("broken")))
        device.send(.page(device.load(.commanded), .confirmed))
        device.kill()
        try device.launch()
        device.load(.processStart)
        device.send(.background)
        device.kill()
        try device.launch()
        #expect(device.causes(.startUncounted) == 1)
        #expect(device.status.pendingWaits && device.status.pending?.id == "v2")
        #expect(device.show(.processStart) == "v2")
    }

    @Test("R3: an origin that answered during the start makes it reachable, also for the next process")
    func reachable() throws {
        var (device, _) = try starting()
        for _ in 0..<3 {
            device.check()
            device.kill()
            try device.launch()
            device.load(.processStart)
        }
        let history = device.updater.record.startHistories.first
        #expect(history?.parkings == 1 && history?.wasReachable == true)
    }

    @Test("R3: a proven version that never confirms is skipped for one process, and returns")
    func setAside() throws {
        var device = try Harness.started()
        device.offered = Version("v2", serial: 2)
        device.check()
        for _ in 0..<5 {
            device.kill()
            try device.start()
        }
        #expect(device.status.good.map(\.id) == ["v2"])
        for _ in 0..<3 {
            device.kill()
            try device.launch()
            #expect(device.show(.processStart) == "v2")
        }
        device.kill()
        try device.launch()
        #expect(device.show(.processStart) == "v1")
        #expect(device.causes(.setAside) == 1 && device.causes(.blacklistEntry) == 0)
        #expect(device.show(.reload) == "v1")
        device.kill()
        try device.launch()
        #expect(device.show(.processStart) == "v2")
    }

    @Test("R4: what a page reports after a read error of its files is no evidence")
    func readErrorIsNoBlame() throws {
        var (device, token) = try starting()
        let blob = try #require(device.disk.files(under: StorePaths.blobs).first)
        let key = try #require(device.served[token]?.key)
        device.send(.readFailed(key, blob))
        device.send(.page(token, .failed("Unexpected end of input")))
        #expect(device.causes(.readFailed) == 1 && device.causes(.startFailedByPage) == 0)
        #expect(device.causes(.startUnclear) == 1)
        // The error was temporary: the next process checks the hashes and starts it.
        device.kill()
        try device.launch()
        #expect(device.show(.processStart) == "v2")
        #expect(device.causes(.contentDamaged) == 0)
    }

    @Test("R5: the first entry ends after 7 days of origin time, the second after 30, the third not by time")
    func endsByTime() throws {
        var (device, _) = try starting()
        for (days, ends) in [(7, true), (30, true), (400, false)] as [(Int64, Bool)] {
            try blacklist(&device)
            let before = device.causes(.blacklistEnded)
            device.wait(.days(days) - .hours(2))
            device.check()
            #expect(device.causes(.blacklistEnded) == before, "\(days) days less two hours")
            #expect(device.status.blacklist.map(\.id) == ["v2"])
            device.wait(.hours(3))
            device.check()
            #expect(device.causes(.blacklistEnded) == before + (ends ? 1 : 0), "\(days) days")
        }
        #expect(device.updater.record.blacklist.map(\.count) == [3])
    }

    /// Two failed starts of the pending version.
    private func blacklist(_ device: inout Harness) throws {
        for _ in 0..<2 {
            device.kill()
            try device.launch()
            let token = device.load(.processStart)
            #expect(device.running(token) == "v2")
            device.send(.page(token, .failed("broken")))
            device.send(.page(device.load(.commanded), .confirmed))
        }
        #expect(device.status.blacklist.map(\.id) == ["v2"])
    }

    @Test("R5: an entry counts for its origin line: another channel may offer the version, the first may not")
    func line() throws {
        var (device, _) = try starting()
        try blacklist(&device)
        device.settings.channel = "beta"
        device.send(.settings(device.settings))
        #expect(device.status.blacklist.isEmpty)
        device.check()
        #expect(device.status.pending?.id == "v2")
        device.settings.channel = "stable"
        device.send(.settings(device.settings))
        #expect(device.status.blacklist.map(\.id) == ["v2"])
        #expect(device.status.pending == nil)
    }

    @Test("R5: at most 64 entries; the oldest is removed first, but none that the origin still offers")
    func bound() throws {
        var record = StoreRecord()
        let offered = VersionKey(id: "offered", digest: SHA256.hash(of: [0]))
        record.accepted = offered
        record.addToBlacklist(entry(offered, record))
        for number in 1...80 {
            let key = VersionKey(id: "v\(number)", digest: SHA256.hash(of: [UInt8(number)]))
            record.addToBlacklist(entry(key, record))
        }
        #expect(record.blacklist.count == 64)
        #expect(record.blacklist.first?.key == offered && record.blacklist[1].key.id == "v18")
    }

    private func entry(_ key: VersionKey, _ record: StoreRecord) -> BlacklistEntry {
        BlacklistEntry(
            key: key, native: record.native, line: record.line, cause: .startFailedByPage, evidence: "page",
            count: 1)
    }

    /// The page of v2 was loaded three seconds ago, in an app in which the server confirms.
    private func loaded() throws -> (device: Harness, token: PageLoadToken) {
        var device = try Harness(embedded: Version("v1", serial: 1))
        device.settings.confirmation = .loaded
        try device.launch()
        device.load(.processStart)
        device.offered = Version("v2", serial: 2)
        device.check()
        device.kill()
        try device.launch()
        let token = device.load(.processStart)
        device.send(.page(token, .loaded))
        device.wait(.seconds(3))
        return (device, token)
    }

    @Test("R6: a page whose web process died within five seconds of its load has not confirmed by loading")
    func aliveAfterLoad() throws {
        var (device, token) = try loaded()
        device.send(.page(token, .webProcessDied))
        device.wait(.seconds(4))
        #expect(device.causes(.startConfirmed) == 0)
        let again = device.load(.webProcessRestart)
        device.send(.page(again, .loaded))
        device.wait(.seconds(6))
        #expect(device.causes(.startConfirmed) == 1)
    }

    @Test("R6: a page that is left within five seconds of its load has its time anew in front")
    func leftAfterLoad() throws {
        var (device, token) = try loaded()
        device.send(.page(token, .left))
        device.wait(.seconds(8))
        device.send(.page(token, .committed))
        device.wait(.seconds(4))
        #expect(device.causes(.startConfirmed) == 0)
        // Shown once more, as after a change of the address: its time goes on.
        device.send(.page(token, .committed))
        device.wait(.seconds(2))
        #expect(device.causes(.startConfirmed) == 1)
    }

    @Test("R3: while the user looks at another version again, the clock of the start stands still")
    func backAtAnotherVersion() throws {
        for isClosed in [false, true] {
            var device = try Harness.started()
            device.offered = Version("v2", serial: 2)
            device.check()
            let first = device.load(.navigation)
            let second = device.load(.reload)
            #expect(device.running(second) == "v2")
            device.send(.page(first, .left))
            device.check()
            device.wait(.seconds(15))
            device.send(.page(second, isClosed ? .closed : .left))
            device.send(.page(first, .committed))
            device.send(.page(first, .contentShown))
            device.wait(.minutes(5))
            #expect(device.causes(.startFailedByClock) + device.causes(.noContentShown) == 0)
            guard !isClosed else { continue }
            device.send(.page(first, .left))
            device.send(.page(second, .committed))
            device.wait(.seconds(4))
            #expect(device.causes(.startFailedByClock) == 0)
            device.wait(.seconds(2))
            #expect(device.causes(.startFailedByClock) == 1)
        }
    }

    @Test("R3: a start whose page was given up before it was in front has no clock, until its page comes")
    func givenUpBeforeItWasShown() throws {
        var device = try Harness.started()
        device.offered = Version("v2", serial: 2)
        device.check()
        let first = device.load(.navigation)
        let second = PageLoadToken(70)
        device.send(.pageLoadRequested(second, .reload))
        device.send(.page(second, .indexServed))
        device.send(.page(second, .left))
        device.check()
        device.wait(.minutes(5))
        #expect(device.causes(.startFailedByClock) + device.causes(.noContentShown) == 0)
        device.send(.page(first, .left))
        device.send(.page(second, .committed))
        device.wait(.seconds(19))
        #expect(device.causes(.startFailedByClock) == 0)
        device.wait(.seconds(2))
        #expect(device.causes(.startFailedByClock) == 1)
    }

    @Test("R11: after confirmation web process deaths reload three times in ten minutes, then ask the user")
    func webProcess() throws {
        var (device, token) = try starting()
        device.send(.page(token, .confirmed))
        for death in 1...4 {
            device.send(.page(token, .webProcessDied))
            #expect(device.causes(.webProcessGaveUp) == (death > 3 ? 1 : 0))
            if death <= 3 {
                token = device.load(.webProcessRestart)
                #expect(device.running(token) == "v2")
            }
        }
        #expect(device.screens.last == .recovery)
        #expect(device.status.blacklist.isEmpty && device.causes(.startFailedWebProcess) == 0)
        device.wait(.minutes(11))
        device.send(.userTriesAgain)
        #expect(device.show(.commanded) == "v2")
    }

    @Test("R12: recovery chooses no version that can't read the data, unless the data declares that it can")
    func dataSchema() throws {
        for (fields, target) in [
            ("\"dataSchema\": 7,", nil), ("\"dataSchema\": 7, \"dataSchemaReadableFrom\": 6,", "v1"),
        ] as [(String, String?)] {
            var embedded = Version("v1", serial: 1)
            embedded.extra = "\"dataSchema\": 6,"
            var device = try Harness(embedded: embedded)
            try device.start()
            var second = Version("v2", serial: 2)
            second.extra = fields
            device.offered = second
            device.check()
            device.kill()
            try device.start()
            // v2 has written its data; now its content is damaged, and only v1 is left.
            device.kill()
            let blob = try #require(device.disk.files(under: StorePaths.blobs).first)
            try device.disk.place(blob, [1])
            try device.launch()
            if let target {
                #expect(device.show(.processStart) == target)
                #expect(device.causes(.schemaTooLow) == 0)
            } else {
                #expect(device.screens.last == .recovery)
                #expect(device.causes(.schemaTooLow) == 1)
            }
        }
    }

    @Test("R10: all damage is found at once, and a missing file casts doubt on all content")
    func wholeDamage() throws {
        var device = try Harness.started()
        var second = Version("v2", serial: 2)
        second.files.append(("/second.js", Version.content("second", 5_000)))
        device.offered = second
        device.check()
        device.kill()
        try device.start()
        device.kill()
        let app = try #require(second.files.first { $0.route == "/app.js" })
        let other = try #require(second.files.first { $0.route == "/second.js" })
        try device.disk.remove(StorePaths.blob(SHA256.hash(of: app.bytes)))
        try device.disk.place(
            StorePaths.blob(SHA256.hash(of: other.bytes)), Array(repeating: 9, count: 5_000))
        try device.launch()
        // The boot is the same and lengths match: only the missing file causes hashes to be checked.
        #expect(device.show(.processStart) == "v1")
        #expect(device.causes(.contentDamaged) == 2)
        let before = device.requests.count
        device.check()
        #expect(device.status.pending?.id == "v2")
        #expect(device.requests.dropFirst(before).map(\.kind).filter { $0 != .manifest }.count == 2)
    }

    @Test("R10: after a reboot a proven version is hashed once, not at every launch of that boot")
    func hashedOnce() throws {
        var device = try Harness.started()
        device.offered = Version("v2", serial: 2, size: 600_000)
        device.check()
        for _ in 0..<6 {
            device.kill()
            try device.start()
        }
        device.boot = "boot-2"
        device.kill()
        try device.start()
        // A launch in the same boot uses what was written, without another commit.
        let second = device.updater.durable
        #expect(second.boot == "boot-2" && second.checked.map(\.id) == ["v2"])
        device.kill()
        device.boot = "boot-2"
        try device.launch()
        #expect(device.updater.durable.generation == second.generation)
    }
}
