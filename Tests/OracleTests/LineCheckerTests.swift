import Backend
import Core
import ScenarioLanguage
import Testing
import Updater

@testable import Oracle

@Suite("U9.new-line and U9.late-answer fire when they are broken, and only then")
struct LineCheckerTests {
    static func change(channel: String? = nil, user: String? = nil) -> TraceEvent.Kind {
        var change = SettingsSpec()
        if let channel { change.channel = Spanned(channel) }
        if let user { change.user = Spanned(user) }
        return .settingsChanged(change)
    }

    /// An app whose first line offered v2, which is pending, and that is on channel beta since ten seconds.
    private static func onBeta() -> Stage {
        var stage = Stage.running(LinesApart())
        stage.answer("v2")
        stage.status { $0.pending = Stage.v2 }
        stage.wait(.seconds(10))
        stage.emit(change(channel: "beta"))
        stage.log(.lineChanged)
        return stage
    }

    @Test("What the line before offered may stay pending while the change is recorded, and no longer")
    func pendingOfOtherLine() {
        var stage = Self.onBeta()
        stage.status { $0.pending = Stage.v2 }
        #expect(stage.broken == [])
        var dropped = stage
        stage.wait(.seconds(6))
        #expect(stage.broken == ["U9"], "no other report is needed")
        dropped.status { $0.pending = nil }
        dropped.wait(.seconds(6))
        dropped.answer("v3")
        dropped.status { $0.downloading = Stage.v3 }
        dropped.status { ($0.downloading, $0.pending) = (nil, Stage.v3) }
        #expect(dropped.broken == [])
    }

    @Test("What was offered before in a line may be taken there again")
    func backInTheFirstLine() {
        var stage = Self.onBeta()
        stage.status { $0.pending = nil }
        stage.wait(.seconds(10))
        stage.emit(Self.change(channel: "stable"))
        stage.log(.lineChanged)
        stage.wait(.seconds(10))
        stage.status { $0.downloading = Stage.v2 }
        #expect(stage.broken == [])
        stage.status { $0.downloading = Stage.v3 }
        #expect(stage.broken == ["U9"])
    }

    @Test("An answer counts for the channel that its request names")
    func lateAnswerOfOtherLine() {
        var stage = Self.onBeta()
        stage.status { $0.pending = nil }
        var asker = AskerTests.right
        asker.channel = "stable"
        stage.emit(Stage.sent(90, .manifest, asker: asker), Stage.head(90, 200, offered: "v3"))
        stage.emit(Stage.ended(90))
        stage.wait(.seconds(10))
        stage.status { $0.downloading = Stage.v3 }
        #expect(stage.broken == ["U9"])
    }

    @Test("A version that the device had in another line only was not left in this one")
    func left() {
        for (version, broken) in [(Stage.v2, ["U9"]), (Stage.v1, [String]()), (Stage.v3, [])] {
            var stage = Self.onBeta()
            stage.status { $0.pending = nil }
            stage.wait(.seconds(10))
            stage.answer("v3")
            stage.status { $0.downloading = Stage.v3 }
            stage.status { $0.downloading = nil }
            stage.log(.leftBefore, version)
            #expect(stage.broken == broken)
        }
    }

    @Test("An answer that a fault replaced may have offered anything")
    func replacedAnswer() {
        var stage = Self.onBeta()
        stage.status { $0.pending = nil }
        stage.answer(nil)
        stage.wait(.seconds(10))
        stage.status { $0.downloading = Stage.v3 }
        #expect(stage.broken == [])
    }

    @Test("It is silent where the record can't be written, and after damage")
    func silent() {
        for trouble in [TraceEvent.Kind.log(LogEntry(.recordNotWritten)), .damaged("record.a")] {
            var stage = Self.onBeta()
            stage.emit(trouble)
            stage.wait(.seconds(10))
            stage.status { $0.pending = Stage.v2 }
            #expect(stage.broken == [])
        }
    }

    /// The settings change during a check, and its answer comes so long after.
    private func answered(_ wait: TimeSpan, after change: TraceEvent.Kind) -> Stage {
        var stage = Stage.running(LateAnswersLose())
        stage.wait(.seconds(10))
        stage.emit(Stage.sent(1, .manifest))
        stage.wait(.seconds(2))
        stage.emit(change)
        stage.wait(wait)
        stage.emit(Stage.head(1, 200, offered: "v2"), Stage.ended(1))
        return stage
    }

    @Test("An answer to a check for another user decides nothing")
    func lateAnswer() {
        var stage = answered(.seconds(2), after: Self.change(user: "ann"))
        var dropped = stage
        stage.log(.downloadStarted, Stage.v2)
        #expect(stage.broken == ["U9"])
        dropped.log(.checkDropped)
        dropped.emit(Stage.sent(2, .manifest), Stage.head(2, 200, offered: "v2"), Stage.ended(2))
        dropped.log(.downloadStarted, Stage.v2)
        #expect(dropped.broken == [])
    }

    @Test("A change right before the answer, or of something that no check says, is no other asker")
    func sameAsker() {
        for (change, wait) in [
            (Self.change(user: "ann"), TimeSpan.milliseconds(40)), (Self.change(), .seconds(2)),
        ] {
            var stage = answered(wait, after: change)
            stage.log(.downloadStarted, Stage.v2)
            #expect(stage.broken == [])
        }
    }
}
