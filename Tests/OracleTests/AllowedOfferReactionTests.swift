import Backend
import Core
import TestSupport
import Testing
import Updater
import World

@testable import Oracle
@testable import Runner

@Suite("Checkers accept what the rules allow about offers, and still fire right beside it")
struct AllowedOfferReactionTests {
    // MARK: - Orders and recalls

    @Test("U4, U8: an order to run the embedded version offers that version, under its own number")
    func orderForEmbedded() {
        for checker in [OneDownloadAtATime(), ForwardOnly()] as [any Checker] {
            var stage = Stage.running(checker)
            stage.answer("v1", serial: 1)
            stage.answer("v2", serial: 2)
            stage.becomePending(Stage.v2)
            stage.status {
                $0.current = Stage.v2
                $0.pending = nil
            }
            stage.answer("v2", serial: 3)
            stage.wait(.minutes(1))
            var unordered = stage
            stage.answer(nil, serial: 4)
            stage.becomePending(Stage.v1)
            #expect(stage.broken == [])
            unordered.becomePending(Stage.v1)
            #expect(unordered.broken == [checker.rule])
        }
    }

    @Test("U8: an offer of what runs and is recalled drops nothing; of the embedded version it does")
    func recalledOffer() {
        for (ids, rules) in [(["v2"], []), (["v3"], ["U8"])] {
            var stage = Stage.running(ForwardOnly())
            stage.status { $0.current = Stage.v2 }
            stage.answer("v3", serial: 2)
            stage.becomePending(Stage.v3)
            stage.emit(.recalled(ids))
            stage.answer("v2", serial: 3)
            stage.wait(.seconds(9))
            #expect(stage.broken == rules)
        }
        var embedded = Stage.running(ForwardOnly())
        embedded.answer("v3", serial: 2)
        embedded.becomePending(Stage.v3)
        embedded.emit(.recalled(["v1"]))
        embedded.answer("v1", serial: 3)
        embedded.wait(.seconds(9))
        #expect(embedded.broken == ["U8"])
    }

    // MARK: - Stopped processes

    @Test("T1: a process that is stopped logs nothing, also if its app is brought to the front")
    func frozen() {
        var stage = Stage.running(EverythingLogged())
        stage.emit(.suspended)
        stage.emit(Stage.sent(1, .manifest), Stage.head(1, 200, offered: "v1"), Stage.ended(1))
        stage.wait(.minutes(2))
        stage.emit(.foregrounded)
        stage.wait(.minutes(2))
        #expect(stage.broken == [])
        stage.emit(.resumed)
        stage.wait(.seconds(9))
        #expect(stage.broken == [])
        stage.wait(.seconds(2))
        #expect(stage.broken == ["T1"])
    }

    @Test("T1: a download that ended with its origin line says enough of a transfer that failed")
    func lineChanged() {
        for (cause, rules) in [(LogCause.lineChanged, []), (.downloadStarted, ["T1"])] {
            var stage = Stage.running(EverythingLogged())
            stage.emit(.suspended, Stage.sent(1, .file("/app.js"), version: Stage.v2))
            stage.emit(.transferFailed(TransferID(1), .reset, bytes: 0))
            stage.wait(.minutes(2))
            stage.emit(.resumed)
            stage.log(cause, Stage.v2)
            stage.wait(.seconds(11))
            #expect(stage.broken == rules)
        }
    }

    // MARK: - Serving

    @Test(
        "S1: a server without room for an answer has lost nothing; one that fails has", arguments: [503, 500])
    func noRoom(_ status: Int) {
        var stage = Stage.running(OneVersionPerPage())
        stage.open(Stage.v2, Stage.token(1))
        let script = Stage.request(Stage.token(1), "/app.js")
        stage.emit(.pageReceived(script, Stage.answer(status: status)))
        #expect(stage.broken == (status == 503 ? [] : ["S1"]))
    }

    // MARK: - Manifests without hashes

    /// A page of v3, whose script's bytes are v2's in all answers of the origin.
    private func script(_ status: Int, _ change: (inout AppSetup) -> Void) -> Stage {
        var stage = Stage.running(OneVersionPerPage(), change)
        let content = VersionMask(index: 1)
        let fetched = [(UInt32(1), Stage.v2, 200), (2, Stage.v3, status)]
        for (id, key, status) in fetched {
            stage.emit(Stage.sent(id, .file("/app.js"), version: key), Stage.head(id, status))
            if status == 304 {
                stage.emit(.transferFailed(TransferID(id), .truncated, bytes: 0))
            } else {
                stage.emit(.transferEnded(TransferID(id), bytes: 100, contentOf: content))
            }
        }
        stage.open(Stage.v3, Stage.token(1))
        stage.emit(.pageReceived(Stage.request(Stage.token(1), "/app.js"), Stage.answer(of: 1)))
        return stage
    }

    @Test(
        "S1: without hashes a version's bytes are those that the origin sent for it, or left as they were",
        arguments: [200, 304])
    func withoutHashes(_ status: Int) {
        #expect(script(status) { $0.dialect = .frontend }.broken == [])
        let hashed = script(status) {
            $0.dialect = .frontend
            $0.frontendStatesHashes = true
        }
        #expect(hashed.broken == ["S1"])
    }

    @Test("S1: without hashes too, bytes that the origin sent for another version only are wrong")
    func notSent() {
        var stage = Stage.running(OneVersionPerPage()) { $0.dialect = .frontend }
        stage.emit(Stage.sent(1, .file("/app.js"), version: Stage.v2), Stage.head(1, 200))
        stage.emit(.transferEnded(TransferID(1), bytes: 100, contentOf: VersionMask(index: 1)))
        stage.open(Stage.v3, Stage.token(1))
        stage.emit(.pageReceived(Stage.request(Stage.token(1), "/app.js"), Stage.answer(of: 1)))
        #expect(stage.broken == ["S1"])
    }
}
