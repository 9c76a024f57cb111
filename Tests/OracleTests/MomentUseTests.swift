import Backend
import Core
import Testing
import Updater

@testable import Oracle

@Suite("U6: a moment in background that is not used is found")
struct MomentUseTests {
    /// An app in front with v2 pending, which the origin forces.
    private static func forced() -> Stage {
        var stage = Stage.running(MomentsUsed())
        stage.open(Stage.v1, Stage.token(1))
        stage.emit(.deployed(version: "v2", edges: [0], .all, .force, serial: 2))
        stage.log(.forced, Stage.v2)
        stage.status { ($0.current, $0.pending) = (Stage.v1, Stage.v2) }
        return stage
    }

    @Test("A forced version is switched to in background")
    func forcedInBackground() {
        var stage = Self.forced()
        stage.wait(.minutes(2))
        #expect(stage.broken == [], "in front it waits")
        stage.emit(.backgrounded)
        stage.wait(.seconds(29))
        #expect(stage.broken == [])
        stage.wait(.seconds(2))
        #expect(stage.broken == ["U6"])
    }

    @Test("What was switched to, was dropped, or waits for a process start needs no moment")
    func used() {
        let changes: [(inout Stage) -> Void] = [
            { $0.log(.switched, Stage.v2, "moment=forced") },
            { $0.status { $0.pending = nil } },
            { $0.status { $0.pendingWaits = true } },
            { $0.emit(.suspended) },
            { $0.log(.diskFailed) },
            { $0.emit(.called(.first, .holdOff, load: Stage.token(1))) },
        ]
        for (index, change) in changes.enumerated() {
            var stage = Self.forced()
            stage.emit(.backgrounded)
            change(&stage)
            stage.wait(.minutes(2))
            #expect(stage.broken == [], "change \(index)")
        }
    }

    @Test("A page that holds off gives the moment back when it releases")
    func released() {
        var stage = Self.forced()
        stage.emit(.called(.first, .holdOff, load: Stage.token(1)))
        stage.emit(.backgrounded)
        stage.wait(.minutes(1))
        #expect(stage.broken == [])
        stage.emit(.called(.first, .release, load: Stage.token(1)))
        stage.wait(.minutes(1))
        #expect(stage.broken == ["U6"])
    }

    @Test("A push in background is used for what its check finds")
    func pushed() {
        for isPushed in [true, false] {
            var stage = Stage.running(MomentsUsed())
            stage.open(Stage.v1, Stage.token(1))
            stage.emit(.backgrounded)
            if isPushed { stage.emit(.pushed) }
            stage.status { ($0.current, $0.pending) = (Stage.v1, Stage.v2) }
            stage.log(.alreadyPending, Stage.v2)
            stage.wait(.minutes(1))
            #expect(stage.broken == (isPushed ? ["U6"] : []))
        }
    }

    @Test("Another publication ends the order")
    func orderEnds() {
        var stage = Self.forced()
        stage.emit(.deployed(version: "v2", edges: [0], .all, .update, serial: 3))
        stage.emit(.backgrounded)
        stage.wait(.minutes(1))
        #expect(stage.broken == [])
    }
}
