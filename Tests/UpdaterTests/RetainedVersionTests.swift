import Core
import Testing

@testable import Updater

@Suite(
    "What the record says of versions that leave it, wait, or may not be started (R3, R5, R7, R9, U5, R12)")
struct RetainedVersionTests {
    private static func key(_ id: String) -> VersionKey {
        VersionKey(id: id, digest: SHA256.hash(of: Array(id.utf8)))
    }

    private static func version(_ id: String, schema: Int? = nil, readableFrom: Int? = nil) -> StoredVersion {
        let blob = SHA256.hash(of: Array("file of \(id)".utf8))
        var metadata = ManifestMetadata()
        metadata.dataSchema = schema.map { UntrustedInteger($0) }
        metadata.dataSchemaReadableFrom = readableFrom.map { UntrustedInteger($0) }
        let asset = Asset(route: "/a", size: 1, hash: .sha256(blob), url: "a")
        let table = VersionTable(
            key: key(id), dialect: .own, assets: [asset], index: "/a", metadata: metadata)
        return StoredVersion(
            table: table, storedAssets: [.init(location: .blob(blob), size: 1)], verification: .everyByte,
            packageRoot: nil)
    }

    /// An updater that has these versions besides the embedded v1, all good.
    private func updater(_ ids: String...) throws -> Updater {
        var device = try Harness.started()
        device.check()
        for id in ids {
            device.updater.versions.addRead(Self.version(id))
            device.updater.record.update(Self.key(id)) { $0.confirmations = 1 }
        }
        return device.updater
    }

    private func ids(_ keys: [VersionKey?]) -> [String?] { keys.map { $0?.id } }

    // MARK: Leaving the record

    @Test("A version that is forgotten leaves every place that it has, and no other version leaves its own")
    func forget() throws {
        var whole = try updater("v2", "v3", "v4")
        let (v2, v3, v4) = (Self.key("v2"), Self.key("v3"), Self.key("v4"))
        whole.record.checked = [v2, v3]
        whole.record.current = v2
        whole.record.pending = v2
        whole.record.wait = SecondChanceWait(launches: 1)
        whole.record.parked = ParkedVersion(key: v2, since: nil)
        whole.record.lastKnownGood = v2
        whole.record.previousGood = v3
        let blob = Self.version("v2").blobs[0]
        whole.record.damaged = [blob, Self.version("v3").blobs[0]]
        var updater = whole
        updater.forget(v2)
        #expect(ids(updater.record.versions.map(\.key)) == ["v3", "v4"] && updater.record.checked == [v3])
        #expect(updater.record.current == nil && updater.record.pending == nil && updater.record.wait == nil)
        #expect(updater.record.parked == nil && updater.record.lastKnownGood == v3)
        #expect(updater.record.previousGood == nil && updater.version(v2) == nil)
        #expect(updater.record.damaged.contains(blob), "its content is not removed yet")
        #expect(updater.effects.contains(.setTimer(.collectGarbage, after: .minutes(1))))
        updater = whole
        updater.forget(v4)
        var others = whole.record
        others.versions.removeAll { $0.key == v4 }
        #expect(updater.record == others)
        updater = whole
        updater.record.lastKnownGood = v3
        updater.record.previousGood = v2
        updater.forget(v2)
        #expect(updater.record.lastKnownGood == v3 && updater.record.previousGood == nil)
        updater = whole
        updater.record.previousGood = nil
        updater.forget(v2)
        #expect(updater.record.lastKnownGood == updater.record.embedded)
    }

    @Test("R7: a version is retained for each of the places it may have, once, and for its open pages")
    func retained() throws {
        var updater = try updater("v2")
        let keys = ["a", "b", "c", "d", "e", "f", "g"].map { Self.key($0) }
        updater.record.current = keys[0]
        updater.record.pending = keys[1]
        updater.record.parked = ParkedVersion(key: keys[2], since: nil)
        updater.record.lastKnownGood = keys[3]
        updater.record.previousGood = keys[4]
        updater.record.openStart = OpenStart(
            key: keys[5], native: "1.0", boot: nil, token: PageLoadToken(1), isSecondChance: false)
        updater.pages.answer(PageLoadRequest(token: PageLoadToken(99), moment: .navigation), with: keys[6])
        let pages = updater.pages.open.map(\.key)
        let places = Array(keys[0...5])
        let wanted = places + pages.filter { !places.contains($0) }
        #expect(updater.retainedVersions() == wanted)
        #expect(updater.referencedTables().contains(keys[6].digest.hex))
        updater.record.pending = keys[0]
        #expect(updater.retainedVersions().count { $0 == keys[0] } == 1)
        updater.record.versions = keys.map { VersionEntry(key: $0) } + [VersionEntry(key: Self.key("h"))]
        updater.pruneVersions()
        #expect(ids(updater.record.versions.map(\.key)) == ["a", "c", "d", "e", "f", "g"])
    }

    @Test("U13: a recalled version loses its place among the good ones, unless it runs")
    func recalled() throws {
        let (v2, v3, v4) = (Self.key("v2"), Self.key("v3"), Self.key("v4"))
        let cases:
            [(recalled: [String], current: VersionKey, good: String, before: String?, parked: String?)] = [
                ([], v4, "v2", "v3", "v4"), (["v3"], v4, "v2", nil, "v4"), (["v2"], v4, "v3", nil, "v4"),
                (["v2", "v3"], v4, "v1", nil, "v4"), (["v2"], v2, "v2", "v3", "v4"),
                (["v4"], v4, "v2", "v3", nil),
            ]
        for (recalled, current, good, before, parked) in cases {
            var updater = try updater("v2", "v3", "v4")
            updater.record.current = current
            updater.record.lastKnownGood = v2
            updater.record.previousGood = v3
            updater.record.parked = ParkedVersion(key: v4, since: nil)
            updater.record.recalled = recalled
            updater.pruneVersions()
            #expect(updater.record.lastKnownGood?.id == good, "\(recalled)")
            #expect(updater.record.previousGood?.id == before, "\(recalled)")
            #expect(updater.record.parked?.key.id == parked, "\(recalled)")
        }
    }

    @Test("R7: a version that was superseded is not retained if it never started, confirmed, or is in use")
    func neverStarted() throws {
        let v2 = Self.key("v2")
        let changes: [(isKept: Bool, change: (inout Updater) -> Void)] = [
            (false, { _ in }), (true, { $0.record.update(v2) { $0.hasStarted = true } }),
            (true, { $0.record.update(v2) { $0.confirmations = 1 } }), (true, { $0.record.current = v2 }),
            (true, { $0.record.lastKnownGood = v2 }),
        ]
        for (index, (isKept, change)) in changes.enumerated() {
            var updater = try updater("v2")
            updater.record.update(v2) { $0.confirmations = 0 }
            change(&updater)
            updater.dropIfNeverStarted(v2)
            #expect((updater.record.entry(v2) != nil) == isKept, "\(index)")
        }
    }

    // MARK: Recovery

    @Test("R3: a version that is parked is neither current nor pending, and its count of ends begins anew")
    func parked() throws {
        for isPending in [false, true] {
            var updater = try updater("v2", "v3")
            let v2 = Self.key("v2")
            updater.record.current = v2
            updater.record.lastKnownGood = Self.key("v3")
            updater.record.pending = isPending ? v2 : Self.key("v3")
            updater.record.wait = SecondChanceWait()
            var history = StartHistory(key: v2, unclear: 2, uncounted: 5, hasWaited: true)
            let open = OpenStart(
                key: v2, native: "1.0", boot: nil, token: PageLoadToken(1), isSecondChance: false,
                isReachable: true)
            updater.countUnclearEnd(open, &history, waits: false)
            // The last known good version is not gone back to while it waits for its second chance.
            let next = isPending ? Self.key("v3") : updater.record.embedded
            #expect(updater.record.parked?.key == v2 && updater.record.current == next)
            #expect(updater.record.pending?.id == (isPending ? nil : "v3"))
            #expect((updater.record.wait == nil) == isPending)
            let kept = updater.record.startHistory(of: v2)
            #expect(kept == StartHistory(key: v2, parkings: 1, wasReachable: true))
        }
    }

    @Test("R9: the chain leaves out what may not be shown: each of these alone is sufficient")
    func chain() throws {
        let (v2, v3) = (Self.key("v2"), Self.key("v3"))
        let changes: [(name: String, change: (inout Updater) -> Void)] = [
            ("abandoned", { $0.selection.abandon(v2) }), ("recalled", { $0.record.recalled = ["v2"] }),
            ("damaged", { $0.record.damaged = Self.version("v2").blobs }),
            ("unreadable", { $0.versions.skip(v2) }),
            ("parked", { $0.record.parked = ParkedVersion(key: v2, since: nil) }),
            ("gone", { $0.versions.remove(named: []) { $0.key == v2 } }),
            (
                "blacklisted",
                { updater in
                    updater.record.blacklist = [
                        BlacklistEntry(
                            key: v2, native: updater.record.native, line: updater.record.line, cause: .parked,
                            evidence: "", count: 1)
                    ]
                }
            ),
            (
                "below the data",
                { $0.record.data = WrittenDataSchema(schema: 7, readableFrom: 7) }
            ),
        ]
        for (name, change) in changes {
            var updater = try updater("v2")
            updater.versions.addRead(Self.version("v3", schema: 7))
            updater.record.lastKnownGood = v2
            updater.record.previousGood = v3
            #expect(updater.recoveryVersion(excluding: []) == v2)
            #expect(updater.recoveryVersion(excluding: [v2]) == v3)
            change(&updater)
            #expect(updater.recoveryVersion(excluding: []) == v3, "\(name)")
        }
    }

    @Test(
        "A version that is left becomes pending again, unless another one is, it is recalled, or the only one"
    )
    func pendingAgain() throws {
        let (v2, v3, v4) = (Self.key("v2"), Self.key("v3"), Self.key("v4"))
        let cases: [(pending: VersionKey?, recalled: [String], isOnly: Bool, isPending: Bool)] = [
            (nil, [], false, true), (v2, [], false, true), (v4, [], false, false),
            // The one that is shown instead is not pending beside itself.
            (v3, [], false, true),
            (nil, ["v2"], false, false),
            (v2, [], true, false),
        ]
        for (pending, recalled, isOnly, isPending) in cases {
            var updater = try updater("v2", "v3", "v4")
            updater.record.current = v2
            updater.record.lastKnownGood = v3
            updater.record.pending = pending
            updater.record.recalled = recalled
            if isOnly {
                updater.selection.abandon(v3)
                if let embedded = updater.record.embedded { updater.selection.abandon(embedded) }
            }
            let again = updater.makePendingAgain(v2)
            #expect(again == isPending)
            #expect(updater.record.current == (isOnly ? v2 : v3))
            #expect(updater.record.pending == (isPending ? v2 : isOnly ? nil : pending))
            #expect(updater.record.leftVersions.contains(v2) == (!isPending && !isOnly))
        }
    }

    @Test("R3: the clock of a start: the setting, three times that and a minute at least, twice the slowest")
    func clock() throws {
        var updater = try updater("v2")
        func clock(_ timeout: Int64, slowest: Int64, isSecondChance: Bool) -> TimeSpan {
            updater.settings.startupTimeout = .seconds(timeout)
            updater.record.update(Self.key("v2")) { $0.slowestStart = slowest }
            return updater.startupClock(of: Self.key("v2"), isSecondChance: isSecondChance)
        }
        let cases: [(timeout: Int64, slowest: Int64, isSecondChance: Bool, seconds: Int64)] = [
            (20, 0, false, 20), (20, 10, false, 20), (20, 11, false, 22), (20, 60, false, 120),
            (20, 61, false, 120), (3, 0, false, 5), (5, 0, true, 60), (20, 0, true, 60), (21, 0, true, 63),
            (20, 40, true, 80), (130, 100, false, 130),
        ]
        for (timeout, slowest, isSecondChance, seconds) in cases {
            let found = clock(timeout, slowest: slowest, isSecondChance: isSecondChance)
            #expect(found == .seconds(seconds), "\(timeout) \(slowest) \(isSecondChance)")
        }
    }

    @Test(
        "R12: the data has the schema of the highest version that confirmed, and the lowest reader it names")
    func schemas() throws {
        let cases: [(known: (Int, Int)?, schema: Int?, readableFrom: Int?, data: (Int, Int)?)] = [
            (nil, nil, nil, nil), (nil, 3, nil, (3, 3)), (nil, 3, 1, (3, 1)), (nil, 3, 5, (3, 3)),
            ((2, 2), 3, nil, (3, 3)), ((3, 1), 3, nil, (3, 3)), ((4, 2), 3, nil, (4, 2)),
        ]
        for (known, schema, readableFrom, data) in cases {
            var updater = try updater()
            updater.versions.addRead(Self.version("v2", schema: schema, readableFrom: readableFrom))
            updater.record.data = known.map {
                WrittenDataSchema(schema: UntrustedInteger($0.0), readableFrom: UntrustedInteger($0.1))
            }
            updater.noteSchema(of: Self.key("v2"))
            let wanted = data.map {
                WrittenDataSchema(schema: UntrustedInteger($0.0), readableFrom: UntrustedInteger($0.1))
            }
            #expect(updater.record.data == wanted)
            if let schema {
                updater.record.data = WrittenDataSchema(
                    schema: 9, readableFrom: UntrustedInteger(schema))
                #expect(updater.canReadData(Self.key("v2")))
                updater.record.data?.readableFrom = UntrustedInteger(schema + 1)
            }
            #expect(updater.canReadData(Self.key("v2")) == (updater.record.data == nil))
        }
    }

    // MARK: Counts and days

    @Test("U5: a page switches to one version three times in a day, and not more often")
    func switchLimit() throws {
        var updater = try updater("v2")
        let now = try #require(updater.originNow)
        func isAllowed(_ ages: [Int64?]) -> Bool {
            updater.record.switches = ages.map { age in
                RequestedSwitch(key: Self.key("v2"), at: age.map { OriginTime(seconds: now.seconds - $0) })
            }
            return updater.isWithinSwitchLimit(Self.key("v2"))
        }
        #expect(isAllowed([]) && isAllowed([1, 2]) && !isAllowed([1, 2, 3]) && !isAllowed([nil, nil, 1]))
        #expect(isAllowed([86_400, 1, 2]) && !isAllowed([86_399, 1, 2]))
        #expect(updater.isWithinSwitchLimit(Self.key("v3")))
        updater.record.switches = ([86_399, 86_400, nil] as [Int64?]).map { age in
            RequestedSwitch(key: Self.key("v2"), at: age.map { OriginTime(seconds: now.seconds - $0) })
        }
        updater.dropOldSwitches()
        #expect(updater.record.switches.map(\.at) == [OriginTime(seconds: now.seconds - 86_399), nil])
        updater.record.switches = []
        for number in 1...49 { updater.recordRequestedSwitch(to: Self.key("v\(number)")) }
        #expect(updater.record.switches.count == 48 && updater.record.switches[0].key.id == "v2")
        #expect(updater.record.switches.allSatisfy { $0.at == now })
    }

    @Test("R5: entries of the blacklist end after 7 and 30 days, not before, and each once")
    func endsByTime() throws {
        for (count, days, ends) in [(1, 7, true), (2, 30, true), (3, 400, false)] as [(Int, Int64, Bool)] {
            for isEarly in [false, true] {
                var updater = try updater("v2")
                let now = try #require(updater.originNow)
                let since = OriginTime(seconds: now.seconds - days * 86_400 + (isEarly ? 1 : 0))
                updater.record.blacklist = [nil, since].map {
                    BlacklistEntry(
                        key: Self.key("v2"), native: updater.record.native, line: updater.record.line,
                        cause: .parked, evidence: "", count: count, since: $0)
                }
                let log = updater.record.log.count
                for _ in 1...2 { updater.endOldEntries() }
                #expect(updater.record.blacklist.map(\.hasEnded) == [false, ends && !isEarly], "\(count)")
                #expect(updater.record.log.count - log == (ends && !isEarly ? 1 : 0))
            }
        }
    }

    @Test("R10: the versions that were read during this boot are known, the last eight of them")
    func checked() throws {
        var updater = try updater()
        updater.record.boot = "boot-0"
        updater.record.checked = [Self.key("v0")]
        for number in [1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9] { updater.recordChecked(Self.key("v\(number)")) }
        #expect(updater.record.boot == "boot-1")
        #expect(ids(updater.record.checked) == (2...9).map { "v\($0)" })
        updater.launch?.bootID = nil
        updater.recordChecked(Self.key("v1"))
        #expect(updater.record.boot == nil && updater.record.checked.isEmpty)
    }
}
