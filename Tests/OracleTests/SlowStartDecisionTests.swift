import Core
import Testing
import Updater

@testable import Oracle

@Suite("The reference model gives a version the time that it has taken before (R3.clock-slow)")
struct SlowStartDecisionTests {
    /// v2 has confirmed after so many seconds in front, and its next start has been in front for others.
    private func startedAgain(afterStartOf first: Int64, inFront second: Int64) -> Stage {
        var stage = Stage([Decisions()])
        stage.boot()
        stage.status {
            $0.current = Stage.v1
            $0.lastKnownGood = Stage.v1
        }
        stage.check("v2")
        stage.becomePending(Stage.v2)
        stage.wait(.minutes(2))
        stage.relaunch { $0.pending = Stage.v2 }
        stage.begin(Stage.v2, 2)
        stage.wait(.seconds(first))
        stage.confirm(Stage.v2, Stage.token(2))
        stage.relaunch {
            ($0.current, $0.pending, $0.lastKnownGood) = (Stage.v2, nil, Stage.v2)
        }
        stage.begin(Stage.v2, 3)
        stage.wait(.seconds(second))
        return stage
    }

    private func broken(afterStartOf first: Int64, inFront second: Int64) -> [String] {
        var stage = startedAgain(afterStartOf: first, inFront: second)
        stage.log(.startUnclearByClock, Stage.v2)
        return stage.broken
    }

    @Test("Twice the longest time, at most two minutes, and never less than the usual clock")
    func twice() {
        #expect(broken(afterStartOf: 15, inFront: 25) == ["R3"])
        #expect(broken(afterStartOf: 15, inFront: 31) == [])
        #expect(broken(afterStartOf: 5, inFront: 21) == [])
        #expect(broken(afterStartOf: 80, inFront: 110) == ["R3"])
        #expect(broken(afterStartOf: 80, inFront: 121) == [])
    }
}
