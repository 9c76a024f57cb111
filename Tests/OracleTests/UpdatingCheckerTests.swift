import Backend
import Core
import Testing
import Updater
import World

@testable import Oracle
@testable import Runner

@Suite("Updating: U1, U2 and U4 fire when they are broken, and only then")
struct UpdatingCheckerTests {
    @Test("U1 is content with a version that is whole on the medium")
    func whole() {
        var stage = Stage([VerifiedBeforePending()])
        stage.launch()
        stage.store = Stage.both(Stage.image([Stage.v2]))
        stage.status { $0.pending = Stage.v2 }
        #expect(stage.broken == [])
    }

    @Test("U1 fires when a pending version's file would not survive a power cut")
    func notSynced() {
        var stage = Stage([VerifiedBeforePending()])
        stage.launch()
        stage.store = Stage.both(Stage.image([Stage.v2]))
        stage.store.durable.blobs.removeLast()
        stage.status { $0.pending = Stage.v2 }
        #expect(stage.broken == ["U1"])
    }

    @Test("U1 fires when a pending version's file has other bytes than its asset announces")
    func otherBytes() {
        var stage = Stage([VerifiedBeforePending()])
        stage.launch()
        var image = Stage.image([Stage.v2])
        image.tables[0].table.assets[0].hash = .sha256(SHA256.hash(of: [9]))
        stage.store = Stage.both(image)
        stage.status { $0.pending = Stage.v2 }
        #expect(stage.broken == ["U1"])
    }

    @Test("U1: if assets have no hash, the manifest is requested once more after the last file")
    func askedAgain() {
        var stage = Stage([VerifiedBeforePending()])
        stage.launch()
        var image = Stage.image([Stage.v2])
        image.tables = [Stage.table(Stage.v2, hashed: false)]
        stage.store = Stage.both(image)
        stage.emit(Stage.sent(1, .manifest), Stage.head(1, 200, offered: "v2"), Stage.ended(1))
        stage.wait(.seconds(1))
        for (number, route) in [(2, "/app.js"), (3, "/index.html")] as [(UInt32, String)] {
            stage.emit(Stage.sent(number, .file(route), version: Stage.v2), Stage.head(number, 200))
            stage.emit(Stage.ended(number, bytes: Stage.blob(Stage.v2, route).size))
        }
        stage.wait(.seconds(1))
        var again = stage
        again.emit(Stage.sent(4, .manifest), Stage.head(4, 200, offered: "v2"), Stage.ended(4))
        again.status { $0.pending = Stage.v2 }
        #expect(again.broken == [])
        // Later the origin offers another one, and an unclear start makes the version pending again (R3).
        again.wait(.seconds(1))
        again.emit(Stage.sent(5, .manifest), Stage.head(5, 200, offered: "v3"), Stage.ended(5))
        again.launch()
        again.status { $0.pending = Stage.v2 }
        #expect(again.broken == [])
        // Asked again, and it was another one.
        var other = stage
        other.emit(Stage.sent(4, .manifest), Stage.head(4, 200, offered: "v3"), Stage.ended(4))
        other.status { $0.pending = Stage.v2 }
        #expect(other.broken == ["U1"])
        stage.status { $0.pending = Stage.v2 }
        #expect(stage.broken == ["U1"])
    }

    @Test("U2 fires when stored content is requested again, not when new content is")
    func fetchedTwice() {
        var stage = Stage([NothingFetchedTwice()])
        stage.launch()
        var image = Stage.image([Stage.v2])
        image.download = Stage.table(Stage.v3).table
        stage.store = Stage.both(image)
        stage.emit(Stage.sent(1, .file("/app.js"), version: Stage.v3))
        #expect(stage.broken == [])
        stage.store.live.download?.assets[0].hash = Stage.table(Stage.v2).table.assets[0].hash
        stage.emit(Stage.head(1, 200), Stage.ended(1))
        stage.emit(Stage.sent(2, .file("/app.js"), version: Stage.v3))
        #expect(stage.broken == ["U2"])
    }

    @Test("U2 fires when an interrupted file is begun anew")
    func begunAnew() {
        var stage = Stage([NothingFetchedTwice()])
        stage.launch()
        let table = Stage.table(Stage.v3).table
        stage.store.live.download = table
        stage.store.live.partials = [PartialImage(key: PartialKey.of(table.assets[0], in: table), size: 40)]
        var right = stage
        right.emit(Stage.sent(1, .file("/app.js"), version: Stage.v3, from: 40))
        #expect(right.broken == [])
        stage.emit(Stage.sent(1, .file("/app.js"), version: Stage.v3))
        #expect(stage.broken == ["U2"])
    }

    @Test("U2 fires when an asset without a hash is requested unconditionally although a version has it")
    func unconditional() {
        var stage = Stage([NothingFetchedTwice()])
        stage.launch()
        var image = Stage.image([Stage.v2])
        image.tables = [Stage.table(Stage.v2, hashed: false)]
        image.download = Stage.table(Stage.v3, hashed: false).table
        stage.store = Stage.both(image)
        stage.emit(Stage.sent(1, .file("/app.js"), version: Stage.v3))
        #expect(stage.broken == [])
        stage.emit(Stage.head(1, 200), Stage.ended(1))
        stage.store.live.tables[0].contents[0].tag = "\"tag\""
        var right = stage
        right.emit(Stage.sent(2, .file("/app.js"), version: Stage.v3, isConditional: true))
        #expect(right.broken == [])
        stage.emit(Stage.sent(2, .file("/app.js"), version: Stage.v3))
        #expect(stage.broken == ["U2"])
    }

    @Test("U2 fires when two requests fetch the same content at once")
    func twoAtOnce() {
        var stage = Stage([NothingFetchedTwice()])
        stage.launch()
        stage.store.live.download = Stage.table(Stage.v3).table
        stage.emit(Stage.sent(1, .file("/app.js"), version: Stage.v3))
        stage.emit(Stage.sent(2, .file("/app.js"), version: Stage.v3))
        #expect(stage.broken == ["U2"])
    }

    @Test("U2 fires when a file that came whole and right is requested again, not when it came otherwise")
    func cameWhole() {
        func requestedAgain(_ bytes: Int, of version: Int, _ between: (inout Stage) -> Void = { _ in })
            -> Stage
        {
            var stage = Stage([NothingFetchedTwice()])
            stage.launch()
            stage.store.live.download = Stage.table(Stage.v2).table
            stage.status { $0.downloading = Stage.v2 }
            stage.emit(Stage.sent(1, .file("/app.js"), version: Stage.v2), Stage.head(1, 200))
            stage.emit(.transferEnded(TransferID(1), bytes: bytes, contentOf: VersionMask(index: version)))
            between(&stage)
            stage.emit(Stage.sent(2, .file("/app.js"), version: Stage.v2))
            return stage
        }
        #expect(requestedAgain(100, of: 1).broken == ["U2"])
        #expect(requestedAgain(50, of: 1).broken == [])
        #expect(requestedAgain(100, of: 2).broken == [])
        #expect(requestedAgain(100, of: 1) { $0.log(.diskFailed) }.broken == [])
        #expect(requestedAgain(100, of: 1) { $0.status { $0.downloading = nil } }.broken == [])
        #expect(requestedAgain(100, of: 1) { $0.launch() }.broken == [])
    }

    @Test("U4 fires when two checks run at once, not when one follows the other")
    func checksJoin() {
        var stage = Stage([OneDownloadAtATime()])
        stage.launch()
        stage.emit(Stage.sent(1, .manifest), Stage.head(1, 200, offered: "v2"), Stage.ended(1))
        stage.emit(Stage.sent(2, .manifest))
        #expect(stage.broken == [])
        stage.emit(Stage.sent(3, .manifest))
        #expect(stage.broken == ["U4"])
    }

    @Test("U4 fires when bytes of a superseded download are written")
    func supersededBytes() {
        var stage = Stage([OneDownloadAtATime()])
        stage.launch()
        let v3 = Stage.table(Stage.v3).table
        let own = PartialImage(key: PartialKey.of(v3.assets[0], in: v3), size: 10)
        stage.storeChanged {
            $0.live.download = v3
            $0.live.partials = [own]
        }
        #expect(stage.broken == [])
        let v2 = Stage.table(Stage.v2).table
        let late = PartialImage(key: PartialKey.of(v2.assets[0], in: v2), size: 10)
        stage.storeChanged { $0.live.partials = [own, late] }
        #expect(stage.broken == ["U4"])
    }

    @Test("U4: a later response may state another URL for a file without a hash, not for one with a hash")
    func otherURL() {
        for (cause, isHashed, rules) in [
            (LogCause.alreadyDownloading, true, ["U4"]), (.alreadyDownloading, false, []),
            (.downloadStarted, true, ["U4"]), (.downloadStarted, false, []),
        ] {
            var stage = Stage([OneDownloadAtATime()])
            stage.launch()
            let recorded = Stage.table(Stage.v3, hashed: isHashed).table
            stage.storeChanged { $0.live.download = recorded }
            var later = Stage.table(Stage.v3, hashed: false).table
            later.assets[0].url = "/other.html"
            let other = PartialImage(key: PartialKey.of(later.assets[0], in: later), size: 10)
            var early = stage
            early.storeChanged { $0.live.partials = [other] }
            #expect(early.broken == ["U4"])
            stage.log(cause, Stage.v3)
            stage.storeChanged { $0.live.partials = [other] }
            #expect(stage.broken == rules, "\(cause)")
        }
    }

    @Test("U4 fires when a late answer to an earlier check wins")
    func lateAnswer() {
        var stage = Stage([OneDownloadAtATime()])
        stage.launch()
        stage.status { $0.current = Stage.v1 }
        stage.emit(Stage.sent(1, .manifest), Stage.head(1, 200, offered: "v2"))
        stage.wait(.seconds(1))
        stage.emit(
            Stage.ended(1), Stage.sent(2, .manifest), Stage.head(2, 200, offered: "v3"), Stage.ended(2))
        var right = stage
        right.log(.becamePending, Stage.v3)
        right.status { $0.pending = Stage.v3 }
        #expect(right.broken == [])
        stage.log(.becamePending, Stage.v2)
        stage.status { $0.pending = Stage.v2 }
        #expect(stage.broken == ["U4"])
    }
}
