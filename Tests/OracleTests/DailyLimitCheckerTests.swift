import AppHost
import Backend
import Core
import ScenarioLanguage
import Testing
import Updater

@testable import Oracle

@Suite("U5 fires when a cycle goes on over the deaths of processes, and only then")
struct DailyLimitCheckerTests {
    private func stage() -> Stage {
        var stage = Stage([DailyLimits()])
        stage.launch()
        stage.open(Stage.v1, Stage.token(1))
        return stage
    }

    /// A process that starts v2 and is rescued to v1.
    private func rescue(_ stage: inout Stage, _ number: UInt64) {
        stage.wait(.minutes(1))
        stage.launch()
        stage.open(Stage.v2, Stage.token(number * 2))
        stage.log(.rescued, Stage.v2)
        stage.open(Stage.v1, Stage.token(number * 2 + 1))
        stage.end(.user)
    }

    @Test("Five rescues from a version in a day are what R3 allows, over processes; a sixth is a cycle")
    func rescues() {
        var stage = stage()
        for number in 1...5 as ClosedRange<UInt64> { rescue(&stage, number) }
        #expect(stage.broken == [])
        var later = stage
        var confirmed = stage
        rescue(&stage, 6)
        #expect(stage.broken == ["U5"])
        #expect(stage.headline == "The user is rescued from v2 again and again")
        later.wait(.hours(24))
        rescue(&later, 6)
        #expect(later.broken == [], "a day later")
        confirmed.log(.startConfirmed, Stage.v2)
        rescue(&confirmed, 6)
        #expect(confirmed.broken == [], "after a confirmation")
    }

    /// A process that shows another version than the one before, without a word why.
    private func flap(_ stage: inout Stage, _ number: UInt64) {
        stage.wait(.minutes(1))
        stage.launch()
        stage.open(number.isMultiple(of: 2) ? Stage.v1 : Stage.v2, Stage.token(number))
        stage.end(.user)
    }

    @Test("A device that goes to and fro between two versions without a reason is in a cycle")
    func changes() {
        var stage = stage()
        for number in 3...8 as ClosedRange<UInt64> { flap(&stage, number) }
        #expect(stage.broken == [])
        var deployed = stage
        flap(&stage, 9)
        #expect(stage.headline == "The device comes back to v2 again and again")
        deployed.emit(.deployed(version: "v2", edges: [0], .all, .update, serial: 3))
        flap(&deployed, 9)
        #expect(deployed.broken == [], "there is a reason")
    }

    @Test("What the page or the user requests is no cycle of the app")
    func requested() {
        var stage = stage()
        for number in 3...20 as ClosedRange<UInt64> {
            stage.emit(
                number.isMultiple(of: 2)
                    ? .userDid(.presses(.tryAgain)) : .navigation(.first, .reload, name: nil))
            stage.open(number.isMultiple(of: 2) ? Stage.v1 : Stage.v2, Stage.token(number))
        }
        #expect(stage.broken == [])
    }

    private func download(_ stage: inout Stage, _ number: UInt32, of content: Int = 1) {
        stage.wait(.minutes(1))
        stage.launch()
        stage.emit(
            Stage.sent(number, .file("/app.js"), version: Stage.v2), Stage.head(number, 200),
            .transferEnded(TransferID(number), bytes: 100, contentOf: VersionMask(index: content)))
        stage.end(.user)
    }

    @Test("The right content of a file is not downloaded at each launch")
    func downloads() {
        var stage = stage()
        for number in 1...8 as ClosedRange<UInt32> { download(&stage, number) }
        #expect(stage.broken == [])
        var wrong = stage
        var asked = stage
        download(&stage, 9)
        #expect(stage.headline == "/app.js of v2 is downloaded again and again")
        for number in 9...30 as ClosedRange<UInt32> { download(&wrong, number, of: 0) }
        #expect(wrong.broken == [], "wrong bytes are fetched again")
        asked.emit(.checkRequested)
        download(&asked, 9)
        #expect(asked.broken == [])
    }

    @Test("A page whose process dies is loaded again four times in ten minutes at most")
    func webProcess() {
        var stage = stage()
        func die(_ number: UInt64) {
            stage.emit(.webProcessDied(.first))
            stage.open(Stage.v1, Stage.token(number))
        }
        for number in 2...5 as ClosedRange<UInt64> { die(number) }
        #expect(stage.broken == [])
        let before = stage
        die(6)
        #expect(stage.headline == "A page whose process dies is loaded again and again")
        stage = before
        stage.wait(.minutes(10))
        die(6)
        #expect(stage.broken == [])
    }
}
