import Core
import Testing
import World

@testable import Updater

@Suite("Which version a process starts with, and what it asks then")
struct LaunchChoiceTests {
    private func stored(_ id: String) throws -> StoredVersion {
        let table = try ManifestReader(dialect: .own).read(Version(id, serial: 1).manifest)
        return StoredVersion(table: table, storedAssets: [], verification: .everyByte, packageRoot: nil)
    }

    /// v0 embedded, v1 and v2 good, v3 pending; v2 is current and last known good.
    private func updater() throws -> (updater: Updater, keys: [VersionKey]) {
        var updater = Updater()
        let versions = try (0...3).map { try stored("v\($0)") }
        for version in versions { updater.versions.addRead(version) }
        let keys = versions.map(\.key)
        updater.record.embedded = keys[0]
        updater.record.versions = [
            VersionEntry(key: keys[1], confirmations: 1), VersionEntry(key: keys[2], confirmations: 5),
            VersionEntry(key: keys[3]),
        ]
        updater.record.current = keys[2]
        updater.record.lastKnownGood = keys[2]
        updater.record.previousGood = keys[1]
        updater.record.pending = keys[3]
        updater.store.beginOpening()
        return (updater, keys)
    }

    @Test(
        "R3, R9: what is pending, unless it waits or can't be started; then what is current; then the chain")
    func choices() throws {
        let (_, keys) = try updater()
        let readOnly = DiskError(.readOnly, .write)
        let changes: [(what: String, chosen: Int?, change: (inout Updater) -> Void)] = [
            ("as usual", 3, { _ in }), ("nothing pending", 2, { $0.record.pending = nil }),
            ("just rescued", 2, { $0.record.wait = SecondChanceWait(launches: 1) }),
            ("second launch after", 3, { $0.record.wait = SecondChanceWait(launches: 2) }),
            (
                "confirmed rescuer", 3,
                { $0.record.wait = SecondChanceWait(launches: 0, rescuerConfirmed: true) }
            ),
            ("recalled", 2, { $0.record.recalled = ["v3"] }),
            ("parked", 2, { $0.record.parked = ParkedVersion(key: keys[3], since: nil) }),
            ("unreadable", 2, { $0.versions.skip(keys[3]) }),
            ("not there", 2, { $0.record.pending?.id = "x" }),
            ("not writable", 2, { $0.store.becomeReadOnly(after: readOnly) }),
            (
                "not writable, good and pending", 1,
                {
                    $0.store.becomeReadOnly(after: readOnly)
                    $0.record.pending = keys[1]
                }
            ),
            (
                "not writable, nothing good is current", 2,
                {
                    $0.store.becomeReadOnly(after: readOnly)
                    $0.record.current = keys[3]
                }
            ),
            ("both recalled", 1, { $0.record.recalled = ["v3", "v2"] }),
            ("all downloads recalled", 0, { $0.record.recalled = ["v3", "v2", "v1"] }),
            (
                "nothing left", nil,
                {
                    $0.record.recalled = ["v3", "v2", "v1"]
                    $0.versions.skip(keys[0])
                }
            ),
        ]
        for (what, chosen, change) in changes {
            var (updater, _) = try updater()
            change(&updater)
            let choice = updater.startChoice()
            #expect(choice?.key == chosen.map { keys[$0] }, "\(what)")
            #expect(
                (choice?.activatesPending == true) == (choice != nil && choice?.key == updater.record.pending)
            )
        }
    }

    @Test("R3: a proven version is set aside after three unconfirmed starts, if there is another")
    func setAside() throws {
        for (starts, confirmations, chosen) in [(2, 5, 2), (3, 5, 1), (4, 5, 1), (3, 4, 2)] {
            var (updater, keys) = try updater()
            updater.record.pending = nil
            updater.record.versions[1].confirmations = confirmations
            for _ in 0..<starts { updater.starts.file.countStart(keys[2]) }
            #expect(updater.startChoice()?.key == keys[chosen], "\(starts) \(confirmations)")
            updater.record.recalled = ["v1"]
            updater.versions.skip(keys[0])
            #expect(updater.startChoice()?.key == keys[2], "there is no other")
            updater.record.embedded = keys[2]
            #expect(updater.startChoice()?.key == keys[2], "the embedded version is never set aside")
        }
    }

    @Test("R2: after a crash on a store that can't be written the next of the chain is started, and stays")
    func unrecordedCrash() throws {
        for (exit, shown) in [
            (ExitRecord.crash, 1), (.notResponding, 1), (.lowMemory, 2), (.userRequested, 2), (.other, 2),
        ] {
            var (updater, keys) = try updater()
            updater.store.becomeReadOnly(after: DiskError(.readOnly, .write))
            updater.launch = Updater.Launch(
                settings: updater.settings, native: try #require(NativeBuild("1")), platform: "ios",
                entropy: [])
            updater.launch?.lastExit = exit
            updater.evaluateLastStart()
            #expect(updater.record.current == keys[shown], "\(exit)")
            #expect(updater.selection.hasAbandoned(keys[2]) == (shown == 1), "\(exit)")
            #expect(updater.recoveryVersion(excluding: [keys[1]]) == keys[shown == 1 ? 0 : 2])
        }
    }

    @Test("U5: a launch in front checks once, one in background only what was asked for meanwhile")
    func checks() throws {
        for (policy, isInFront, events, expected) in [
            (.automatic, true, [], 1), (.automatic, false, [], 0), (.manual, true, [], 0),
            (.automatic, true, [.check(.push)], 1), (.automatic, false, [.check(.push)], 1),
            (.manual, true, [.check(.app), .check(.page)], 1), (.page, true, [.check(.app)], 0),
            (.never, true, [.check(.user)], 0),
        ] as [(UpdatePolicy, Bool, [Updater.Event], Int)] {
            var device = try Harness.started()
            device.kill()
            device.settings.updates = policy
            device.requests = []
            try device.launch(inForeground: isInFront, then: events)
            #expect(device.manifests == expected, "\(policy) \(isInFront) \(events)")
            device.load(.processStart)
            #expect(device.manifests == expected)
        }
    }

    @Test("U5: an opening that was put off in background checks when the app comes to the front")
    func putOff() throws {
        for (policy, expected) in [(UpdatePolicy.automatic, 1), (.manual, 0)] {
            var device = try Harness.started()
            device.kill()
            device.settings.updates = policy
            device.requests = []
            device.disk.add(DiskFault(.status, .denied, times: nil))
            try device.launch(inForeground: false)
            device.wait(.seconds(5))
            #expect(device.manifests == 0)
            device.disk.removeFaults()
            device.send(.foreground)
            #expect(device.manifests == expected && device.updater.store.phase == .running)
        }
    }

    @Test("U5: a network that comes back tries what failed; another kind of network, or the same, does not")
    func network() throws {
        for (from, to, expected) in [
            (.offline, .online, 1), (.offline, .metered, 1), (.online, .metered, 1), (.online, .online, 0),
            (.online, .offline, 0), (.metered, .online, 1),
        ] as [(NetworkState, NetworkState, Int)] {
            var device = try Harness.started()
            device.send(.network(from))
            device.script = { _ in Reply(503) }
            device.check()
            device.requests = []
            device.send(.network(to))
            #expect(device.manifests == expected, "\(from) \(to)")
            var calm = try Harness.started()
            calm.send(.network(from))
            calm.requests = []
            calm.send(.network(to))
            #expect(calm.requests.isEmpty, "nothing has failed")
        }
    }
}
