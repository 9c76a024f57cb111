import Backend
import Core
import Testing
import Updater

@testable import Oracle

@Suite("Damaged versions: they stay out, and one check repairs them")
struct DamageCheckerTests {
    /// v2 ran, is whole on the medium or not, and the log calls it damaged.
    private func damaged(isWhole: Bool) -> Stage {
        var stage = Stage.running(DamagedStaysOut())
        var image = Stage.image([Stage.v1, Stage.v2])
        if !isWhole { image.blobs.removeAll { $0.name == Stage.blob(Stage.v2, "/app.js").name } }
        stage.storeChanged { $0 = Stage.both(image) }
        stage.log(.contentDamaged, Stage.v2)
        return stage
    }

    @Test(
        "R9.left-out fires when a version is shown that the log has called damaged, before it is whole again")
    func shown() {
        var stage = damaged(isWhole: false)
        stage.open(Stage.v1, Stage.token(1))
        #expect(stage.broken == [])
        stage.open(Stage.v2, Stage.token(2))
        #expect(stage.broken == ["R9"])
        var whole = damaged(isWhole: true)
        whole.open(Stage.v2, Stage.token(2))
        #expect(whole.broken == [])
        var again = damaged(isWhole: false)
        again.becomePending(Stage.v2)
        again.open(Stage.v2, Stage.token(2))
        #expect(again.broken == [], "U1 judges what becomes pending")
    }

    @Test("R9.left-out: a document in front leads to its own version")
    func inFront() {
        var stage = Stage.running(DamagedStaysOut())
        stage.open(Stage.v2, Stage.token(1))
        stage.log(.contentDamaged, Stage.v2)
        stage.open(Stage.v2, Stage.token(2))
        #expect(stage.broken == [])
    }

    @Test(
        "U1 fires when a version is pending with content of another length that was damaged before its download"
    )
    func length() {
        for (isBefore, rules) in [(true, ["U1"]), (false, [])] {
            var stage = Stage.running(VerifiedBeforePending())
            let blob = Stage.blob(Stage.v2, "/app.js")
            var view = Stage.both(Stage.image([Stage.v1, Stage.v2]))
            view.resized = [blob.name]
            stage.storeChanged { $0 = view }
            if isBefore { stage.emit(.damaged("blobs")) }
            stage.log(.downloadStarted, Stage.v2)
            if !isBefore { stage.emit(.damaged("blobs")) }
            stage.status { $0.pending = Stage.v2 }
            #expect(stage.broken == rules)
        }
    }

    @Test("ST-I3 fires when a version is reported as current while the medium has it as pending")
    func reportedEarly() {
        var image = Stage.image([Stage.v1, Stage.v2])
        for isCurrent in [true, false] {
            var record = Stage.record([Stage.v1, Stage.v2])
            if isCurrent { record.current = Stage.v2 } else { record.pending = Stage.v2 }
            image.slotA = .valid(record)
            var stage = Stage.running(ReportedIsDurable())
            stage.storeChanged { $0 = Stage.both(image) }
            stage.status { $0.current = Stage.v2 }
            #expect(stage.broken == (isCurrent ? [] : ["ST-I3"]))
        }
    }

    private func ownDamaged() -> Stage {
        var stage = Stage.running(RepairedByOneCheck())
        stage.status { $0.current = Stage.v2 }
        stage.log(.contentDamaged, Stage.v2)
        stage.status { $0.current = Stage.v1 }
        return stage
    }

    @Test("U8.repair fires when the repair of a damaged version waits for a second check")
    func repair() {
        var stage = ownDamaged()
        stage.log(.startConfirmed, Stage.v1)
        stage.log(.leftBefore, Stage.v2)
        #expect(stage.broken == ["U8"])
        var once = ownDamaged()
        once.log(.downloadStarted, Stage.v2)
        once.log(.leftBefore, Stage.v2)
        #expect(once.broken == [])
    }

    @Test(
        "U8.repair is silent where the version may have been left",
        arguments: [LogCause.startFailedByPage, .blacklistEntry, .recalled, .recordLost])
    func left(_ cause: LogCause) {
        var stage = ownDamaged()
        stage.log(cause, Stage.v2)
        stage.log(.leftBefore, Stage.v2)
        #expect(stage.broken == [])
        var offered = ownDamaged()
        offered.emit(Stage.sent(1, .manifest), Stage.head(1, 200, offered: "v3"))
        offered.log(.leftBefore, Stage.v2)
        #expect(offered.broken == [])
    }
}
