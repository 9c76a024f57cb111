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

@Suite("U6.forced-launch: a launch that does not wait for a forced version, seen to be noticed")
struct ForcedLaunchTests {
    /// The record names v2 as forced; its content is on the medium or not.
    static func stored(isWhole: Bool, _ change: (inout RecordImage) -> Void = { _ in }) -> StoreView {
        var image = Stage.image(isWhole ? [Stage.v1, Stage.v2] : [Stage.v1])
        var record = Stage.record(isWhole ? [Stage.v1, Stage.v2] : [Stage.v1])
        record.forced = Stage.v2
        change(&record)
        image.slotA = .valid(record)
        return Stage.both(image)
    }

    private func stage(_ view: StoreView) -> Stage {
        var stage = Stage([ForcedLaunchWaits()])
        stage.storeChanged { $0 = view }
        stage.launch()
        stage.status { $0.current = Stage.v1 }
        return stage
    }

    @Test("Another version is shown at once, while the forced one is missing or damaged")
    func fires() {
        var missing = stage(Self.stored(isWhole: false))
        missing.open(Stage.v1, Stage.token(1))
        #expect(missing.broken == ["U6"])
        let blob = Stage.blob(Stage.v2, "/app.js").name
        var damaged = stage(Self.stored(isWhole: true) { $0.damaged = [blob] })
        damaged.open(Stage.v1, Stage.token(1))
        #expect(damaged.broken == ["U6"])
    }

    @Test("Not where it is whole, or may not run; after ten seconds, after a check, on a metered network")
    func silent() {
        var whole = stage(Self.stored(isWhole: true))
        whole.open(Stage.v1, Stage.token(1))
        var late = stage(Self.stored(isWhole: false))
        late.wait(.seconds(10))
        late.open(Stage.v1, Stage.token(1))
        var checked = stage(Self.stored(isWhole: false))
        checked.emit(Stage.sent(1, .manifest), Stage.head(1, 200, offered: "v3"), Stage.ended(1))
        checked.open(Stage.v1, Stage.token(1))
        var metered = stage(Self.stored(isWhole: false))
        metered.emit(.networkChanged(.metered))
        metered.open(Stage.v1, Stage.token(1))
        var parked = stage(Self.stored(isWhole: false) { $0.parked = Stage.v2 })
        parked.open(Stage.v1, Stage.token(1))
        #expect([whole, late, checked, metered, parked].flatMap(\.broken) == [])
    }
}
