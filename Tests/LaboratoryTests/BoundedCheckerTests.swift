import AppHost
import Core
import ScenarioLanguage
import Testing
import Updater
import World

@testable import Authoring
@testable import Oracle
@testable import Runner

@Suite("U5 fires when something goes round faster than it may, and only then")
struct BoundedCheckerTests {
    private func stage() -> Stage {
        var stage = Stage([Bounded()])
        stage.launch()
        return stage
    }

    /// Asks for the same thing and gets an error, after each of these waits.
    private func ask(_ stage: inout Stage, _ kind: OriginRequest.Kind, waits: [Int64]) {
        for (number, wait) in waits.enumerated() {
            stage.wait(.seconds(wait))
            let id = UInt32(100 + number)
            stage.tell(
                Stage.sent(id, kind, version: Stage.v2), Stage.head(id, 503), Stage.ended(id, bytes: 0))
        }
    }

    private let right: [Int64] = [0, 1, 2, 4, 8, 16, 32, 60, 900, 900]

    @Test("Eight tries and a sleep of 15 min are right, a ninth before it is not")
    func tries() {
        for kind in [OriginRequest.Kind.manifest, .file("/app.js")] {
            var patient = stage()
            ask(&patient, kind, waits: right)
            #expect(patient.broken == [])
            var hasty = stage()
            ask(&hasty, kind, waits: Array(right.prefix(8)) + [60])
            #expect(hasty.broken == ["U5"])
        }
    }

    @Test("A new byte, another network or somebody's wish begins a new count; the same bytes again don't")
    func newCount() {
        var stage = stage()
        stage.storeChanged { $0.live.partials = [PartialImage(key: Stage.v2.digest, size: 50)] }
        ask(&stage, .file("/app.js"), waits: Array(right.prefix(8)))
        var again = stage
        stage.storeChanged { $0.live.partials = [PartialImage(key: Stage.v2.digest, size: 60)] }
        ask(&stage, .file("/app.js"), waits: [1, 1])
        #expect(stage.broken == [])
        var online = again
        online.tell(.networkChanged(.online))
        ask(&online, .file("/app.js"), waits: [1, 1])
        #expect(online.broken == [])
        again.storeChanged { $0.live.partials = [] }
        again.storeChanged { $0.live.partials = [PartialImage(key: Stage.v2.digest, size: 40)] }
        ask(&again, .file("/app.js"), waits: [1])
        #expect(again.broken == ["U5"])
    }

    @Test("A redirect is part of its try")
    func redirects() {
        var stage = stage()
        for number in 0..<12 {
            stage.tell(
                Stage.sent(UInt32(number), .manifest), Stage.head(UInt32(number), 302, isRedirect: true))
            stage.tell(Stage.ended(UInt32(number), bytes: 0))
        }
        #expect(stage.broken == [])
    }

    @Test("Six files at once, and not seven")
    func atOnce() {
        var stage = stage()
        for number in 1...6 as ClosedRange<UInt32> {
            stage.tell(Stage.sent(number, .file("/f\(number)"), version: Stage.v2))
        }
        stage.tell(Stage.sent(7, .manifest))
        #expect(stage.broken == [])
        stage.tell(Stage.sent(8, .file("/f8"), version: Stage.v2))
        #expect(stage.broken == ["U5"])
    }

    @Test("Retry-After: nothing is asked before it, but by the user's own hand, nor by the next process")
    func leftAlone() {
        var stage = stage()
        stage.tell(Stage.sent(1, .manifest), Stage.head(1, 503, retryAfter: .seconds(90)), Stage.ended(1))
        stage.wait(.seconds(60))
        var hasty = stage
        hasty.tell(Stage.sent(2, .manifest))
        #expect(hasty.broken == ["U5"])
        var user = stage
        user.tell(.userDid(.presses(.retry)), Stage.sent(2, .manifest))
        #expect(user.broken == [])
        var next = stage
        next.tell(.processEnded(.system))
        var cut = next
        next.launch()
        next.tell(Stage.sent(1, .manifest))
        #expect(next.broken == ["U5"])
        cut.tell(.powerCut(survived: 0, of: 1))
        cut.launch()
        cut.tell(Stage.sent(1, .manifest))
        #expect(cut.broken == [])
        stage.wait(.seconds(30))
        stage.tell(Stage.sent(2, .manifest))
        #expect(stage.broken == [])
    }

    private func load(_ stage: inout Stage, _ key: VersionKey, _ kind: AppHost.NavigationKind) {
        stage.tell(.navigation(.first, kind, name: nil))
        stage.open(key, Stage.token(stage.now.microseconds.magnitude + 1))
        stage.wait(.seconds(1))
    }

    @Test("Pages get three switches to a version in a day")
    func askedSwitches() {
        var stage = stage()
        for _ in 0..<3 {
            load(&stage, Stage.v1, .reload)
            load(&stage, Stage.v2, .reload)
        }
        #expect(stage.broken == [])
        var later = stage
        later.wait(.hours(24))
        load(&later, Stage.v1, .reload)
        load(&later, Stage.v2, .reload)
        #expect(later.broken == [])
        load(&stage, Stage.v1, .reload)
        stage.launch()
        load(&stage, Stage.v1, .other)
        load(&stage, Stage.v2, .reload)
        #expect(stage.broken == ["U5"])
    }

    @Test("One switch in a process that nobody asked for, and one rescue from each version")
    func unasked() {
        var stage = stage()
        load(&stage, Stage.v1, .other)
        load(&stage, Stage.v2, .other)
        #expect(stage.broken == [])
        var second = stage
        load(&second, Stage.v3, .other)
        #expect(second.broken == ["U5"])
        stage.log(.rescued, Stage.v1)
        load(&stage, Stage.v1, .other)
        #expect(stage.broken == [])
        load(&stage, Stage.v2, .reload)
        stage.log(.rescued, Stage.v1)
        load(&stage, Stage.v1, .other)
        #expect(stage.broken == ["U5"])
    }
}

@Suite("U8 fires when something older is taken, and only then")
struct ForwardOnlyCheckerTests {
    private func stage(_ dialect: ManifestDialect = .own) -> Stage {
        var app = Stage.app
        app.dialect = dialect
        var stage = Stage([ForwardOnly()], app: app)
        stage.launch()
        stage.status { $0.current = Stage.v1 }
        return stage
    }

    private func answer(_ stage: inout Stage, _ id: String, serial: Int? = nil) {
        stage.wait(.seconds(2))
        let transfer = UInt32(truncatingIfNeeded: stage.now.microseconds / 1_000_000)
        stage.tell(
            Stage.sent(transfer, .manifest), Stage.head(transfer, 200, offered: id, serial: serial),
            Stage.ended(transfer))
        stage.wait(.seconds(2))
    }

    private func becomePending(_ stage: inout Stage, _ key: VersionKey) {
        stage.log(.becamePending, key)
        stage.status { $0.pending = key }
    }

    @Test("An older publication than the one that was taken")
    func older() {
        var stage = stage()
        answer(&stage, "v3", serial: 3)
        becomePending(&stage, Stage.v3)
        var back = stage
        answer(&back, "v2", serial: 4)
        becomePending(&back, Stage.v2)
        #expect(back.broken == [])
        answer(&stage, "v2", serial: 2)
        becomePending(&stage, Stage.v2)
        #expect(stage.broken == ["U8"])
    }

    @Test("Older than one that named what runs, also in a later process")
    func olderThanRunning() {
        var stage = stage()
        answer(&stage, "v1", serial: 5)
        stage.launch()
        stage.status { $0.current = Stage.v1 }
        answer(&stage, "v2", serial: 4)
        becomePending(&stage, Stage.v2)
        #expect(stage.broken == ["U8"])
    }

    @Test("What was announced and never came was not taken")
    func neverCame() {
        var stage = stage()
        answer(&stage, "v3", serial: 9)
        answer(&stage, "v2", serial: 2)
        becomePending(&stage, Stage.v2)
        #expect(stage.broken == [])
    }

    @Test("A newer publication that names what runs ends what is pending")
    func named() {
        var stage = stage()
        answer(&stage, "v2", serial: 2)
        becomePending(&stage, Stage.v2)
        answer(&stage, "v1", serial: 3)
        var right = stage
        right.status { $0.pending = nil }
        right.wait(.seconds(10))
        #expect(right.broken == [])
        stage.wait(.seconds(10))
        #expect(stage.broken == ["U8"])
    }

    @Test("Without numbers: what was left comes back only after a minute of answers that offer it alone")
    func withoutNumbers() {
        var stage = stage(.meteor)
        answer(&stage, "v2")
        becomePending(&stage, Stage.v2)
        stage.status {
            $0.pending = nil
            $0.current = Stage.v2
        }
        #expect(stage.broken == [])
        answer(&stage, "v1")
        var hasty = stage
        becomePending(&hasty, Stage.v1)
        #expect(hasty.broken == ["U8"])
        stage.wait(.seconds(60))
        var between = stage
        answer(&between, "v2")
        answer(&between, "v1")
        becomePending(&between, Stage.v1)
        #expect(between.broken == ["U8"])
        answer(&stage, "v1")
        becomePending(&stage, Stage.v1)
        #expect(stage.broken == [])
    }
}
