import Backend
import Core
import Testing
import Updater

@testable import Oracle

@Suite("Decisions after a delay, a push, a recall and a wrong date")
struct DelayedDecisionTests {
    /// The origin has asked for ten minutes, and a process begins after this time.
    private func launchedAfter(_ span: TimeSpan, boot: Int = 1, profile: DeviceProfile = .plain) -> Stage {
        var stage = Stage([Decisions()], profile: profile)
        stage.launch()
        stage.emit(Stage.sent(1, .manifest), Stage.head(1, 503, retryAfter: .minutes(10)), Stage.ended(1))
        stage.emit(.processEnded(.user))
        stage.wait(span)
        stage.emit(.launched(foreground: true, bootID: boot))
        stage.wait(.minutes(3))
        return stage
    }

    @Test("U5.check-at-launch: a delay that the origin requested goes on without the app, in the same boot")
    func delay() {
        #expect(launchedAfter(.minutes(9)).broken == [])
        #expect(launchedAfter(.minutes(13)).broken == ["U5"])
        #expect(launchedAfter(.minutes(13), boot: 2).broken == [])
        var unknown = DeviceProfile.plain
        unknown.providesBootID = false
        #expect(launchedAfter(.minutes(13), profile: unknown).broken == [])
    }

    /// v2 failed, and v1 is shown instead of what the chain has.
    @Test("R9: the embedded version stays in the chain although the origin has recalled it")
    func recalledEmbedded() {
        for (isEmbedded, rules) in [(true, []), (false, ["R9"])] as [(Bool, [String])] {
            var stage = Stage.deciding()
            stage.relaunch { $0.pending = Stage.v2 }
            stage.begin(Stage.v2, 2)
            stage.emit(.recalled(["v1"]))
            stage.emit(.called(.first, .startupDidFail, load: Stage.token(2)))
            stage.log(.startFailedByPage, Stage.v2)
            stage.log(.rescued, isEmbedded ? Stage.v1 : Stage.v3)
            stage.open(isEmbedded ? Stage.v1 : Stage.v3, Stage.token(3))
            #expect(stage.broken == rules)
        }
    }

    @Test("U6.not-navigation: a push that arrives in front as the app leaves it may switch")
    func pushAsTheAppLeaves() {
        for (delay, rules) in [(50, []), (500, ["U6"])] as [(Int64, [String])] {
            var stage = Stage.deciding()
            stage.emit(.pushed)
            stage.wait(.milliseconds(delay))
            stage.emit(.backgrounded)
            stage.log(.switched, Stage.v2, "moment=push")
            stage.open(Stage.v2, Stage.token(2))
            #expect(stage.broken == rules)
        }
    }
}
