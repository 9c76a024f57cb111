import AppHost
import Backend
import Core
import ScenarioLanguage
import Testing
import Updater
import World

@testable import Oracle
@testable import Runner

@Suite("U5 fires when something repeats more often than it may, and only then")
struct AttemptLimitCheckerTests {
    private func stage() -> Stage {
        var stage = Stage([AttemptLimits()])
        stage.launch()
        return stage
    }

    /// Asks for the same thing and gets an error, after each of these waits.
    private func ask(_ stage: inout Stage, _ kind: OriginRequest.Kind, waits: [Int64]) {
        for (number, wait) in waits.enumerated() {
            stage.wait(.seconds(wait))
            let id = UInt32(100 + number)
            stage.emit(
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

    @Test("The second check of an offer that waits for it (U8) is no try again of the first, but once only")
    func secondCheck() {
        var stage = stage()
        ask(&stage, .manifest, waits: [0])
        stage.log(.leftBefore, Stage.v2)
        ask(&stage, .manifest, waits: Array(right.prefix(8)))
        #expect(stage.broken == [])
        stage.log(.leftBefore, Stage.v2)
        ask(&stage, .manifest, waits: [60])
        #expect(stage.broken == ["U5"])
    }

    @Test("A new byte, another network or a requested check begins a new count; the same bytes again don't")
    func newCount() {
        var stage = stage()
        stage.storeChanged { $0.live.partials = [PartialImage(key: Stage.v2.digest, size: 50)] }
        ask(&stage, .file("/app.js"), waits: Array(right.prefix(8)))
        var again = stage
        stage.storeChanged { $0.live.partials = [PartialImage(key: Stage.v2.digest, size: 60)] }
        ask(&stage, .file("/app.js"), waits: [1, 1])
        #expect(stage.broken == [])
        var online = again
        online.emit(.networkChanged(.online))
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
            stage.emit(
                Stage.sent(UInt32(number), .manifest), Stage.head(UInt32(number), 302, isRedirect: true))
            stage.emit(Stage.ended(UInt32(number), bytes: 0))
        }
        #expect(stage.broken == [])
    }

    @Test("Six files at once, and not seven")
    func atOnce() {
        var stage = stage()
        for number in 1...6 as ClosedRange<UInt32> {
            stage.emit(Stage.sent(number, .file("/f\(number)"), version: Stage.v2))
        }
        stage.emit(Stage.sent(7, .manifest))
        #expect(stage.broken == [])
        stage.emit(Stage.sent(8, .file("/f8"), version: Stage.v2))
        #expect(stage.broken == ["U5"])
    }

    @Test("Retry-After: no request before it, not by the next process either, unless the user makes it")
    func leftAlone() {
        var stage = stage()
        stage.emit(Stage.sent(1, .manifest), Stage.head(1, 503, retryAfter: .seconds(90)), Stage.ended(1))
        stage.wait(.seconds(60))
        var hasty = stage
        hasty.emit(Stage.sent(2, .manifest))
        #expect(hasty.broken == ["U5"])
        var user = stage
        user.emit(.userDid(.presses(.retry)), Stage.sent(2, .manifest))
        #expect(user.broken == [])
        var next = stage
        next.emit(.processEnded(.system))
        var cut = next
        next.launch()
        next.emit(Stage.sent(1, .manifest))
        #expect(next.broken == ["U5"])
        cut.emit(.powerCut(survived: 0, of: 1))
        cut.launch()
        cut.emit(Stage.sent(1, .manifest))
        #expect(cut.broken == [])
        stage.wait(.seconds(30))
        stage.emit(Stage.sent(2, .manifest))
        #expect(stage.broken == [])
    }

    @Test("Retry-After: a process that is stopped has not read it; it counts when that resumes")
    func unread() {
        var stage = stage()
        stage.emit(Stage.sent(1, .manifest), .suspended)
        stage.emit(Stage.head(1, 503, retryAfter: .seconds(90)), Stage.ended(1))
        stage.wait(.seconds(60))
        var resumed = stage
        stage.emit(.processEnded(.user))
        stage.launch()
        stage.emit(Stage.sent(1, .manifest))
        #expect(stage.broken == [])
        resumed.emit(.resumed)
        resumed.wait(.seconds(80))
        resumed.emit(Stage.sent(2, .manifest))
        #expect(resumed.broken == ["U5"])
    }

    private func load(_ stage: inout Stage, _ key: VersionKey, _ kind: AppHost.NavigationKind) {
        stage.emit(.navigation(.first, kind, name: nil))
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

    @Test("One switch in a process that no page requested, and one rescue from each version")
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

@Suite("U12: an optional file that holds its version up, seen to be noticed")
struct OptionalFileTests {
    static let versions = Stage.versions.map { version in
        var version = version
        var map = FileSetup(
            route: "/map", content: .made(ContentKey(version: version.name, route: "/map", size: 100)))
        map.isOptional = true
        version.files.append(map)
        return version
    }

    private func stage() -> Stage {
        var stage = Stage([OptionalFilesLeftOut()], versions: OptionalFileTests.versions)
        stage.launch()
        return stage
    }

    /// Requests of the optional file, each of which fails.
    static func failures(_ count: UInt32, _ stage: inout Stage, route: String = "/map") {
        for id in 1...count {
            stage.emit(
                Stage.sent(id, .file(route)), Stage.head(id, 500), Stage.ended(id))
        }
    }

    static func check(_ stage: inout Stage) {
        stage.emit(Stage.sent(50, .manifest), Stage.head(50, 200, offered: "v2"), Stage.ended(50))
    }

    @Test("It is requested again after ten failures and a check")
    func fires() {
        var stage = stage()
        Self.failures(10, &stage)
        stage.emit(Stage.sent(51, .file("/map")))
        #expect(stage.broken == [])
        Self.check(&stage)
        stage.emit(Stage.sent(52, .file("/map")))
        #expect(stage.broken == ["U12"])
    }

    @Test("Not after fewer failures, after a byte, in another process, nor a required file")
    func silent() {
        var few = stage()
        Self.failures(9, &few)
        Self.check(&few)
        few.emit(Stage.sent(52, .file("/map")))
        #expect(few.broken == [])
        var more = stage()
        Self.failures(10, &more)
        more.emit(
            Stage.sent(40, .file("/map")), Stage.head(40, 200),
            .transferFailed(TransferID(40), .reset, bytes: 10))
        Self.check(&more)
        more.emit(Stage.sent(52, .file("/map")))
        #expect(more.broken == [])
        var next = stage()
        Self.failures(10, &next)
        Self.check(&next)
        next.launch()
        next.emit(Stage.sent(1, .file("/map")))
        #expect(next.broken == [])
        var required = stage()
        Self.failures(10, &required, route: "/app.js")
        Self.check(&required)
        required.emit(Stage.sent(52, .file("/app.js")))
        #expect(required.broken == [])
    }
}
