import Backend
import Core
import ScenarioLanguage
import TestSupport
import Testing
import Updater
import World

@testable import Oracle
@testable import Runner

@Suite("Recovery: R1, R2, R4, R5, R6, R7 and R8 fire when they are broken, and only then")
struct RecoveryCheckerTests {
    // MARK: - R1

    @Test("R1 fires when a power cut would leave a record whose current version is not there")
    func noWayBack() {
        var stage = Stage([AlwaysStartable()])
        stage.launch()
        var image = Stage.image([Stage.v2])
        var record = Stage.record([Stage.v2])
        record.current = Stage.v2
        record.lastKnownGood = Stage.v1
        image.slotA = .valid(record)
        stage.storeChanged { $0 = Stage.both(image) }
        #expect(stage.broken == [])
        stage.storeChanged { $0.durable.blobs.removeFirst() }
        #expect(stage.broken == ["R1"])
    }

    @Test("R1 leaves out content that the record lists as damaged, and versions of a previous build")
    func knownDamage() {
        var stage = Stage([AlwaysStartable()])
        stage.launch()
        var image = Stage.image([Stage.v2])
        let lost = image.blobs.removeFirst()
        var record = Stage.record([Stage.v2])
        record.current = Stage.v2
        record.damaged = [lost.name]
        image.slotA = .valid(record)
        stage.storeChanged { $0 = Stage.both(image) }
        record.damaged = []
        record.native = "0.9"
        image.slotA = .valid(record)
        stage.storeChanged { $0 = Stage.both(image) }
        #expect(stage.broken == [])
    }

    // MARK: - R2

    private func marked(_ change: (inout RecordImage) -> Void = { _ in }) -> Stage {
        var stage = Stage([StartRecordBeforeIndex()])
        stage.launch()
        var image = Stage.image([Stage.v2])
        var record = Stage.record([Stage.v2])
        record.openStart = RecordImage.OpenStart(
            key: Stage.v2, native: "1.0", boot: "1", token: Stage.token(1))
        change(&record)
        image.slotA = .valid(record)
        stage.store = Stage.both(image)
        return stage
    }

    @Test("R2 fires when an unproven version's index is served and no start record is durable")
    func noMark() {
        var right = marked()
        right.open(Stage.v2, Stage.token(1))
        #expect(right.broken == [])
        var stage = marked { $0.openStart = nil }
        stage.open(Stage.v2, Stage.token(1))
        #expect(stage.broken == ["R2"])
    }

    @Test("R2 fires when the start record is another build's, or another page load's")
    func otherMark() {
        var build = marked { $0.openStart?.native = "0.9" }
        build.open(Stage.v2, Stage.token(1))
        #expect(build.broken == ["R2"])
        var load = marked { $0.openStart?.token = Stage.token(7) }
        load.open(Stage.v2, Stage.token(1))
        #expect(load.broken == ["R2"])
    }

    @Test("R2 requires no start record of the embedded version, nor after the confirmation in this process")
    func noMarkNeeded() {
        var stage = marked { $0.openStart = nil }
        stage.open(Stage.v1, Stage.token(1))
        #expect(stage.broken == [])
        var confirmed = marked()
        confirmed.open(Stage.v2, Stage.token(1))
        confirmed.log(.startConfirmed, Stage.v2)
        confirmed.store.durable.slotA = .valid(Stage.record([Stage.v2]))
        confirmed.open(Stage.v2, Stage.token(2))
        #expect(confirmed.broken == [])
    }

    // MARK: - R4

    private func started(_ profile: DeviceProfile = .plain) -> Stage {
        var stage = Stage([BlameNeedsEvidence()], profile: profile)
        stage.launch()
        stage.open(Stage.v2, Stage.token(1))
        return stage
    }

    @Test("R4: a failure by the page needs the page's report")
    func failedByPage() {
        var right = started()
        right.emit(.called(.first, .startupDidFail, load: Stage.token(1)))
        right.log(.startFailedByPage, Stage.v2)
        #expect(right.broken == [])
        var stage = started()
        stage.log(.startFailedByPage, Stage.v2)
        #expect(stage.broken == ["R4"])
    }

    @Test("R4: a failure by crash needs an exit record that this device gives")
    func failedByCrash() throws {
        let telling = try Profiles.named("android-14")
        var right = started(telling)
        right.emit(.processEnded(.crash))
        right.launch()
        right.log(.startFailedByCrash, Stage.v2)
        #expect(right.broken == [])
        var silent = started(try Profiles.named("ios-17"))
        silent.emit(.processEnded(.crash))
        silent.launch()
        silent.log(.startFailedByCrash, Stage.v2)
        #expect(silent.broken == ["R4"])
        // Nothing had been served, so that the version had no part in it (R2).
        var unserved = Stage([BlameNeedsEvidence()], profile: telling)
        unserved.launch()
        unserved.emit(.pageLoad(.first, Stage.token(1), Stage.v2))
        unserved.wait(.seconds(1))
        unserved.emit(.processEnded(.crash))
        unserved.launch()
        unserved.log(.startFailedByCrash, Stage.v2)
        #expect(unserved.broken == ["R4"])
        var other = started(telling)
        other.emit(.processEnded(.lowMemory))
        other.launch()
        other.log(.startFailedByCrash, Stage.v2)
        #expect(other.broken == ["R4"])
    }

    @Test("R4: a clock runs out in front, reachable and untouched, or it is no failure")
    func failedByClock() {
        var right = started()
        right.emit(Stage.sent(1, .manifest), Stage.head(1, 200, offered: "v2"), Stage.ended(1))
        right.wait(.seconds(20))
        var touched = right
        var early = started()
        right.log(.startFailedByClock, Stage.v2)
        #expect(right.broken == [])
        touched.emit(.touched(.first))
        // In the very moment in which the clock runs out a touch comes too late.
        var late = touched
        late.log(.startFailedByClock, Stage.v2)
        #expect(late.broken == [])
        touched.wait(.seconds(1))
        touched.log(.startFailedByClock, Stage.v2)
        #expect(touched.broken == ["R4"])
        var unreachable = started()
        unreachable.wait(.seconds(20))
        unreachable.log(.startFailedByClock, Stage.v2)
        #expect(unreachable.broken == ["R4"])
        early.emit(Stage.sent(1, .manifest), Stage.head(1, 204), Stage.ended(1))
        early.wait(.seconds(19))
        early.log(.startFailedByClock, Stage.v2)
        #expect(early.broken == ["R4"])
    }

    @Test("R4: one death of the web process is not two")
    func failedWebProcess() {
        var stage = started()
        stage.emit(.webProcessDied(.first))
        var twice = stage
        stage.log(.startFailedWebProcess, Stage.v2)
        #expect(stage.broken == ["R4"])
        twice.emit(.webProcessDied(.first))
        twice.log(.startFailedWebProcess, Stage.v2)
        #expect(twice.broken == [])
    }

    @Test("R4: a blacklist entry needs two failures, or three parkings")
    func blame() {
        var once = started()
        once.emit(.called(.first, .startupDidFail, load: Stage.token(1)))
        once.log(.startFailedByPage, Stage.v2)
        var twice = once
        once.log(.blacklistEntry, Stage.v2)
        #expect(once.broken == ["R4"])
        twice.log(.startFailedByPage, Stage.v2)
        twice.log(.blacklistEntry, Stage.v2)
        #expect(twice.broken == [])
    }

    // MARK: - R5

    private func blacklisted() -> Stage {
        var stage = Stage([BlacklistHolds()])
        stage.launch()
        stage.status {
            $0.current = Stage.v1
            $0.blacklist = [Stage.v2]
        }
        return stage
    }

    @Test("R5 fires when a blacklisted version is started, downloaded, or pending")
    func usedAllTheSame() {
        var started = blacklisted()
        started.open(Stage.v2, Stage.token(1))
        #expect(started.broken == ["R5"])
        var fetched = blacklisted()
        fetched.emit(Stage.sent(1, .file("/app.js"), version: Stage.v2))
        #expect(fetched.broken == ["R5"])
        var pending = blacklisted()
        pending.status { $0.pending = Stage.v2 }
        #expect(pending.broken == ["R5"])
        var others = blacklisted()
        others.open(Stage.v1, Stage.token(1))
        others.emit(Stage.sent(1, .file("/app.js"), version: Stage.v3))
        #expect(others.broken == [])
    }

    @Test("R5 fires when an entry is lost over a process death, not when it ends by the rule")
    func entryLost() {
        var stage = blacklisted()
        stage.emit(.processEnded(.user))
        stage.launch()
        var ordered = stage
        var old = stage
        var newBuild = stage
        stage.status { $0.blacklist = [] }
        #expect(stage.broken == ["R5"])
        ordered.emit(.unblocked(["v2"]))
        ordered.status { $0.blacklist = [] }
        #expect(ordered.broken == [])
        old.wait(.days(7))
        old.status { $0.blacklist = [] }
        #expect(old.broken == [])
        newBuild.emit(.installed(build: "1.1"))
        newBuild.launch()
        newBuild.status { $0.blacklist = [] }
        #expect(newBuild.broken == [])
    }

    @Test("R5 fires when the embedded version is blacklisted")
    func embedded() {
        var stage = Stage([BlacklistHolds()])
        stage.launch()
        stage.status { $0.blacklist = [Stage.v1] }
        #expect(stage.broken == ["R5"])
    }

    // MARK: - R3, parking

    private func parked() -> Stage {
        var stage = Stage([ParkingHolds()])
        stage.launch()
        stage.status {
            $0.current = Stage.v1
            $0.parked = [Stage.v2]
        }
        return stage
    }

    @Test("R3 fires when a parked version is started or pending, or a second one is parked")
    func parkedUsed() {
        var started = parked()
        started.open(Stage.v2, Stage.token(1))
        #expect(started.broken == ["R3"])
        var pending = parked()
        pending.status { $0.pending = Stage.v2 }
        #expect(pending.broken == ["R3"])
        var two = parked()
        two.status { $0.parked = [Stage.v2, Stage.v3] }
        #expect(two.broken == ["R3"])
        var embedded = parked()
        embedded.status { $0.parked = [Stage.v1] }
        #expect(embedded.broken == ["R3"])
        var others = parked()
        others.open(Stage.v1, Stage.token(1))
        others.status { $0.pending = Stage.v3 }
        #expect(others.broken == [])
    }

    @Test("R3 fires when a parking is lost, not when it ends by the rule")
    func parkingLost() {
        var stage = parked()
        stage.emit(.processEnded(.user))
        stage.launch()
        var day = stage
        var asked = stage
        var recalled = stage
        var newBuild = stage
        var another = stage
        var quiet = stage
        stage.status { $0.parked = [] }
        #expect(stage.broken == ["R3"])
        quiet.wait(.days(2))
        quiet.status { $0.parked = [] }
        #expect(quiet.broken == ["R3"])
        day.wait(.days(1))
        day.emit(Stage.sent(1, .manifest), Stage.head(1, 200), Stage.ended(1))
        day.status { $0.parked = [] }
        #expect(day.broken == [])
        asked.emit(.userDid(.presses(.lookForUpdate)))
        asked.status { $0.parked = [] }
        #expect(asked.broken == [])
        recalled.emit(.recalled(["v2"]))
        recalled.status { $0.parked = [] }
        #expect(recalled.broken == [])
        newBuild.emit(.installed(build: "1.1"))
        newBuild.launch()
        newBuild.status { $0.parked = [] }
        #expect(newBuild.broken == [])
        another.status { $0.parked = [Stage.v3] }
        #expect(another.broken == [])
    }

    // MARK: - R6

    @Test("R6 fires when the signal of the page before confirms the version behind it")
    func formerSignal() {
        var stage = Stage([ConfirmationByOwnPage()])
        stage.launch()
        stage.open(Stage.v1, Stage.token(1))
        stage.open(Stage.v2, Stage.token(2))
        var own = stage
        stage.emit(.called(.first, .startupDidComplete, load: Stage.token(1)))
        stage.log(.startConfirmed, Stage.v2)
        #expect(stage.broken == ["R6"])
        own.emit(.called(.first, .startupDidComplete, load: Stage.token(2)))
        own.log(.startConfirmed, Stage.v2)
        #expect(own.broken == [])
    }

    @Test("R6 fires when a confirmation counts after its start has ended")
    func tooLate() {
        var stage = Stage([ConfirmationByOwnPage()])
        stage.launch()
        stage.open(Stage.v2, Stage.token(1))
        stage.log(.startUnclearByClock, Stage.v2)
        stage.emit(.called(.first, .startupDidComplete, load: Stage.token(1)))
        stage.log(.startConfirmed, Stage.v2)
        #expect(stage.broken == ["R6"])
    }

    @Test("R6 fires when a version is last known good that never confirmed")
    func neverConfirmed() {
        var stage = Stage([ConfirmationByOwnPage()])
        stage.launch()
        stage.status { $0.lastKnownGood = Stage.v1 }
        #expect(stage.broken == [])
        stage.status { $0.lastKnownGood = Stage.v2 }
        #expect(stage.broken == ["R6"])
    }

    // MARK: - R8

    @Test("R8 fires when neither generation would read after a power cut, or the record goes back")
    func recordLost() {
        var stage = Stage([RecordReadable()])
        stage.launch()
        stage.storeChanged { $0 = Stage.both(Stage.image([], generation: 4)) }
        stage.storeChanged { $0.live.slotB = .invalid }
        stage.storeChanged { $0 = Stage.both(Stage.image([], generation: 5)) }
        #expect(stage.broken == [])
        var back = stage
        stage.storeChanged { $0.durable.slotA = .invalid }
        #expect(stage.broken == ["R8"])
        back.storeChanged { $0 = Stage.both(Stage.image([], generation: 3)) }
        #expect(back.broken == ["R8"])
    }

    @Test("R8: after damage of the record generations begin anew, and then only grow again")
    func recordDamaged() {
        var stage = Stage([RecordReadable()])
        stage.launch()
        stage.storeChanged { $0 = Stage.both(Stage.image([], generation: 4)) }
        stage.emit(.damaged("store/record.a"), .damaged("store/record.b"))
        stage.storeChanged { $0 = Stage.both(Stage.image([], generation: 1)) }
        #expect(stage.broken == [])
        stage.storeChanged { $0 = Stage.both(Stage.image([], generation: 2)) }
        stage.storeChanged { $0 = Stage.both(Stage.image([], generation: 1)) }
        #expect(stage.broken == ["R8"])
    }

    @Test(
        "R8: a slot that was removed counts as damaged until it is written; one that was never there does not"
    )
    func recordRemoved() {
        func broken(hadSlot: Bool) -> [String] {
            var stage = Stage([RecordReadable()])
            stage.launch()
            stage.storeChanged {
                $0 = Stage.both(Stage.image([], generation: 4))
                if hadSlot {
                    $0.durable.slotB = $0.durable.slotA
                    $0.live.slotB = $0.live.slotA
                }
            }
            stage.store.durable.slotB = .absent
            stage.store.live.slotB = .absent
            stage.emit(.damaged("store/record.b"))
            // The process writes the slot that is left.
            stage.storeChanged { $0.live.slotA = .invalid }
            return stage.broken
        }
        #expect(broken(hadSlot: true) == [])
        #expect(broken(hadSlot: false) == ["R8"])
    }
}
