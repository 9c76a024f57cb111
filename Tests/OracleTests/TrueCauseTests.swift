import Backend
import Core
import ScenarioLanguage
import Testing
import Updater

@testable import Oracle

@Suite("T1.true-cause fires when an entry's cause does not hold, and only then")
struct TrueCauseTests {
    private static func stage() -> Stage { Stage.running(CausesHold()) }

    @Test("An offer is refused as blacklisted or parked only where the version was")
    func listed() {
        var stage = Self.stage()
        stage.log(.blacklistEntry, Stage.v2)
        stage.log(.blacklisted, Stage.v2)
        stage.status { $0.parked = [Stage.v3] }
        stage.log(.parkedOffer, Stage.v3)
        #expect(stage.broken == [])
        stage.log(.blacklisted, Stage.v1)
        #expect(stage.broken == ["T1"])
    }

    @Test("An offer is refused as recalled only where the origin has recalled it")
    func recalled() {
        var stage = Self.stage()
        stage.emit(.recalled(["v2"]))
        stage.log(.recalledOffer, Stage.v2)
        #expect(stage.broken == [])
        stage.log(.recalledOffer, Stage.v3)
        #expect(stage.broken == ["T1"])
    }

    @Test("A version that fits the build is not refused as one for another build")
    func fitness() {
        var stage = Self.stage()
        stage.log(.nativeOutsideRange, Stage.v2)
        #expect(stage.broken == ["T1"])
    }

    @Test(
        "Stored content is called damaged only after something that can damage it",
        arguments: [TraceEvent.Kind.damaged("blobs"), .powerCut(survived: 1, of: 2)])
    func damage(_ event: TraceEvent.Kind) {
        var stage = Self.stage()
        var damaged = stage
        damaged.emit(event)
        damaged.log(.contentDamaged, Stage.v2)
        #expect(damaged.broken == [])
        stage.log(.contentDamaged, Stage.v2)
        #expect(stage.broken == ["T1"])
    }

    @Test("A file is called wrong only if the last answer did not have all its bytes")
    func content() {
        for (status, versions, broken) in [(200, [1], ["T1"]), (200, [0], []), (206, [1], [String]())] {
            var stage = Self.stage()
            stage.emit(Stage.sent(1, .file("/app.js")), Stage.head(1, status))
            let mask = VersionMask(index: versions[0])
            stage.emit(.transferEnded(TransferID(1), bytes: 100, contentOf: mask))
            stage.log(.contentMismatch, Stage.v2, "route=/app.js other hash")
            #expect(stage.broken == broken, "\(status) \(versions)")
        }
    }

    @Test("A file is called too long or too short only if the answer was not as long as the manifest says")
    func length() {
        for (detail, bytes, broken) in [
            ("bytes=140 wanted=100", 100, ["T1"]), ("bytes=99 wanted=100", 99, []),
            ("longer than 100", 100, ["T1"]),
            ("longer than 100", 101, []), ("announced=140 wanted=100", 100, []),
        ] as [(String, Int, [String])] {
            var stage = Self.stage()
            stage.emit(Stage.sent(1, .file("/app.js")), Stage.head(1, 200), Stage.ended(1, bytes: bytes))
            stage.log(.lengthMismatch, Stage.v2, "route=/app.js \(detail)")
            #expect(stage.broken == broken, "\(detail)")
        }
    }

    @Test("A transfer is called silent only after it could have been for fifteen seconds")
    func stall() {
        for (seconds, broken) in [(15, [String]()), (10, ["T1"])] as [(Int64, [String])] {
            var stage = Self.stage()
            stage.emit(Stage.sent(1, .file("/app.js")))
            stage.wait(.seconds(seconds))
            stage.log(.transferStalled, Stage.v2, "route=/app.js")
            #expect(stage.broken == broken, "\(seconds) s")
        }
    }

    @Test("Attempts are called used up only after eight requests")
    func attempts() {
        for (count, broken) in [(8, [String]()), (7, ["T1"])] as [(UInt32, [String])] {
            var stage = Self.stage()
            for number in 1...count { stage.emit(Stage.sent(number, .file("/app.js"))) }
            stage.log(.retriesExhausted, Stage.v2, "route=/app.js attempts=8")
            #expect(stage.broken == broken, "\(count)")
        }
    }

    @Test("What no answer and no setting has said is not given as a cause")
    func settingsAndOrigin() {
        for cause in [LogCause.updatesOff, .rolloutOutside] {
            var stage = Self.stage()
            stage.log(cause, Stage.v2)
            #expect(stage.broken == ["T1"], "\(cause)")
        }
        var stage = Self.stage()
        stage.emit(.deployedFor(Audience(), version: "v2", edges: [0], serial: 1))
        stage.log(.rolloutOutside, Stage.v2)
        var change = SettingsSpec()
        change.updates = Spanned(.never)
        stage.emit(.settingsChanged(change))
        stage.wait(.seconds(1))
        stage.log(.updatesOff)
        #expect(stage.broken == [])
    }

    @Test("A frozen process learns of a requested check and of changed settings later, in their order")
    func wishBeforeSettings() {
        var change = SettingsSpec()
        change.updates = Spanned(.automatic)
        for (isWishFirst, broken) in [(true, [String]()), (false, ["T1"])] {
            var stage = Self.stage()
            if isWishFirst { stage.emit(.checkRequested) }
            stage.wait(.seconds(1))
            stage.emit(.settingsChanged(change))
            stage.wait(.seconds(1))
            if !isWishFirst { stage.emit(.checkRequested) }
            stage.wait(.hours(1))
            stage.log(.updatesOff)
            #expect(stage.broken == broken)
        }
    }

    @Test("Of several requests that a frozen process learns of later the first one meets the settings before")
    func requestsWhileFrozen() {
        var change = SettingsSpec()
        change.updates = Spanned(.automatic)
        for (isFrozen, broken) in [(true, [String]()), (false, ["T1"])] {
            var stage = Self.stage()
            if isFrozen { stage.emit(.suspended) }
            stage.emit(.checkRequested)
            stage.wait(.seconds(1))
            stage.emit(.settingsChanged(change))
            stage.wait(.seconds(1))
            stage.emit(.checkRequested)
            stage.wait(.seconds(1))
            if isFrozen { stage.emit(.resumed) }
            stage.log(.updatesOff)
            #expect(stage.broken == broken)
        }
    }

    @Test("A manifest that arrived as it was published is not unreadable")
    func readability() {
        for (serial, broken) in [(3, ["T1"]), (nil, [String]())] as [(Int?, [String])] {
            var stage = Self.stage()
            stage.emit(
                Stage.sent(1, .manifest), Stage.head(1, 200, offered: "v2", serial: serial), Stage.ended(1))
            stage.log(.manifestUnreadable)
            #expect(stage.broken == broken)
        }
    }
}
