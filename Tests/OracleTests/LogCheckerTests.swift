import Core
import ScenarioLanguage
import Testing
import Updater
import World

@testable import Oracle
@testable import Runner

@Suite("T1 fires when it is broken, and only then")
struct LogCheckerTests {
    private func told() -> Stage {
        var stage = Stage([EverythingLogged()])
        stage.launch()
        stage.status { $0.current = Stage.v1 }
        return stage
    }

    /// That entry, and nothing less, keeps the checker silent.
    private func expectOwed(
        _ cause: LogCause, _ version: VersionKey, _ stage: Stage,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var right = stage
        right.log(cause, version)
        right.wait(.seconds(11))
        #expect(right.broken == [], sourceLocation: sourceLocation)
        var silent = stage
        silent.wait(.seconds(11))
        #expect(silent.broken == ["T1"], sourceLocation: sourceLocation)
    }

    @Test("T1 fires when a check ends without an entry")
    func silentCheck() {
        var stage = told()
        stage.emit(Stage.sent(1, .manifest), Stage.head(1, 200, offered: "v1"), Stage.ended(1))
        expectOwed(.upToDate, Stage.v1, stage)
    }

    @Test("T1 fires when a failed transfer leaves no entry")
    func silentFailure() {
        var stage = told()
        stage.emit(Stage.sent(1, .file("/app.js"), version: Stage.v2))
        stage.emit(.transferFailed(TransferID(1), .reset, bytes: 10))
        expectOwed(.transferFailed, Stage.v2, stage)
    }

    @Test("T1 fires when a disk call that failed leaves no entry")
    func silentDisk() {
        var stage = told()
        stage.emit(.faultBegan("slow", diskDelay: .milliseconds(1)), .faultApplied("slow"))
        stage.wait(.minutes(1))
        #expect(stage.broken == [])
        stage.emit(.faultBegan("error", failsDisk: true), .faultApplied("error"))
        expectOwed(.diskFailed, Stage.v2, stage)
    }

    @Test("T1: a 416 is a refusal, unless it says that the whole file is here", arguments: [99, 100, nil])
    func nothingLeft(_ length: Int?) {
        var stage = told()
        stage.emit(Stage.sent(1, .file("/app.js"), version: Stage.v2, from: 100))
        stage.emit(Stage.head(1, 416, unsatisfiedLength: length), Stage.ended(1))
        if length != 100 { return expectOwed(.statusRefused, Stage.v2, stage) }
        stage.wait(.minutes(1))
        #expect(stage.broken == [])
    }

    @Test("T1: what happened to a suspended process is logged when it resumes, and not before")
    func failureInSuspension() {
        var stage = told()
        stage.emit(Stage.sent(1, .file("/app.js"), version: Stage.v2), .suspended)
        stage.emit(.transferFailed(TransferID(1), .reset, bytes: 10))
        stage.wait(.hours(8))
        stage.emit(.resumed)
        expectOwed(.transferFailed, Stage.v2, stage)
    }

    @Test("T1 fires when a version is blacklisted, parked or dropped without an entry")
    func silentBlame() {
        var blacklisted = told()
        blacklisted.status { $0.blacklist = [Stage.v2] }
        #expect(blacklisted.broken == ["T1"])
        var parked = told()
        parked.status { $0.parked = [Stage.v2] }
        #expect(parked.broken == ["T1"])
        var dropped = told()
        dropped.status { $0.pending = Stage.v2 }
        dropped.status { $0.pending = nil }
        #expect(dropped.broken == ["T1"])
        var right = told()
        right.log(.blacklistEntry, Stage.v2)
        right.status { $0.blacklist = [Stage.v2] }
        #expect(right.broken == [])
    }

    @Test("T1 fires when a rescue leaves no entry")
    func silentRescue() {
        var stage = told()
        stage.open(Stage.v2, Stage.token(1))
        var right = stage
        right.log(.rescued, Stage.v1)
        right.open(Stage.v1, Stage.token(2))
        #expect(right.broken == [])
        stage.open(Stage.v1, Stage.token(2))
        #expect(stage.broken == ["T1"])
    }

    @Test("T1 fires when the start that died with its process has no end in the log")
    func silentEnd() {
        var stage = told()
        stage.open(Stage.v2, Stage.token(1))
        stage.emit(.processEnded(.lowMemory))
        stage.launch()
        var right = stage
        right.log(.startUnclear, Stage.v2)
        right.wait(.seconds(11))
        #expect(right.broken == [])
        stage.wait(.seconds(11))
        #expect(stage.broken == ["T1"])
    }

    @Test("T1 fires when the record is written without the blame that was reported before")
    func blameNotWritten() {
        var stage = told()
        stage.log(.startFailedByPage, Stage.v2)
        stage.wait(.milliseconds(10))
        var right = stage
        stage.storeChanged { $0 = Stage.both(Stage.image([Stage.v2], generation: 2)) }
        #expect(stage.broken == ["T1"])
        var record = Stage.record([Stage.v2], generation: 2)
        record.log = [LogEntry(.startFailedByPage, version: "v2")]
        right.storeChanged {
            $0 = Stage.both(Stage.image([Stage.v2], generation: 2))
            $0.durable.slotA = .valid(record)
        }
        #expect(right.broken == [])
    }

    @Test("T1: a 304 is complete with its head, so that nothing failed; another answer that is cut did")
    func cutAnswers() {
        for (status, rules) in [(304, []), (200, ["T1"])] {
            var stage = Stage.running(EverythingLogged())
            stage.emit(
                Stage.sent(1, .file("/app.js"), version: Stage.v2), Stage.head(1, status),
                .transferFailed(TransferID(1), .truncated, bytes: 0))
            stage.wait(.seconds(11))
            #expect(stage.broken == rules)
        }
    }

    @Test("T1 fires when a check is cancelled without an entry; one that was sent elsewhere continues")
    func cancelledChecks() {
        for (status, rules) in [(200, ["T1"]), (302, [])] {
            var stage = Stage.running(EverythingLogged())
            stage.emit(Stage.sent(1, .manifest), Stage.head(1, status))
            stage.emit(.transferCancelled(TransferID(1), bytes: 0))
            var logged = stage
            logged.log(.checkDropped)
            logged.wait(.seconds(11))
            #expect(logged.broken == [])
            stage.wait(.seconds(11))
            #expect(stage.broken == rules)
        }
    }

    @Test("T1 fires when a page's file can't be served and the log does not say why")
    func notServed() {
        var stage = Stage.running(EverythingLogged())
        stage.open(Stage.v1, Stage.token(1))
        let request = Stage.request(Stage.token(1), "/app.js")
        stage.emit(.pageReceived(request, Stage.answer(status: 503)))
        var logged = stage
        logged.log(.diskFailed, nil, "serving 00: EMFILE")
        logged.wait(.seconds(11))
        #expect(logged.broken == [])
        stage.wait(.seconds(11))
        #expect(stage.broken == ["T1"])
    }

    @Test("T1 fires when an answer with a coding, or with another part, is taken without a word")
    func unusableAnswers() {
        let unusable = [
            (from: nil, isCoded: true, head: Stage.head(1, 200, isCoded: true)),
            (from: 10, isCoded: true, head: Stage.head(1, 206, partFrom: 10, isCoded: true)),
            (from: 10, isCoded: false, head: Stage.head(1, 206, partFrom: 0)),
            (from: 10, isCoded: false, head: Stage.head(1, 206)),
            (from: nil, isCoded: false, head: Stage.head(1, 206, partFrom: 0)),
        ]
        for (from, isCoded, head) in unusable {
            var stage = Stage.running(EverythingLogged())
            stage.emit(Stage.sent(1, .file("/app.js"), version: Stage.v2, from: from), head)
            var logged = stage
            logged.log(isCoded ? .codingRefused : .rangeRefused, Stage.v2, "route=/app.js")
            var other = stage
            other.log(.contentMismatch, Stage.v2, "route=/app.js")
            other.wait(.seconds(11))
            #expect(other.broken == ["T1"], "it was taken")
            logged.wait(.seconds(11))
            #expect(logged.broken == [])
            stage.wait(.seconds(11))
            #expect(stage.broken == ["T1"])
        }
        for (from, head) in [(nil, Stage.head(1, 200)), (10, Stage.head(1, 206, partFrom: 10))] {
            var stage = Stage.running(EverythingLogged())
            stage.emit(Stage.sent(1, .file("/app.js"), version: Stage.v2, from: from), head)
            stage.wait(.seconds(11))
            #expect(stage.broken == [])
        }
    }
}
