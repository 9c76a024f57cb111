import AppHost
import Core
import ScenarioLanguage
import Testing
import Updater
import World

@testable import Oracle
@testable import Runner

@Suite("U8 fires when an older publication is accepted, and only then")
struct ForwardOnlyCheckerTests {
    private func stage(_ dialect: ManifestDialect = .own) -> Stage {
        Stage.running(ForwardOnly()) { $0.dialect = dialect }
    }

    @Test("An older publication than the one that was taken")
    func older() {
        var stage = stage()
        stage.answer("v3", serial: 3)
        stage.becomePending(Stage.v3)
        var back = stage
        back.answer("v2", serial: 4)
        back.becomePending(Stage.v2)
        #expect(back.broken == [])
        stage.answer("v2", serial: 2)
        stage.becomePending(Stage.v2)
        #expect(stage.broken == ["U8"])
    }

    @Test("Without numbers, another answer counts from the second on after which the version is recorded")
    func otherOfferWhileRecorded() {
        for (wait, broken) in [(TimeSpan.milliseconds(100), [String]()), (.seconds(2), ["U8"])] {
            var stage = stage(.meteor)
            stage.status { $0.pending = Stage.v2 }
            stage.status { $0.pending = nil }
            stage.answer("v2")
            stage.wait(.seconds(60))
            stage.answer("v2")
            stage.emit(Stage.sent(99, .manifest), Stage.head(99, 200, offered: "v3"), Stage.ended(99))
            stage.wait(wait)
            stage.becomePending(Stage.v2)
            #expect(stage.broken == broken)
        }
    }

    @Test("Older than one that named what runs, also in a later process")
    func olderThanRunning() {
        var stage = stage()
        stage.answer("v1", serial: 5)
        stage.launch()
        stage.status { $0.current = Stage.v1 }
        stage.answer("v2", serial: 4)
        stage.becomePending(Stage.v2)
        #expect(stage.broken == ["U8"])
    }

    @Test("What was announced and never came was not taken")
    func neverCame() {
        var stage = stage()
        stage.answer("v3", serial: 9)
        stage.answer("v2", serial: 2)
        stage.becomePending(Stage.v2)
        #expect(stage.broken == [])
    }

    @Test("A newer publication that names what runs ends what is pending")
    func named() {
        var stage = stage()
        stage.answer("v2", serial: 2)
        stage.becomePending(Stage.v2)
        stage.answer("v1", serial: 3)
        var refused = stage
        refused.log(.otherChannel, Stage.v1)
        refused.wait(.seconds(10))
        #expect(refused.broken == [])
        var right = stage
        right.status { $0.pending = nil }
        right.wait(.seconds(10))
        #expect(right.broken == [])
        stage.wait(.seconds(10))
        #expect(stage.broken == ["U8"])
    }

    @Test("A publication for another native build is refused: it ends nothing, and no other is older than it")
    func otherBuild() {
        var versions = Stage.versions
        versions[0].native = "B"
        var stage = Stage([ForwardOnly()], versions: versions)
        stage.launch()
        stage.status { $0.current = Stage.v1 }
        stage.answer("v2", serial: 2)
        stage.becomePending(Stage.v2)
        stage.answer("v1", serial: 5)
        stage.wait(.seconds(10))
        #expect(stage.broken == [])
        stage.answer("v3", serial: 4)
        stage.becomePending(Stage.v3)
        #expect(stage.broken == [])
    }

    @Test("Without numbers: what was left comes back only after a minute of answers that offer it alone")
    func withoutNumbers() {
        var stage = stage(.meteor)
        stage.answer("v2")
        stage.becomePending(Stage.v2)
        stage.status {
            $0.pending = nil
            $0.current = Stage.v2
        }
        #expect(stage.broken == [])
        stage.answer("v1")
        var hasty = stage
        hasty.becomePending(Stage.v1)
        #expect(hasty.broken == ["U8"])
        stage.wait(.seconds(60))
        var between = stage
        between.answer("v2")
        between.answer("v1")
        between.becomePending(Stage.v1)
        #expect(between.broken == ["U8"])
        stage.answer("v1")
        stage.becomePending(Stage.v1)
        #expect(stage.broken == [])
    }
}
