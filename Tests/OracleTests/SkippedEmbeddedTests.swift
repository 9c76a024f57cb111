import Backend
import Core
import Testing
import Updater

@testable import Oracle

@Suite("R13.other-version: the embedded version that ended twice is skipped where another one can be started")
struct SkippedEmbeddedTests {
    /// v2 is good, and the device has gone back to the embedded v1, which ended this many times in front.
    private func ended(_ times: UInt64) -> Stage {
        var stage = Stage.deciding()
        stage.relaunch { $0.pending = Stage.v2 }
        stage.begin(Stage.v2, 2)
        stage.confirm(Stage.v2, Stage.token(2))
        stage.check("v1")
        stage.becomePending(Stage.v1)
        stage.relaunch { $0.pending = Stage.v1 }
        for number in 0..<times {
            stage.status {
                $0.current = Stage.v1
                $0.pending = nil
                $0.lastKnownGood = Stage.v2
                $0.good = [Stage.v2]
            }
            stage.open(Stage.v1, Stage.token(3 + number))
            stage.wait(.seconds(2))
            stage.emit(.processEnded(.crash))
            stage.boot()
        }
        stage.status { $0.current = Stage.v1 }
        return stage
    }

    private func skips(_ stage: Stage) -> [String] {
        var stage = stage
        stage.log(.setAside, Stage.v1)
        stage.status {
            $0.current = Stage.v2
            $0.pending = Stage.v1
        }
        stage.open(Stage.v2, Stage.token(9))
        return stage.broken
    }

    private func starts(_ stage: Stage) -> [String] {
        var stage = stage
        stage.open(Stage.v1, Stage.token(9))
        return stage.broken
    }

    @Test("After two ends it must be skipped, after one it must not")
    func twoEnds() {
        #expect(skips(ended(2)) == [])
        #expect(starts(ended(2)) == ["R13"])
        #expect(starts(ended(1)) == [])
        #expect(skips(ended(1)) == ["R13"])
    }

    @Test("A confirmation, or a check that ends, begins the count anew")
    func anew() {
        for change in [
            { (stage: inout Stage) in stage.check("v1") },
            { $0.confirm(Stage.v1, Stage.token(8)) },
        ] {
            var stage = ended(1)
            stage.open(Stage.v1, Stage.token(8))
            stage.wait(.seconds(2))
            change(&stage)
            stage.emit(.processEnded(.crash))
            stage.boot()
            stage.status { $0.current = Stage.v1 }
            #expect(starts(stage) == [])
        }
    }

    @Test("Without another version that could be started it is started, or the launch checks first")
    func onlyVersion() {
        var stage = ended(2)
        stage.status {
            $0.lastKnownGood = Stage.v1
            $0.good = []
            $0.blacklist = [Stage.v2]
        }
        stage.log(.waitsForFix, Stage.v1)
        #expect(stage.broken == [])
    }
}
