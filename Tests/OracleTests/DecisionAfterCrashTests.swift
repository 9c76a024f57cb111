import AppHost
import Backend
import Core
import ScenarioLanguage
import Testing
import Updater

@testable import Oracle

@Suite("After a crash in the middle of a write the reference model allows what may be left, and nothing else")
struct DecisionAfterCrashTests {
    /// v1 embedded and current; v2 complete and pending. A new process has begun and reported.
    private func pending() -> Stage {
        var stage = Stage([Decisions()])
        stage.boot(1)
        stage.status {
            $0.current = Stage.v1
            $0.lastKnownGood = Stage.v1
        }
        stage.check("v2")
        stage.becomePending(Stage.v2)
        stage.end(.user)
        stage.boot(1)
        stage.status { $0.pending = Stage.v2 }
        return stage
    }

    /// v2 is proven: it has confirmed in five processes.
    private func proven() -> Stage {
        var stage = pending()
        for number in UInt64(1)...5 {
            stage.begin(Stage.v2, number)
            stage.wait(.seconds(1))
            stage.emit(.called(.first, .startupDidComplete, load: Stage.token(number)))
            stage.log(.startConfirmed, Stage.v2)
            stage.status {
                $0.good = [Stage.v2]
                $0.lastKnownGood = Stage.v2
            }
            stage.end(.user)
            stage.boot(1)
            stage.status { _ in }
        }
        return stage
    }

    private func broken(_ stage: Stage, _ change: (inout Stage) -> Void) -> [String] {
        var stage = stage
        change(&stage)
        return stage.broken
    }

    @Test("R2: an app that falls asleep right after its page is served has not noted that it is in front")
    func asleepBeforeTheNote() {
        for (awake, rules) in [(.milliseconds(1), []), (.seconds(1), ["R3"])] as [(TimeSpan, [String])] {
            var stage = pending()
            stage.begin(Stage.v2, 1)
            stage.wait(awake)
            stage.emit(.suspended)
            stage.wait(.minutes(31))
            stage.emit(.processEnded(.crash))
            stage.boot(1)
            stage.log(.startUncounted, Stage.v2)
            #expect(stage.broken == rules)
        }
    }

    @Test("U6: a link tapped before the page load of a reload gets what that decided; no link decides")
    func linkAfterReload() {
        for (kind, rules) in [(AppHost.NavigationKind.reload, []), (.link, ["U6"])] {
            var stage = Stage([Decisions()])
            stage.boot(1)
            stage.begin(Stage.v1, 1)
            stage.check("v2")
            stage.becomePending(Stage.v2)
            stage.emit(.navigation(.first, kind, name: nil))
            stage.log(.switched, Stage.v2)
            stage.emit(.navigation(.first, .link, name: nil))
            stage.open(Stage.v2, Stage.token(2))
            #expect(stage.broken == rules)
        }
    }

    @Test("R2: a start whose record alone was written ends in the next process, and counts")
    func unseenStart() {
        var stage = pending()
        for _ in 1...2 {
            // The record of the start is on its way when the power fails.
            stage.log(.startMarked, Stage.v2)
            stage.emit(.powerCut(survived: 1, of: 1))
            stage.boot(stage.process + 1)
            stage.log(.startUnclear, Stage.v2)
            stage.status { $0.pending = Stage.v2 }
        }
        // It was not written: there is nothing to end.
        #expect(broken(stage) { $0.begin(Stage.v2, 9) } == [])
        stage.emit(.powerCut(survived: 1, of: 1))
        stage.boot(9)
        stage.log(.startUnclear, Stage.v2)
        let parked = broken(stage) {
            $0.status {
                $0.pending = nil
                $0.parked = [Stage.v2]
            }
            $0.open(Stage.v1, Stage.token(10))
        }
        #expect(parked == [])
        let third = broken(stage) {
            $0.status { $0.pending = Stage.v2 }
            $0.open(Stage.v2, Stage.token(10))
        }
        #expect(third == ["R3"])
    }

    @Test("R3: an end that a process reported before a crash is reported once more, or has happened")
    func endTwice() {
        var stage = pending()
        stage.begin(Stage.v2, 1)
        stage.wait(.seconds(1))
        stage.emit(.called(.first, .startupDidFail, load: Stage.token(1)))
        stage.log(.startFailedByPage, Stage.v2)
        stage.end(.system)
        stage.boot(1)
        let again = broken(stage) {
            $0.log(.startUnclear, Stage.v2)
            $0.status {
                $0.current = Stage.v1
                $0.pending = Stage.v2
            }
            $0.open(Stage.v2, Stage.token(2))
        }
        #expect(again == [])
        let happened = broken(stage) {
            $0.status {
                $0.current = Stage.v1
                $0.pending = Stage.v2
                $0.pendingWaits = true
            }
            $0.open(Stage.v1, Stage.token(2))
        }
        #expect(happened == [])
        // The failure was lost, and a first one does not blacklist.
        let blamed = broken(stage) {
            $0.log(.startFailedByPage, Stage.v2)
            $0.status {
                $0.current = Stage.v1
                $0.pending = nil
                $0.blacklist = [Stage.v2]
            }
            $0.open(Stage.v1, Stage.token(2))
        }
        #expect(blamed == ["R3"])
    }

    @Test("R6: a confirmation that was durable and not reported resets what a version's starts add up to")
    func unseenConfirmation() {
        var stage = pending()
        for number in UInt64(1)...2 {
            stage.begin(Stage.v2, number)
            stage.emit(.powerCut(survived: 0, of: 1))
            stage.boot(stage.process + 1)
            stage.log(.startUnclear, Stage.v2)
            stage.status { $0.pending = Stage.v2 }
        }
        stage.begin(Stage.v2, 3)
        stage.wait(.seconds(1))
        stage.emit(.called(.first, .startupDidComplete, load: Stage.token(3)))
        stage.end(.system)
        stage.boot(stage.process)
        // No end is reported: it has confirmed.
        stage.status {
            $0.current = Stage.v2
            $0.good = [Stage.v2]
            $0.lastKnownGood = Stage.v2
        }
        stage.begin(Stage.v2, 4)
        stage.emit(.powerCut(survived: 0, of: 1))
        stage.boot(9)
        stage.log(.startUnclear, Stage.v2)
        let stays = broken(stage) {
            $0.status { $0.pending = Stage.v2 }
            $0.begin(Stage.v2, 5)
        }
        #expect(stays == [])
        let parked = broken(stage) {
            $0.status {
                $0.current = Stage.v1
                $0.parked = [Stage.v2]
            }
            $0.open(Stage.v1, Stage.token(5))
        }
        #expect(parked == ["R3"])
    }

    @Test("R3.proven-three: a power cut may take counts back, a kill only the last one")
    func counts() {
        var stage = proven()
        for number in UInt64(6)...7 {
            stage.begin(Stage.v2, number)
            stage.wait(.seconds(2))
            stage.end(.user)
            stage.boot(1)
            stage.status { _ in }
        }
        var killed = stage
        killed.begin(Stage.v2, 8)
        var whole = killed
        whole.wait(.seconds(2))
        for (end, mayStay) in [(whole, false), (killed, true)] {
            var stage = end
            stage.end(.user)
            stage.boot(1)
            stage.status { _ in }
            #expect(broken(stage) { $0.open(Stage.v2, Stage.token(9)) } == (mayStay ? [] : ["R3"]))
            let leaves = broken(stage) {
                $0.log(.setAside, Stage.v2)
                $0.status { $0.current = Stage.v1 }
                $0.open(Stage.v1, Stage.token(9))
            }
            #expect(leaves == [])
        }
        whole.emit(.powerCut(survived: 0, of: 3))
        whole.boot(9)
        whole.status { _ in }
        #expect(broken(whole) { $0.open(Stage.v2, Stage.token(9)) } == [])
    }
}
