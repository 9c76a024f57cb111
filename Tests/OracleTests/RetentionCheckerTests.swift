import Core
import ScenarioLanguage
import Testing
import Updater
import World

@testable import Oracle
@testable import Runner

@Suite("R7 fires when it is broken, and only then")
struct RetentionCheckerTests {
    private func stored() -> Stage {
        var stage = Stage([RetainedContent(), LeftoversRemoved()])
        stage.launch()
        var image = Stage.image([Stage.v2, Stage.v3])
        var record = Stage.record([Stage.v2, Stage.v3])
        (record.current, record.lastKnownGood, record.previousGood) = (Stage.v3, Stage.v3, Stage.v2)
        image.slotA = .valid(record)
        stage.storeChanged { $0 = Stage.both(image) }
        return stage
    }

    @Test("R7: the record first, then the content")
    func recordFirst() {
        var right = stored()
        right.storeChanged {
            let smaller = Stage.image([Stage.v3], generation: 2)
            $0.durable.slotA = smaller.slotA
            $0.live.slotA = smaller.slotA
        }
        right.storeChanged { $0.live = Stage.image([Stage.v3], generation: 2) }
        #expect(right.broken == [])
        var stage = stored()
        stage.storeChanged { $0.live.blobs.removeFirst() }
        #expect(stage.broken == ["R7"])
    }

    @Test("R7: a removal costs the same, however many files are stored; one of a retained version is found")
    func removals() {
        func comparisons(_ count: Int) -> Int {
            var stage = Stage([])
            stage.launch()
            var store = Stage.both(Stage.image([Stage.v2, Stage.v3]))
            let blobs = (0..<count).map { index in
                let name = SHA256.hash(of: Array("\(index)".utf8))
                return BlobImage(name: name, size: 1, sha256: name)
            }
            for blob in blobs {
                store.live.putBlob(blob)
                store.durable.putBlob(blob)
            }
            var checker = RetainedContent()
            #expect(checker.storeChanged(store, in: stage.observed) == nil)
            let before = checker.comparisons
            for blob in blobs {
                store.live.removeBlob(blob.name)
                #expect(checker.storeChanged(store, in: stage.observed) == nil)
            }
            let after = checker.comparisons
            store.live.removeBlob(Stage.blob(Stage.v2, "/app.js").name)
            #expect(checker.storeChanged(store, in: stage.observed) != nil)
            return after - before
        }
        let few = comparisons(100)
        let many = comparisons(1_000)
        #expect(few > 0 && many <= few * 10, "\(few) for 100 removals, \(many) for 1,000")
    }

    @Test("R7 fires when a version goes that an open page came from")
    func openPage() {
        var stage = stored()
        stage.open(Stage.v2, Stage.token(1))
        var closed = stage
        stage.storeChanged { $0 = Stage.both(Stage.image([Stage.v3], generation: 2)) }
        #expect(stage.broken == ["R7"])
        closed.emit(.pageClosed(.first, load: Stage.token(1)))
        closed.storeChanged { $0 = Stage.both(Stage.image([Stage.v3], generation: 2)) }
        #expect(closed.broken == [])
    }

    @Test("R7 fires when the last known good version goes although it is on no record any more")
    func lastGood() {
        var stage = stored()
        stage.open(Stage.v2, Stage.token(1))
        stage.emit(.called(.first, .startupDidComplete, load: Stage.token(1)))
        stage.log(.startConfirmed, Stage.v2)
        stage.emit(.pageClosed(.first, load: Stage.token(1)))
        stage.storeChanged { $0 = Stage.both(Stage.image([Stage.v3], generation: 2)) }
        #expect(stage.broken == ["R7"])
    }

    @Test("R7 fires when stored content is changed in place")
    func inPlace() {
        var stage = stored()
        stage.storeChanged { $0.live.blobs[0].sha256 = SHA256.hash(of: [1]) }
        #expect(stage.broken == ["R7"])
    }

    @Test(
        "R7 fires when a finished file of the download goes, and not for one without a durable name")
    func finishedFile() {
        var stage = Stage([RetainedContent()])
        stage.launch()
        stage.storeChanged {
            $0 = Stage.both(Stage.image([]))
            var record = Stage.record([])
            record.download = Stage.v2
            $0.live.slotA = .valid(record)
            $0.durable.slotA = .valid(record)
            $0.live.download = Stage.table(Stage.v2).table
            $0.live.blobs = [Stage.blob(Stage.v2, "/app.js")]
        }
        var cut = stage
        var unfinished = stage
        stage.storeChanged { $0.durable.blobs = $0.live.blobs }
        stage.storeChanged { $0.live.blobs = [] }
        #expect(stage.broken == ["R7"])
        unfinished.storeChanged { $0.live.blobs = [] }
        #expect(unfinished.broken == [])
        cut.store.live.blobs = []
        cut.emit(.powerCut(survived: 0, of: 6))
        cut.storeChanged { _ in }
        #expect(cut.broken == [])
    }

    @Test("R7 fires when something that nothing names is still there after an idle minute")
    func leftover() {
        var stage = stored()
        stage.wait(.minutes(4))
        #expect(stage.broken == [])
        stage.storeChanged {
            $0.live.blobs.append(Stage.blob(Stage.key("v9"), "/app.js"))
            $0.live.blobs.sort { $0.name < $1.name }
        }
        stage.wait(.minutes(4))
        #expect(stage.broken == ["R7"])
    }

    @Test(
        "R7 fires when a version that has had no role for a whole start is still there after an idle minute")
    func withoutRole() {
        for confirmations in 0...2 {
            var stage = stored()
            stage.storeChanged {
                var record = Stage.record([Stage.v2, Stage.v3], generation: 2)
                record.current = Stage.v3
                $0.live.slotA = .valid(record)
                $0.durable.slotA = .valid(record)
            }
            for _ in 0..<confirmations {
                stage.log(.startConfirmed, Stage.v3)
                stage.storeChanged { _ in }
            }
            stage.wait(.minutes(4))
            #expect(stage.broken == (confirmations == 0 ? [] : ["R7"]))
        }
    }

    @Test("R7 fires when the manifest or the list of a download that has ended is there after an idle minute")
    func leftoverOfDownload() {
        let ended = Stage.key("v9")
        for isManifest in [true, false] {
            var stage = stored()
            stage.storeChanged {
                if isManifest {
                    $0.live.download = Stage.table(ended).table
                } else {
                    $0.live.finished = [Stage.blob(ended, "/app.js").name]
                }
            }
            stage.wait(.minutes(4))
            #expect(stage.broken == ["R7"])
        }
    }

    @Test("R7 fires when a part, or a note beside one, is there that the unfinished download does not need")
    func leftoverBesideDownload() {
        let table = Stage.table(Stage.v3).table
        let (own, other) = (PartialKey.of(table.assets[0], in: table), Stage.key("v9").digest)
        for (parts, notes, isBroken) in [
            ([own], [own], false), ([other], [], true), ([], [other], true), ([own, other], [own], true),
        ] {
            for isDownloading in [true, false] {
                var stage = stored()
                stage.storeChanged {
                    var record = $0.live.record ?? Stage.record([])
                    record.download = isDownloading ? table.key : nil
                    $0.live.slotA = .valid(record)
                    $0.durable.slotA = .valid(record)
                    if isDownloading { $0.live.download = table }
                    $0.live.partials = parts.map { PartialImage(key: $0, size: 10) }
                    $0.live.notes = notes
                }
                stage.wait(.minutes(4))
                #expect(stage.broken == (isBroken || !isDownloading ? ["R7"] : []))
            }
        }
    }

    @Test("R7 asks nothing of a record that a scenario damaged in both its generations; of one alone it does")
    func damagedRecord() {
        var one = stored()
        one.storeChanged {
            $0.live.slotB = $0.live.slotA
            $0.durable.slotB = $0.durable.slotA
        }
        one.emit(.damaged("store/record.a"))
        var both = one
        both.emit(.damaged("store/record.b"))
        for index in 0..<2 {
            var stage = index == 0 ? one : both
            stage.storeChanged {
                $0.live.blobs.removeAll()
                $0.live.tables.removeAll()
            }
            #expect(stage.broken == (index == 0 ? ["R7"] : []))
        }
    }
}
