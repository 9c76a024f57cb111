import AppHost
import Backend
import Core
import Testing
import Updater

@testable import Oracle

@Suite("The checker of the screen in place of a cover, seen to fire")
struct RecoveryScreenCheckerTests {
    /// A page has had no content for the startup timeout.
    private var stage: Stage {
        var stage = Stage([RecoveryScreenEnds()])
        stage.launch()
        stage.log(.noContentShown, Stage.v2)
        stage.emit(.screen(.recovery))
        return stage
    }

    @Test("R13.cover: the page shows its first content, and the screen stays")
    func stays() {
        var stage = stage
        stage.emit(.contentShown(.first))
        stage.wait(.seconds(1))
        #expect(stage.broken == [])
        stage.wait(.seconds(1))
        #expect(stage.broken == ["R13"])
        #expect(stage.headline == "The recovery screen stayed over a page with content")
    }

    @Test("R13.cover: content that came while the app stood still counts from its resume")
    func resumed() {
        var stage = stage
        stage.emit(.suspended, .contentShown(.first))
        stage.wait(.seconds(60))
        stage.emit(.resumed)
        #expect(stage.broken == [])
        stage.wait(.seconds(2))
        #expect(stage.broken == ["R13"])
    }

    @Test("It goes; it is shown for another reason; another reason comes; the app is stopped")
    func silent() {
        var gone = stage
        gone.emit(.contentShown(.first), .screen(.page))
        var other = Stage([RecoveryScreenEnds()])
        other.launch()
        other.emit(.screen(.recovery))
        other.log(.noContentShown, Stage.v2)
        other.emit(.contentShown(.first))
        var failed = stage
        failed.log(.startFailedByCrash, Stage.v2)
        failed.emit(.contentShown(.first))
        var stopped = stage
        stopped.emit(.contentShown(.first), .suspended)
        for silent in [gone, other, failed, stopped] {
            var silent = silent
            silent.wait(.seconds(60))
            #expect(silent.broken == [])
        }
    }
}
