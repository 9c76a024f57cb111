import AppHost
import Backend
import Core
import Testing
import Updater

@testable import Oracle

@Suite("The reference model accepts what the rules allow, and fires at each decision that they don't")
struct DecisionTests {
    /// v1 embedded and current; v2 complete and pending. A new process has begun and reported.
    private func pending(
        profile: DeviceProfile = .plain, _ change: (inout AppSetup) -> Void = { _ in }
    ) -> Stage {
        var stage = Stage.deciding(profile: profile, change)
        // The next process does not count as reachable by this answer.
        stage.wait(.minutes(2))
        stage.relaunch { $0.pending = Stage.v2 }
        return stage
    }

    /// v2 has been started, by its page load of this number.
    private func started(
        _ number: UInt64 = 2, profile: DeviceProfile = .plain,
        _ change: (inout AppSetup) -> Void = { _ in }
    ) -> Stage {
        var stage = pending(profile: profile, change)
        stage.begin(Stage.v2, number)
        return stage
    }

    /// v2 has failed its first start and waits; v1 is shown.
    private func waiting() -> Stage {
        var stage = started()
        stage.wait(.seconds(1))
        stage.fail(Stage.v2, Stage.token(2))
        stage.status {
            $0.current = Stage.v1
            $0.pending = Stage.v2
            $0.pendingWaits = true
        }
        stage.open(Stage.v1, Stage.token(3))
        return stage
    }

    private func expect(
        _ stage: Stage, _ rule: String?, allowing good: (inout Stage) -> Void,
        butNot bad: (inout Stage) -> Void, _ comment: Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var allowed = stage
        good(&allowed)
        #expect(allowed.broken == [], comment, sourceLocation: sourceLocation)
        var wrong = stage
        bad(&wrong)
        #expect(wrong.broken == [rule].compactMap(\.self), comment, sourceLocation: sourceLocation)
    }

    // MARK: - Ends

    @Test("R3.front: a process that ended in front, in this boot, without a record")
    func front() {
        var stage = started()
        stage.wait(.seconds(2))
        stage.emit(.processEnded(.crash))
        stage.boot()
        expect(stage, "R3") {
            $0.log(.startEndedInFront, Stage.v2)
            $0.waits(Stage.v2)
            $0.open(Stage.v1, Stage.token(3))
        } butNot: {
            $0.log(.startUnclear, Stage.v2)
        }
        expect(stage, "R3") { _ in
        } butNot: {
            $0.status { $0.current = Stage.v1 }
            $0.open(Stage.v1, Stage.token(3))
        }
    }

    @Test("R3.exit-record, R3.swipe, R3.unclear-power-cut")
    func exitRecords() {
        var recorded = DeviceProfile.plain
        recorded.exits = [ExitReport(.crash, .crash)]
        var crashed = started(profile: recorded)
        crashed.emit(.processEnded(.crash))
        crashed.boot()
        expect(crashed, "R3") {
            $0.log(.startFailedByCrash, Stage.v2)
        } butNot: {
            $0.log(.startEndedInFront, Stage.v2)
        }
        var swiped = started()
        swiped.wait(.seconds(1))
        swiped.emit(.deactivated)
        swiped.wait(.seconds(1))
        swiped.emit(.processEnded(.user))
        swiped.boot()
        expect(swiped, "R3") {
            $0.log(.startUnclear, Stage.v2)
        } butNot: {
            $0.log(.startEndedInFront, Stage.v2)
        }
        var cut = started()
        cut.wait(.seconds(1))
        cut.emit(.powerCut(survived: 0, of: 0), .launched(foreground: true, bootID: 2))
        expect(cut, "R3") {
            $0.log(.startUnclear, Stage.v2)
        } butNot: {
            $0.log(.startEndedInFront, Stage.v2)
        }
    }

    @Test("R3.background: 5 s in front are the border", arguments: [3, 7])
    func background(seconds: Int64) {
        var stage = started()
        stage.wait(.seconds(seconds))
        stage.emit(.backgrounded)
        stage.wait(.seconds(60))
        stage.emit(.processEnded(.system))
        stage.boot()
        let allowed: LogCause = seconds < 5 ? .startUncounted : .startUnclear
        let wrong: LogCause = seconds < 5 ? .startUnclear : .startUncounted
        expect(stage, "R3") {
            $0.log(allowed, Stage.v2)
        } butNot: {
            $0.log(wrong, Stage.v2)
        }
    }

    @Test("R3.clock: neither early, nor never; reachable and untouched decide what it means")
    func clock() {
        var stage = started()
        stage.wait(.seconds(10))
        expect(stage, "R3") {
            $0.wait(.seconds(30))
        } butNot: {
            $0.log(.startFailedByClock, Stage.v2)
        }
        expect(stage, "R3") {
            $0.wait(.seconds(60))
        } butNot: {
            $0.wait(.seconds(120))
        }
        stage.wait(.seconds(11))
        expect(stage, "R3") {
            $0.log(.startUnclearByClock, Stage.v2)
        } butNot: {
            $0.log(.startFailedByClock, Stage.v2)
        }
        stage.answer("v2")
        expect(stage, "R3") {
            $0.log(.startFailedByClock, Stage.v2)
        } butNot: {
            $0.log(.startUnclearByClock, Stage.v2)
        }
        stage.emit(.touched(.first))
        stage.wait(.seconds(1))
        expect(stage, "R3") {
            $0.log(.startUnclearByClock, Stage.v2)
        } butNot: {
            $0.log(.startFailedByClock, Stage.v2)
        }
    }

    @Test("R3.page-failure, R6.own-page: what a page reports ends its start")
    func reports() {
        var failed = started()
        failed.wait(.seconds(1))
        failed.emit(.called(.first, .startupDidFail, load: Stage.token(2)))
        expect(failed, "R3") {
            $0.log(.startFailedByPage, Stage.v2)
            $0.wait(.minutes(2))
        } butNot: {
            $0.wait(.minutes(2))
        }
        var confirmed = started()
        confirmed.wait(.seconds(1))
        confirmed.emit(.called(.first, .startupDidComplete, load: Stage.token(2)))
        expect(confirmed, "R6") {
            $0.log(.startConfirmed, Stage.v2)
            $0.wait(.minutes(2))
        } butNot: {
            $0.wait(.minutes(2))
        }
    }

    // MARK: - What follows

    @Test("R3.waiting: after its first failure a version waits, and is not blacklisted")
    func firstFailure() {
        var stage = started()
        stage.wait(.seconds(1))
        stage.fail(Stage.v2, Stage.token(2))
        expect(stage, "R3") {
            $0.waits(Stage.v2)
            $0.open(Stage.v1, Stage.token(3))
        } butNot: {
            $0.status {
                $0.current = Stage.v1
                $0.pending = Stage.v2
            }
            $0.open(Stage.v1, Stage.token(3))
        }
        expect(stage, "R3") { _ in
        } butNot: {
            $0.status {
                $0.current = Stage.v1
                $0.blacklist = [Stage.v2]
            }
            $0.open(Stage.v1, Stage.token(3))
        }
    }

    @Test("R3.waiting-first, R3.waiting-second: when a process start takes up what waits")
    func takenUp() {
        var unconfirmed = waiting()
        unconfirmed.relaunch { $0.waits(Stage.v2) }
        expect(unconfirmed, "R3") {
            $0.open(Stage.v1, Stage.token(4))
        } butNot: {
            $0.open(Stage.v2, Stage.token(4))
        }
        unconfirmed.open(Stage.v1, Stage.token(4))
        unconfirmed.relaunch { $0.waits(Stage.v2) }
        expect(unconfirmed, "R3", allowing: { $0.open(Stage.v2, Stage.token(5)) }) {
            $0.open(Stage.v1, Stage.token(5))
        }
        var confirmed = waiting()
        confirmed.confirm(Stage.v1, Stage.token(3))
        confirmed.relaunch { $0.waits(Stage.v2) }
        expect(confirmed, "R3") {
            $0.open(Stage.v2, Stage.token(4))
        } butNot: {
            $0.open(Stage.v1, Stage.token(4))
        }
    }

    @Test("R2, R3.waiting-first: a power cut may take the rescuing version's confirmation back, or not")
    func takenUpAfterPowerCut() {
        for (survived, rule) in [(0, nil), (1, "R3")] {
            var stage = waiting()
            stage.confirm(Stage.v1, Stage.token(3))
            stage.emit(.powerCut(survived: survived, of: 1))
            stage.boot()
            stage.status { $0.waits(Stage.v2) }
            expect(stage, rule) {
                $0.open(Stage.v2, Stage.token(4))
            } butNot: {
                $0.open(Stage.v1, Stage.token(4))
            }
        }
    }

    @Test("R3.second-failure, R3.second-unclear: a second chance that is not confirmed ends it")
    func secondChance() {
        var stage = waiting()
        stage.confirm(Stage.v1, Stage.token(3))
        stage.relaunch { $0.waits(Stage.v2) }
        stage.begin(Stage.v2, 4)
        stage.wait(.seconds(2))
        var unclear = stage
        stage.fail(Stage.v2, Stage.token(4))
        expect(stage, "R3") {
            $0.status {
                $0.current = Stage.v1
                $0.blacklist = [Stage.v2]
            }
            $0.open(Stage.v1, Stage.token(5))
        } butNot: {
            $0.waits(Stage.v2)
            $0.open(Stage.v1, Stage.token(5))
        }
        unclear.emit(.processEnded(.crash))
        unclear.boot()
        unclear.log(.startEndedInFront, Stage.v2)
        expect(unclear, "R3") {
            $0.status {
                $0.current = Stage.v1
                $0.parked = [Stage.v2]
            }
            $0.open(Stage.v1, Stage.token(5))
        } butNot: {
            $0.waits(Stage.v2)
            $0.open(Stage.v1, Stage.token(5))
        }
    }

    /// v2 has ended unclear this number of times, in processes that the user swiped away.
    private func unclear(_ count: Int) -> Stage {
        var stage = pending()
        for index in 1...count {
            stage.begin(Stage.v2, UInt64(index + 1))
            stage.wait(.seconds(1))
            stage.emit(.deactivated)
            stage.wait(.seconds(1))
            stage.emit(.processEnded(.user))
            stage.boot()
            stage.log(.startUnclear, Stage.v2)
            if index < count { stage.status { $0.pending = Stage.v2 } }
        }
        return stage
    }

    @Test("R3.parked: the third unclear end in a row, and not the second")
    func parked() {
        expect(unclear(3), "R3") {
            $0.status {
                $0.current = Stage.v1
                $0.parked = [Stage.v2]
            }
            $0.open(Stage.v1, Stage.token(9))
        } butNot: {
            $0.status {
                $0.current = Stage.v1
                $0.pending = Stage.v2
            }
            $0.open(Stage.v2, Stage.token(9))
        }
        expect(unclear(2), "R3") {
            $0.status {
                $0.current = Stage.v1
                $0.pending = Stage.v2
            }
            $0.open(Stage.v2, Stage.token(9))
        } butNot: {
            $0.status {
                $0.current = Stage.v1
                $0.parked = [Stage.v2]
            }
            $0.open(Stage.v1, Stage.token(9))
        }
    }

    // MARK: - Moments

    @Test("U6.process-start: a process start takes the pending version")
    func processStart() {
        expect(pending(), "U6") {
            $0.open(Stage.v2, Stage.token(2))
        } butNot: {
            $0.open(Stage.v1, Stage.token(2))
        }
    }

    @Test("U6: a reload and a switch call take the pending version, a link and a dead web process don't")
    func moments() {
        var stage = started()
        stage.confirm(Stage.v2, Stage.token(2))
        stage.check("v3")
        stage.becomePending(Stage.v3)
        for kind in [AppHost.NavigationKind.link, .form, .history, .other] {
            var link = stage
            link.emit(.navigation(.first, kind, name: nil))
            expect(link, "U6") {
                $0.open(Stage.v2, Stage.token(3))
            } butNot: {
                $0.open(Stage.v3, Stage.token(3))
            }
        }
        var reload = stage
        reload.emit(.navigation(.first, .reload, name: nil))
        expect(reload, "U6") {
            $0.open(Stage.v3, Stage.token(3))
        } butNot: {
            $0.open(Stage.v2, Stage.token(3))
        }
        var call = stage
        call.emit(.called(.first, .switchToPendingVersion, load: Stage.token(2)))
        expect(call, "U6") {
            $0.open(Stage.v3, Stage.token(3))
        } butNot: {
            $0.open(Stage.v2, Stage.token(3))
        }
        var waits = waiting()
        waits.emit(.navigation(.first, .reload, name: nil))
        expect(waits, "R3") {
            $0.open(Stage.v1, Stage.token(4))
        } butNot: {
            $0.open(Stage.v2, Stage.token(4))
        }
    }

    @Test("R9: a rescue shows last known good first")
    func chain() {
        var stage = started()
        stage.confirm(Stage.v2, Stage.token(2))
        stage.check("v3")
        stage.becomePending(Stage.v3)
        stage.relaunch { $0.pending = Stage.v3 }
        stage.begin(Stage.v3, 3)
        stage.wait(.seconds(1))
        stage.fail(Stage.v3, Stage.token(3))
        stage.status {
            $0.pending = Stage.v3
            $0.pendingWaits = true
        }
        expect(stage, "R9") {
            $0.open(Stage.v2, Stage.token(4))
        } butNot: {
            $0.open(Stage.v1, Stage.token(4))
        }
    }

    // MARK: - Terms

    @Test("R5, R3.parked-day: entries end when their days are over", arguments: [true, false])
    func terms(isParking: Bool) {
        var stage = pending()
        stage.status {
            $0.pending = nil
            if isParking { $0.parked = [Stage.v2] } else { $0.blacklist = [Stage.v2] }
        }
        stage.check("v2")
        stage.wait(isParking ? .hours(23) : .days(6))
        stage.check("v2")
        expect(stage, isParking ? "R3" : "R5") {
            $0.wait(.minutes(5))
        } butNot: {
            $0.wait(isParking ? .hours(2) : .days(2))
            $0.check("v2")
            $0.wait(.minutes(2))
        }
        expect(stage, nil) {
            $0.wait(isParking ? .hours(2) : .days(2))
            $0.check("v2")
            $0.status {
                $0.blacklist = []
                $0.parked = []
            }
            $0.wait(.minutes(2))
        } butNot: { _ in
        }
    }

    @Test("N1: nothing of the build before is blacklisted, parked or good after a store update")
    func storeUpdate() {
        var stage = started()
        stage.emit(.processEnded(.storeUpdate), .installed(build: "1.1"))
        stage.boot()
        for change in [\UpdaterStatus.blacklist, \.parked, \.good] {
            expect(stage, "N1") {
                $0.status { $0.current = Stage.v1 }
            } butNot: {
                $0.status { $0[keyPath: change] = [Stage.v2] }
            }
        }
    }

    @Test("R3.proven-three: the third unconfirmed start of a proven version sets it aside, not the second")
    func setAside() {
        var stage = started()
        for number in UInt64(3)...6 {
            stage.confirm(Stage.v2, Stage.token(number - 1))
            stage.relaunch { $0.current = Stage.v2 }
            stage.begin(Stage.v2, number)
        }
        stage.confirm(Stage.v2, Stage.token(6))
        for number in UInt64(7)...8 {
            stage.relaunch { $0.current = Stage.v2 }
            stage.begin(Stage.v2, number)
        }
        stage.relaunch { $0.current = Stage.v2 }
        expect(stage, "R3") {
            $0.open(Stage.v2, Stage.token(9))
        } butNot: {
            $0.log(.setAside, Stage.v2)
            $0.status { $0.current = Stage.v1 }
            $0.open(Stage.v1, Stage.token(9))
        }
        stage.begin(Stage.v2, 9)
        stage.relaunch { $0.current = Stage.v2 }
        expect(stage, "R3") {
            $0.log(.setAside, Stage.v2)
            $0.status { $0.current = Stage.v1 }
            $0.open(Stage.v1, Stage.token(10))
        } butNot: {
            $0.open(Stage.v2, Stage.token(10))
        }
    }

    // MARK: - Checks

    @Test("U5.check-at-launch, U5.check-in-front: when a check is due, and when it is not")
    func checks() {
        var stage = Stage([Decisions()])
        stage.launch()
        expect(stage, "U5") {
            $0.answer("v1")
            $0.wait(.minutes(5))
        } butNot: {
            $0.wait(.minutes(5))
        }
        stage.answer("v1")
        stage.emit(.backgrounded)
        stage.wait(.minutes(10))
        stage.emit(.foregrounded)
        expect(stage, "U5") {
            $0.wait(.minutes(2))
        } butNot: {
            $0.answer("v1")
        }
        stage.emit(.backgrounded)
        stage.wait(.minutes(10))
        stage.emit(.foregrounded)
        expect(stage, "U5") {
            $0.answer("v1")
            $0.wait(.minutes(5))
        } butNot: {
            $0.wait(.minutes(5))
        }
        var app = Stage.app
        app.settings.updates = .never
        var off = Stage([Decisions()], app: app)
        off.launch()
        expect(off, "U14") {
            $0.wait(.minutes(5))
        } butNot: {
            $0.answer("v1")
        }
    }

    @Test(
        "R13: two starts of the only version that ended in front, and not two swipes, make a launch check first"
    )
    func checksFirst() {
        var broken = Stage([Decisions()])
        var swiped = broken
        for number in UInt64(1)...2 {
            broken.boot()
            broken.begin(Stage.v1, number)
            broken.wait(.seconds(2))
            broken.emit(.processEnded(.crash))
            swiped.boot()
            swiped.begin(Stage.v1, number)
            swiped.emit(.deactivated)
            swiped.wait(.seconds(2))
            swiped.emit(.processEnded(.user))
        }
        broken.launch()
        broken.status { $0.current = Stage.v1 }
        expect(broken, "R13") {
            $0.log(.waitsForFix, Stage.v1)
            $0.answer("v1")
            $0.begin(Stage.v1, 3)
        } butNot: {
            $0.begin(Stage.v1, 3)
        }
        swiped.launch()
        expect(swiped, "R13") {
            $0.begin(Stage.v1, 3)
        } butNot: {
            $0.log(.waitsForFix, Stage.v1)
        }
    }

    @Test("After trouble with the disk the model is silent")
    func trouble() {
        var stage = pending()
        stage.log(.diskFailed)
        stage.open(Stage.v1, Stage.token(2))
        #expect(stage.broken == [])
    }
}

extension UpdaterStatus {
    fileprivate mutating func waits(_ version: VersionKey) {
        current = Stage.v1
        pending = version
        pendingWaits = true
    }
}

extension Stage {
    fileprivate mutating func waits(_ version: VersionKey) {
        status { $0.waits(version) }
    }
}
