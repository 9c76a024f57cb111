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
        var app = Stage.app
        app.dialect = dialect
        var stage = Stage([ForwardOnly()], app: app)
        stage.launch()
        stage.status { $0.current = Stage.v1 }
        return stage
    }

    private func answer(_ stage: inout Stage, _ id: String, serial: Int? = nil) {
        stage.wait(.seconds(2))
        let transfer = UInt32(truncatingIfNeeded: stage.now.microseconds / 1_000_000)
        stage.emit(
            Stage.sent(transfer, .manifest), Stage.head(transfer, 200, offered: id, serial: serial),
            Stage.ended(transfer))
        stage.wait(.seconds(2))
    }

    private func becomePending(_ stage: inout Stage, _ key: VersionKey) {
        stage.log(.becamePending, key)
        stage.status { $0.pending = key }
    }

    @Test("An older publication than the one that was taken")
    func older() {
        var stage = stage()
        answer(&stage, "v3", serial: 3)
        becomePending(&stage, Stage.v3)
        var back = stage
        answer(&back, "v2", serial: 4)
        becomePending(&back, Stage.v2)
        #expect(back.broken == [])
        answer(&stage, "v2", serial: 2)
        becomePending(&stage, Stage.v2)
        #expect(stage.broken == ["U8"])
    }

    @Test("Older than one that named what runs, also in a later process")
    func olderThanRunning() {
        var stage = stage()
        answer(&stage, "v1", serial: 5)
        stage.launch()
        stage.status { $0.current = Stage.v1 }
        answer(&stage, "v2", serial: 4)
        becomePending(&stage, Stage.v2)
        #expect(stage.broken == ["U8"])
    }

    @Test("What was announced and never came was not taken")
    func neverCame() {
        var stage = stage()
        answer(&stage, "v3", serial: 9)
        answer(&stage, "v2", serial: 2)
        becomePending(&stage, Stage.v2)
        #expect(stage.broken == [])
    }

    @Test("A newer publication that names what runs ends what is pending")
    func named() {
        var stage = stage()
        answer(&stage, "v2", serial: 2)
        becomePending(&stage, Stage.v2)
        answer(&stage, "v1", serial: 3)
        var right = stage
        right.status { $0.pending = nil }
        right.wait(.seconds(10))
        #expect(right.broken == [])
        stage.wait(.seconds(10))
        #expect(stage.broken == ["U8"])
    }

    @Test("Without numbers: what was left comes back only after a minute of answers that offer it alone")
    func withoutNumbers() {
        var stage = stage(.meteor)
        answer(&stage, "v2")
        becomePending(&stage, Stage.v2)
        stage.status {
            $0.pending = nil
            $0.current = Stage.v2
        }
        #expect(stage.broken == [])
        answer(&stage, "v1")
        var hasty = stage
        becomePending(&hasty, Stage.v1)
        #expect(hasty.broken == ["U8"])
        stage.wait(.seconds(60))
        var between = stage
        answer(&between, "v2")
        answer(&between, "v1")
        becomePending(&between, Stage.v1)
        #expect(between.broken == ["U8"])
        answer(&stage, "v1")
        becomePending(&stage, Stage.v1)
        #expect(stage.broken == [])
    }
}
