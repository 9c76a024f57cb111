import AppHost
import Backend
import Core
import ScenarioLanguage
import TestSupport
import Testing
import Updater
import World

@testable import Oracle
@testable import Runner

@Suite("Each checker accepts an unusual reaction that its rule allows, and still fires right beside it")
struct AllowedReactionTests {
    // MARK: - Serving

    @Test("S1: what a replaced document asks for, or had asked for, is of what is current then")
    func replacedDocument() {
        var stage = Stage.running(OneVersionPerPage())
        stage.open(Stage.v1, Stage.token(1))
        let late = Stage.request(Stage.token(1), "/late.json", .fetch)
        let before = stage
        stage.emit(.pageClosed(.first, load: Stage.token(1)), .pageRequested(late))
        stage.status { $0.current = Stage.v2 }
        var third = stage
        stage.emit(.pageReceived(late, Stage.answer(of: 1)))
        #expect(stage.broken == [])
        // Even then it gets what is current, and nothing else.
        third.emit(.pageReceived(late, Stage.answer(of: 3)))
        #expect(third.broken == ["S1"])
        // One that the server reads after its document was replaced does too, but not before.
        for (isClosed, index, rules) in [(true, 1, []), (true, 2, ["S1"]), (false, 1, ["S1"])] {
            var sent = before
            sent.emit(.pageRequested(late))
            if isClosed { sent.emit(.pageClosed(.first, load: Stage.token(1))) }
            sent.status { $0.current = Stage.v2 }
            sent.emit(.pageReceived(late, Stage.answer(of: index)))
            #expect(sent.broken == rules)
        }
    }

    // MARK: - Updating

    /// v2 and its file have arrived, then an answer offers v3.
    private func superseded(fileAfter isFileAfter: Bool = false) -> Stage {
        var stage = Stage.running(OneDownloadAtATime())
        let file = [
            Stage.sent(2, .file("/app.js"), version: Stage.v2), Stage.head(2, 200), Stage.ended(2),
        ]
        stage.emit(Stage.sent(1, .manifest), Stage.head(1, 200, offered: "v2"), Stage.ended(1))
        if !isFileAfter { for event in file { stage.emit(event) } }
        stage.wait(.seconds(1))
        stage.emit(Stage.sent(3, .manifest), Stage.head(3, 200, offered: "v3"), Stage.ended(3))
        stage.wait(.seconds(1))
        if isFileAfter { for event in file { stage.emit(event) } }
        return stage
    }

    @Test(
        "U4: a version that was complete when a newer one was offered is still reported, but not much later")
    func completeBefore() {
        var written = superseded()
        written.becomePending(Stage.v2)
        #expect(written.broken == [])
        var late = superseded()
        late.wait(.minutes(1))
        late.becomePending(Stage.v2)
        #expect(late.broken == ["U4"])
        var incomplete = superseded(fileAfter: true)
        incomplete.becomePending(Stage.v2)
        #expect(incomplete.broken == ["U4"])
    }

    private func changeChannel(_ stage: inout Stage) throws {
        let text = SmallScenario.text(#"{ launch: true }, { set: { channel: "beta" } }"#)
        for step in try SmallScenario.plan(text).scenario.steps {
            if case .set(let change) = step.action { stage.emit(.settingsChanged(change)) }
        }
        #expect(stage.observed.settings.channel == "beta")
    }

    @Test("U8 without an order: what another channel drops was left in the line before")
    func otherChannel() throws {
        var stage = Stage.running(ForwardOnly()) { $0.dialect = .meteor }
        stage.answer("v2")
        stage.becomePending(Stage.v2)
        try changeChannel(&stage)
        stage.status { $0.pending = nil }
        stage.answer("v2")
        stage.becomePending(Stage.v2)
        #expect(stage.broken == [])
        // In the new line it counts.
        stage.answer("v3")
        stage.becomePending(Stage.v3)
        stage.answer("v2")
        stage.becomePending(Stage.v2)
        #expect(stage.broken == ["U8"])
    }

    @Test("U8 without an order: a process that can't use its store has left nothing")
    func unusableStore() {
        var stage = Stage.running(ForwardOnly()) { $0.dialect = .meteor }
        stage.answer("v2")
        stage.becomePending(Stage.v2)
        var left = stage
        stage.launch()
        stage.log(.storeUnavailable)
        stage.status {
            $0.pending = nil
            $0.current = nil
        }
        stage.status { $0.current = Stage.v1 }
        stage.launch()
        stage.status { $0.current = Stage.v1 }
        stage.answer("v2")
        stage.becomePending(Stage.v2)
        #expect(stage.broken == ["U8"], "v2 is gone where the store can be used: it was left")
        left.launch()
        left.log(.storeUnavailable)
        left.status { $0.pending = nil }
        left.answer("v2")
        left.becomePending(Stage.v2)
        #expect(left.broken == [])
    }

    @Test("U8: a stopped process handles its answers when it resumes")
    func stopped() {
        var stage = Stage.running(ForwardOnly())
        stage.answer("v2", serial: 2)
        stage.wait(.seconds(2))
        stage.becomePending(Stage.v2)
        stage.emit(.suspended)
        stage.answer("v1", serial: 3)
        stage.wait(.minutes(9))
        stage.emit(.resumed)
        stage.wait(.seconds(4))
        #expect(stage.broken == [])
        var dropped = stage
        dropped.status { $0.pending = nil }
        dropped.wait(.seconds(9))
        #expect(dropped.broken == [])
        stage.wait(.seconds(9))
        #expect(stage.broken == ["U8"])
    }

    // MARK: - Recovery

    /// v2 fails, and the store installs a build before it fails again.
    private func failedTwice(install builds: [String], launch: Bool = true) -> Stage {
        var stage = Stage.running(BlameNeedsEvidence())
        for index in 0..<2 {
            stage.open(Stage.v2, Stage.token(UInt64(index + 1)))
            stage.emit(.called(.first, .startupDidFail, load: Stage.token(UInt64(index + 1))))
            stage.log(.startFailedByPage, Stage.v2)
            if index == 1 { break }
            stage.emit(.processEnded(.storeUpdate))
            for build in builds { stage.emit(.installed(build: build)) }
            stage.launch()
        }
        stage.log(.blacklistEntry, Stage.v2)
        return stage
    }

    @Test("R4: a store update that leaves the build as it was ends no evidence; another build does")
    func sameBuild() {
        #expect(failedTwice(install: ["1.0"]).broken == [])
        #expect(failedTwice(install: ["1.1", "1.0"]).broken == [])
        #expect(failedTwice(install: ["1.1"]).broken == ["R4"])
    }

    @Test("R4: failures of other content under the same id are no evidence")
    func otherContent() {
        let other = VersionKey(id: "v2", digest: SHA256.hash(of: [2]))
        for (second, rules) in [(Stage.v2, []), (other, ["R4"])] {
            var stage = Stage.running(BlameNeedsEvidence())
            for (index, key) in [Stage.v2, second].enumerated() {
                let token = Stage.token(UInt64(index + 1))
                stage.open(key, token)
                stage.emit(.called(.first, .startupDidFail, load: token))
                stage.log(.startFailedByPage, key)
                if index == 0 { stage.launch() }
            }
            stage.log(.blacklistEntry, second)
            #expect(stage.broken == rules)
        }
    }

    @Test("R5: seven days of origin time can be a second less; an entry that ends earlier is lost")
    func wholeSeconds() {
        for (wait, rules) in [(TimeSpan.days(7) - .seconds(1), []), (.days(7) - .seconds(3), ["R5"])] {
            var stage = Stage.running(BlacklistHolds())
            stage.status { $0.blacklist = [Stage.v2] }
            stage.wait(wait)
            stage.status { $0.blacklist = [] }
            #expect(stage.broken == rules)
        }
    }

    /// A page of v2 that has received its document, style sheet and font.
    private func loaded(font isAnswered: Bool = true) -> Stage {
        var stage = Stage.running(ConfirmationByOwnPage()) { $0.settings.confirmation = .loaded }
        stage.open(Stage.v2, Stage.token(1))
        let requests = [
            Stage.request(Stage.token(1), "/", .document), Stage.request(Stage.token(1), "/a.css", .style),
            Stage.request(Stage.token(1), "/a.woff2", .font),
        ]
        for request in requests where isAnswered || request.destination != .font {
            stage.emit(.pageRequested(request), .pageReceived(request, Stage.answer(of: 1)))
        }
        if !isAnswered { stage.emit(.pageRequested(requests[2])) }
        return stage
    }

    @Test("R6: a server confirms a page that was loaded and lived for 5 s, whatever its start-up does later")
    func confirmedByServer() {
        var stage = loaded()
        stage.emit(.pageFailed(.first, "later"))
        var hasty = stage
        var died = stage
        stage.wait(.seconds(5))
        stage.log(.startConfirmed, Stage.v2)
        #expect(stage.broken == [])
        hasty.wait(.seconds(4))
        hasty.log(.startConfirmed, Stage.v2)
        #expect(hasty.broken == ["R6"])
        died.wait(.seconds(3))
        died.emit(.webProcessDied(.first))
        died.wait(.seconds(3))
        died.log(.startConfirmed, Stage.v2)
        #expect(died.broken == ["R6"])
        var incomplete = loaded(font: false)
        incomplete.wait(.seconds(9))
        incomplete.log(.startConfirmed, Stage.v2)
        #expect(incomplete.broken == ["R6"])
        // Who calls all the same is confirmed at once.
        var caller = loaded(font: false)
        caller.emit(.called(.first, .startupDidComplete, load: Stage.token(1)))
        caller.log(.startConfirmed, Stage.v2)
        #expect(caller.broken == [])
    }

    @Test("R6, N3: time in which the process is suspended does not count for a page that is loaded")
    func suspendedAfterLoading() {
        for (awake, rules) in [(2, []), (1, ["R6"])] as [(Int64, [String])] {
            var stage = loaded()
            stage.wait(.seconds(3))
            stage.emit(.suspended)
            stage.wait(.minutes(3))
            stage.emit(.resumed)
            stage.wait(.seconds(awake))
            stage.log(.startConfirmed, Stage.v2)
            #expect(stage.broken == rules)
        }
    }

    @Test("R6: of two versions with one id, either may be the one that a server confirmed")
    func confirmedUnderOneID() {
        let other = VersionKey(id: "v2", digest: SHA256.hash(of: [2]))
        for (hasLived, rules) in [(true, []), (false, ["R6"])] {
            var stage = loaded()
            stage.wait(.seconds(hasLived ? 5 : 4))
            stage.open(other, Stage.token(2))
            stage.log(.startConfirmed, Stage.v2)
            #expect(stage.broken == rules)
        }
    }

    // MARK: - The record

    private func confirm(_ stage: inout Stage, _ key: VersionKey, _ token: UInt64) {
        stage.open(key, Stage.token(token))
        stage.emit(.called(.first, .startupDidComplete, load: Stage.token(token)))
        stage.log(.startConfirmed, key)
        stage.emit(.pageClosed(.first, load: Stage.token(token)))
    }

    @Test("R7: a version that one process confirms twice is the one taken last, and not proven by that")
    func confirmedAgain() {
        var stage = Stage.running(RetainedContent())
        let v9 = Stage.key("v9")
        stage.storeChanged { $0 = Stage.both(Stage.image([Stage.v2, Stage.v3, v9])) }
        for (index, key) in [Stage.v2, Stage.v3, v9, Stage.v2, Stage.v2, Stage.v2, Stage.v2].enumerated() {
            confirm(&stage, key, UInt64(index + 1))
        }
        #expect(stage.observed.confirmedProcesses(of: Stage.v2) == 1)
        var wrong = stage
        stage.storeChanged { $0 = Stage.both(Stage.image([Stage.v2, v9], generation: 2)) }
        #expect(stage.broken == [])
        wrong.storeChanged { $0 = Stage.both(Stage.image([Stage.v2, Stage.v3], generation: 2)) }
        #expect(wrong.broken == ["R7"])
    }

    @Test("R7: after damage of the newer generation the older one says what is kept, until it confirms anew")
    func olderGeneration() {
        func staged(_ confirmations: Int) -> Stage {
            var stage = Stage.running(RetainedContent())
            stage.storeChanged {
                $0 = Stage.both(Stage.image([Stage.v2, Stage.v3], generation: 2))
                $0.live.slotB = .valid(older(confirmations))
                $0.durable.slotB = $0.live.slotB
            }
            confirm(&stage, Stage.v2, 1)
            confirm(&stage, Stage.v3, 2)
            return stage
        }
        func older(_ confirmations: Int) -> RecordImage {
            Stage.record([Stage.v2], generation: 1, confirmations: confirmations)
        }
        func fallBack(_ stage: inout Stage, to keys: [VersionKey]) {
            stage.storeChanged {
                $0 = Stage.both(Stage.image(keys, generation: 3))
                $0.live.slotB = .valid(older(1))
                $0.durable.slotB = $0.live.slotB
            }
        }
        var sound = staged(1)
        fallBack(&sound, to: [Stage.v2])
        #expect(sound.broken == ["R7"])
        var stage = staged(1)
        stage.emit(.damaged("store/record.a"))
        var again = stage
        var all = stage
        fallBack(&stage, to: [Stage.v2])
        #expect(stage.broken == [])
        fallBack(&all, to: [Stage.v3])
        #expect(all.broken == ["R7"], "the older generation names v2 as good")
        confirm(&again, Stage.v3, 3)
        fallBack(&again, to: [Stage.v2])
        #expect(again.broken == ["R7"], "v3 was confirmed since")
        var unconfirmed = staged(0)
        unconfirmed.emit(.damaged("store/record.a"))
        fallBack(&unconfirmed, to: [Stage.v3])
        #expect(unconfirmed.broken == [], "the older generation does not know that v2 is good")
    }

    // MARK: - Reporting

    @Test("T1: an order for the embedded version, repeated where none is, needs no second entry")
    func orderForNothing() {
        for hasEmbedded in [false, true] {
            var stage = Stage.running(EverythingLogged())
            if !hasEmbedded {
                var status = UpdaterStatus()
                status.current = Stage.v2
                stage.emit(.status(status))
            }
            stage.answer(nil, serial: 4)
            stage.log(.embeddedByOrder)
            stage.wait(.seconds(11))
            var newer = stage
            stage.answer(nil, serial: 4)
            stage.wait(.seconds(11))
            #expect(stage.broken == (hasEmbedded ? ["T1"] : []))
            newer.answer(nil, serial: 5)
            newer.wait(.seconds(11))
            #expect(newer.broken == ["T1"])
        }
    }
}
