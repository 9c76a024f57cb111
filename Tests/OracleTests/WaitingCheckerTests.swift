import AppHost
import Backend
import Core
import Testing
import Updater

@testable import Oracle
@testable import Runner

@Suite("Waiting: U5, U7 and N5 fire when something that must end by itself does not, and only then")
struct WaitingCheckerTests {
    private func stage(_ checker: any Checker) -> Stage {
        var stage = Stage([checker])
        stage.launch()
        return stage
    }

    private let failed = TraceEvent.Kind.transferFailed(TransferID(1), .refused, bytes: 0)

    // MARK: - Transfers

    @Test("U5.idle fires for a transfer that is open for longer than its bytes need at 1 KiB/s")
    func openForEver() {
        var stage = stage(TransfersEnd())
        stage.emit(Stage.sent(1, .file("/app.js"), version: Stage.v2))
        stage.wait(.minutes(12))
        #expect(stage.broken == [])
        stage.wait(.minutes(1))
        #expect(stage.broken == ["U5"])
    }

    @Test(
        "U5.idle is content with a transfer that ends, and does not count the time of a stopped process",
        arguments: [
            [Stage.ended(1)], [.transferFailed(TransferID(1), .refused, bytes: 0)],
            [.transferCancelled(TransferID(1), bytes: 0)], [.suspended], [.processEnded(.user)],
        ] as [[TraceEvent.Kind]])
    func ends(_ events: [TraceEvent.Kind]) {
        var stage = stage(TransfersEnd())
        stage.emit(Stage.sent(1, .manifest))
        stage.wait(.minutes(5))
        for event in events { stage.emit(event) }
        stage.wait(.hours(1))
        #expect(stage.broken == [])
    }

    @Test("U5.idle does not count time in which the disk is slow")
    func slowDisk() {
        var stage = stage(TransfersEnd())
        stage.emit(.faultBegan("slow", diskDelay: .seconds(1)), Stage.sent(1, .manifest))
        stage.wait(.hours(1))
        #expect(stage.broken == [])
    }

    // MARK: - Failed checks

    @Test("U5.back-off fires when nothing follows a failed check for longer than the schedule allows")
    func notRepeated() {
        var stage = stage(FailedChecksRepeated())
        stage.emit(Stage.sent(1, .manifest), failed)
        stage.wait(.seconds(3))
        #expect(stage.broken == [])
        stage.wait(.seconds(1))
        #expect(stage.broken == ["U5"])
    }

    @Test("U5.back-off: the eighth failure in a row allows 15 minutes, and a success ends the row")
    func row() {
        var stage = stage(FailedChecksRepeated())
        for number in UInt32(1)...8 {
            if number > 1 { stage.wait(.seconds(min(60, 1 << Int64(number - 2)))) }
            stage.emit(
                Stage.sent(number, .manifest), .transferFailed(TransferID(number), .refused, bytes: 0))
        }
        stage.wait(.minutes(15))
        #expect(stage.broken == [])
        var late = stage
        late.wait(.seconds(3))
        #expect(late.broken == ["U5"])
        stage.emit(Stage.sent(9, .manifest), Stage.head(9, 200, offered: "v1"), Stage.ended(9))
        stage.log(.upToDate)
        stage.wait(.hours(1))
        stage.emit(Stage.sent(10, .manifest), .transferFailed(TransferID(10), .refused, bytes: 0))
        stage.wait(.minutes(1))
        #expect(stage.broken == ["U5"])
    }

    @Test(
        "U5.back-off counts neither background, nor a time without network, nor a requested delay",
        arguments: [.backgrounded, .suspended, .networkChanged(.offline)] as [TraceEvent.Kind])
    func notCounted(_ event: TraceEvent.Kind) {
        var stage = stage(FailedChecksRepeated())
        stage.emit(Stage.sent(1, .manifest), failed, event)
        stage.wait(.hours(1))
        #expect(stage.broken == [])
        stage.observed.retryAfterLeft = .hours(3)
        stage.emit(.resumed, .foregrounded, .networkChanged(.online))
        stage.wait(.hours(1))
        #expect(stage.broken == [])
    }

    @Test("U5.back-off: a check that fails while a version is stored stays in the row")
    func failedBesideADownload() {
        var stage = stage(FailedChecksRepeated())
        stage.emit(Stage.sent(1, .manifest), failed)
        stage.log(.becamePending, Stage.v2)
        stage.wait(.seconds(1))
        stage.emit(Stage.sent(1, .manifest), failed)
        // 2 s, a quarter of that, and the slack.
        stage.wait(.seconds(4))
        #expect(stage.broken == [])
        stage.wait(.seconds(1))
        #expect(stage.broken == ["U5"])
    }

    @Test("U5.back-off fires when a check that failed is repeated too early without a reason")
    func tooEarly() {
        for (failures, shortest) in [(1, 700), (2, 1_450), (3, 2_950), (7, 44_950), (8, 899_950)]
            as [(Int, Int64)]
        {
            for isEarly in [true, false] {
                var stage = stage(FailedChecksRepeated())
                for number in 1...failures {
                    let id = UInt32(number)
                    stage.emit(Stage.sent(id, .manifest), .transferFailed(TransferID(id), .refused, bytes: 0))
                    if number < failures { stage.wait(.seconds(min(60, 1 << Int64(number - 1)))) }
                }
                stage.wait(.milliseconds(shortest - (isEarly ? 1 : 0)))
                var prompted = stage
                stage.emit(Stage.sent(90, .manifest))
                #expect(stage.broken == (isEarly ? ["U5"] : []), "\(failures) failures")
                prompted.emit(.checkRequested, Stage.sent(90, .manifest))
                #expect(prompted.broken == [], "\(failures) failures and a wish")
            }
        }
        var queued = stage(FailedChecksRepeated())
        queued.emit(
            Stage.sent(1, .manifest), .checkRequested, .transferFailed(TransferID(1), .refused, bytes: 0))
        queued.emit(Stage.sent(2, .manifest), .transferFailed(TransferID(2), .refused, bytes: 0))
        #expect(queued.broken == [], "the wish came while a check was on its way")
        queued.emit(Stage.sent(3, .manifest))
        #expect(queued.broken == ["U5"])
    }

    @Test("U5.back-off: a file that the origin does not have is in the row, one that it has later is not")
    func fileThatIsMissing() {
        for (status, seconds) in [(404, Int64(4)), (503, 3)] {
            var stage = stage(FailedChecksRepeated())
            stage.log(.statusRefused, Stage.v2, "route=/app.js status=\(status)")
            stage.emit(Stage.sent(1, .manifest), failed)
            stage.wait(.seconds(seconds))
            #expect(stage.broken == [], "\(status)")
            stage.wait(.seconds(1))
            #expect(stage.broken == ["U5"], "\(status)")
        }
    }

    @Test("U5.back-off says nothing of an app whose checks are not automatic, nor of one without a store")
    func silent() {
        var manual = stage(FailedChecksRepeated())
        manual.observed.settings.updates = .manual
        manual.emit(Stage.sent(1, .manifest), failed)
        manual.wait(.hours(1))
        #expect(manual.broken == [])
        var hindered = stage(FailedChecksRepeated())
        hindered.log(.storeUnavailable)
        hindered.emit(Stage.sent(1, .manifest), failed)
        hindered.wait(.hours(1))
        #expect(hindered.broken == [])
    }

    // MARK: - The loading screen

    @Test("U7.offline fires when the loading screen stays and nothing is loaded")
    func loading() {
        var stage = stage(LoadingEnds())
        stage.emit(.screen(.loading(nil)))
        stage.wait(.minutes(16))
        #expect(stage.broken == [])
        stage.wait(.seconds(1))
        #expect(stage.broken == ["U7"])
    }

    @Test("U7.offline fires sooner where the app does not check automatically, and has not")
    func loadsByNobody() {
        for (isSent, broken) in [(false, ["U7"]), (true, [String]())] {
            var stage = stage(LoadingEnds())
            stage.observed.settings.updates = .page
            stage.emit(.screen(.loading(nil)))
            if isSent { stage.emit(Stage.sent(1, .manifest), Stage.ended(1)) }
            stage.wait(.seconds(30))
            #expect(stage.broken == [])
            stage.wait(.seconds(1))
            #expect(stage.broken == broken)
        }
    }

    @Test("U7.offline is content while a request is open, and with any other screen")
    func loads() {
        var stage = stage(LoadingEnds())
        stage.emit(.screen(.loading(nil)), Stage.sent(1, .manifest))
        stage.wait(.hours(1))
        stage.emit(Stage.ended(1), .screen(.offline))
        stage.wait(.hours(1))
        #expect(stage.broken == [])
    }

    // MARK: - Native code

    @Test("N5.answer-in-time fires when native code waits for a page for longer than 30 s")
    func unanswered() {
        var stage = stage(NativeCallsAnswered())
        stage.emit(.nativeAsked(method: "cart"), .nativeAsked(method: "user"))
        stage.emit(.nativeAnswered(method: "cart", result: nil))
        stage.wait(.seconds(31))
        #expect(stage.broken == [])
        stage.wait(.seconds(1))
        #expect(stage.broken == ["N5"])
    }

    @Test("N5 fires when native code gets a second answer to one call")
    func twice() {
        var stage = stage(NativeCallsAnswered())
        stage.emit(.nativeAsked(method: "cart"), .nativeAsked(method: "cart"))
        stage.emit(.nativeAnswered(method: "cart", result: nil), .nativeAnswered(method: "cart", result: nil))
        #expect(stage.broken == [])
        stage.emit(.nativeAnswered(method: "cart", result: nil))
        #expect(stage.broken == ["N5"])
    }

    @Test("N5.answer-in-time: a call ends with its process")
    func gone() {
        var stage = stage(NativeCallsAnswered())
        stage.emit(.nativeAsked(method: "cart"), .processEnded(.user))
        stage.launch()
        stage.wait(.hours(1))
        #expect(stage.broken == [])
    }
}
