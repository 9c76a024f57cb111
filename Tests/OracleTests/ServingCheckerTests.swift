import Backend
import AppHost
import Core
import Testing
import Updater
import World

@testable import Oracle
@testable import Runner

@Suite("Serving: S1, S2, S4 and T4 fire when they are broken, and only then")
struct ServingCheckerTests {
    @Test("S1 is content when a page gets its own version, an older page its older one")
    func ownVersions() {
        var stage = Stage([OneVersionPerPage()])
        stage.launch()
        stage.open(Stage.v2, Stage.token(1))
        stage.emit(.pageReceived(Stage.request(Stage.token(1), "/app.js"), Stage.answer(of: 1)))
        stage.open(Stage.v3, Stage.token(2))
        stage.emit(.pageReceived(Stage.request(Stage.token(1), "/app.js"), Stage.answer(of: 1)))
        stage.emit(.pageReceived(Stage.request(Stage.token(2), "/app.js"), Stage.answer(of: 1, 2)))
        #expect(stage.broken == [])
    }

    @Test("S1 fires when a page of one version gets another's script")
    func mixed() {
        var stage = Stage([OneVersionPerPage()])
        stage.launch()
        stage.open(Stage.v2, Stage.token(1))
        stage.emit(.pageReceived(Stage.request(Stage.token(1), "/app.js"), Stage.answer(of: 2)))
        #expect(stage.broken == ["S1"])
        #expect(stage.headline == "A page of v2 got /app.js of another version")
    }

    @Test("S1 fires when a document is not of the version that its page load was given")
    func wrongIndex() {
        var stage = Stage([OneVersionPerPage()])
        stage.launch()
        stage.emit(.pageLoad(.first, Stage.token(1), Stage.v2))
        stage.emit(.committed(.first, load: Stage.token(1), VersionMask(index: 0)))
        #expect(stage.broken == ["S1"])
    }

    @Test("S1 fires when one page load is given two versions")
    func givenTwo() {
        var stage = Stage([OneVersionPerPage()])
        stage.launch()
        stage.open(Stage.v2, Stage.token(1))
        stage.open(Stage.v3, Stage.token(1))
        #expect(stage.broken == ["S1"])
    }

    @Test("S1 fires when a version's file is gone while its page needs it, not when the scenario took it")
    func gone() {
        var stage = Stage([OneVersionPerPage()])
        stage.launch()
        stage.open(Stage.v2, Stage.token(1))
        var excused = stage
        excused.emit(.damaged("app.js removed"))
        excused.emit(.pageReceived(Stage.request(Stage.token(1), "/app.js"), Stage.answer(status: 404)))
        #expect(excused.broken == [])
        stage.emit(
            .pageReceived(Stage.request(Stage.token(1), "/nothing", .fetch), Stage.answer(status: 404)))
        #expect(stage.broken == [])
        stage.emit(.pageReceived(Stage.request(Stage.token(1), "/app.js"), Stage.answer(status: 404)))
        #expect(stage.broken == ["S1"])
    }

    @Test("S1: a request that names no load gets what is current, nothing else")
    func unattributed() {
        var stage = Stage([OneVersionPerPage()])
        stage.launch()
        stage.status { $0.current = Stage.v2 }
        stage.emit(.pageReceived(Stage.request(nil, "/app.js"), Stage.answer(of: 1)))
        #expect(stage.broken == [])
        stage.emit(.pageReceived(Stage.request(nil, "/app.js"), Stage.answer(of: 3)))
        #expect(stage.broken == ["S1"])
    }

    @Test("S2 fires on bytes that no version has, and not once the medium is damaged")
    func foreignBytes() {
        var stage = Stage([VerifiedBytes()])
        stage.launch()
        stage.open(Stage.v2, Stage.token(1))
        stage.emit(.pageReceived(Stage.request(Stage.token(1), "/app.js"), Stage.answer(of: 1)))
        #expect(stage.broken == [])
        var excused = stage
        excused.emit(.damaged("flip"))
        excused.emit(.pageReceived(Stage.request(Stage.token(1), "/app.js"), Stage.answer()))
        #expect(excused.broken == [])
        excused.emit(.processEnded(.battery), .launched(foreground: true, bootID: 2))
        excused.open(Stage.v2, Stage.token(2))
        excused.emit(.pageReceived(Stage.request(Stage.token(2), "/app.js"), Stage.answer()))
        #expect(excused.broken == ["S2"], "it was verified after the boot")
        stage.emit(.pageReceived(Stage.request(Stage.token(1), "/app.js"), Stage.answer()))
        #expect(stage.broken == ["S2"])
    }

    @Test("S2 fires when stored content is not what its digest says")
    func tamperedBlob() {
        var stage = Stage([VerifiedBytes()])
        stage.storeChanged { $0 = Stage.both(Stage.image([Stage.v2])) }
        #expect(stage.broken == [])
        stage.storeChanged { $0.live.blobs[0].sha256 = SHA256.hash(of: [1]) }
        #expect(stage.broken == ["S2"])
    }

    @Test("S4 fires when the server listens on another port than the build has")
    func otherPort() {
        var stage = Stage([SameOrigin()])
        stage.launch()
        stage.observed.port = 12_308
        stage.emit(.listening(true))
        #expect(stage.broken == [])
        stage.observed.port = 12_309
        stage.emit(.listening(true))
        #expect(stage.broken == ["S4"])
    }

    @Test("S9 fires when an answer waited for a second step of the update, a long one, or a sync of it")
    func update() {
        let short = step(calls: 16, bytes: 64 << 10)
        var stage = Stage([PageBeforeUpdate()])
        stage.launch()
        stage.emit(.answerDelayed(delay([short])))
        #expect(stage.broken == [])
        for delayed in [
            delay([short, short]), delay([step(calls: 17, bytes: 0)]),
            delay([step(calls: 1, bytes: 64 << 10 | 1)]), delay([], syncs: 1),
        ] {
            var one = stage
            one.emit(.answerDelayed(delayed))
            #expect(one.broken == ["S9"], "\(delayed)")
        }
    }

    @Test("S9: one more step is allowed after each 32 inputs before the answer")
    func crowded() {
        let small = step(calls: 1, bytes: 1)
        for (urgent, isBroken) in [(31, true), (32, false), (63, false)] {
            var stage = Stage([PageBeforeUpdate()])
            stage.emit(.answerDelayed(delay([small, small], urgent: urgent)))
            #expect(stage.broken == (isBroken ? ["S9"] : []), "\(urgent)")
        }
        var stage = Stage([PageBeforeUpdate()])
        stage.emit(.answerDelayed(delay([small, small, small], urgent: 63)))
        #expect(stage.broken == ["S9"])
    }

    private func delay(_ steps: [StepCounts], syncs: Int = 0, urgent: Int = 0) -> AnswerDelay {
        var delay = AnswerDelay()
        for _ in 0..<urgent { delay.countUrgent() }
        for step in steps { delay.count(step: step) }
        for _ in 0..<syncs { delay.countSync() }
        return delay
    }

    private func step(calls: Int, bytes: Int) -> StepCounts {
        var counts = StepCounts()
        for _ in 0..<calls { counts.count(.write) }
        counts.count(read: bytes / 2)
        counts.count(written: bytes - bytes / 2)
        return counts
    }

    @Test("T4 fires when time passes with neither cover nor content")
    func white() {
        var stage = Stage([NoWhiteTime()])
        stage.launch()
        stage.wait(.seconds(1))
        #expect(stage.broken == [])
        var late = stage
        late.emit(.whiteBegan, .whiteEnded(.zero))
        #expect(late.broken == ["T4"], "the cover came after the old document had gone")
        var ended = stage
        ended.emit(.whiteBegan, .whiteEnded(.milliseconds(3)))
        #expect(ended.broken == ["T4"])
        stage.emit(.whiteBegan)
        stage.wait(.milliseconds(3))
        #expect(stage.broken == ["T4"])
    }

    @Test("T4: a process that is stopped learns of nothing, also where it ends without having resumed")
    func stopped() {
        var stage = Stage([NoWhiteTime()])
        stage.launch()
        stage.emit(.suspended, .webProcessDied(.first), .whiteBegan)
        stage.wait(.seconds(1))
        stage.end(.user)
        stage.emit(.whiteEnded(.seconds(1)))
        #expect(stage.broken == [])
        stage.launch()
        stage.emit(.whiteBegan)
        stage.wait(.milliseconds(3))
        #expect(stage.broken == ["T4"], "the next process is not stopped")
    }

    @Test("T4: the app has one frame to cover a view whose web process died", arguments: [16, 17])
    func dead(milliseconds: Int64) {
        for isOver in [true, false] {
            var stage = Stage([NoWhiteTime()])
            stage.launch()
            stage.emit(.webProcessDied(.first), .whiteBegan)
            stage.wait(.milliseconds(milliseconds))
            if isOver { stage.emit(.whiteEnded(.milliseconds(milliseconds))) }
            #expect(stage.broken == (milliseconds > 16 ? ["T4"] : []))
        }
        var stage = Stage([NoWhiteTime()])
        stage.launch()
        stage.emit(.webProcessDied(.first))
        stage.wait(.milliseconds(1))
        stage.emit(.whiteBegan, .whiteEnded(.zero))
        #expect(stage.broken == ["T4"], "that is of another document")
    }
}
