import Backend
import Core
import TestSupport
import Testing
import Updater
import World

@testable import Oracle
@testable import Runner

@Suite("Checkers accept what a failing or damaged disk forces, and still fire right beside it")
struct AllowedDiskReactionTests {
    private func stage(_ checker: any Checker) -> Stage {
        var stage = Stage([checker])
        stage.launch()
        stage.status { $0.current = Stage.v1 }
        return stage
    }

    // MARK: - R1

    @Test("R1: a damaged generation that was not written since names nothing; a later one does")
    func damagedGeneration() {
        var stage = stage(AlwaysStartable())
        stage.storeChanged { $0 = Stage.both(Stage.image([Stage.v2])) }
        stage.storeChanged {
            for view in [\StoreView.live, \.durable] {
                var record = Stage.record([Stage.v2])
                record.pending = Stage.v2
                $0[keyPath: view].slotA = .valid(record)
            }
        }
        var sound = stage
        stage.emit(.damaged("store/record.a"))
        for index in 0..<2 {
            func removeTable(_ view: inout StoreView) {
                view.live.tables = []
                view.durable.tables = []
            }
            if index == 0 { sound.storeChanged(removeTable) } else { stage.storeChanged(removeTable) }
        }
        #expect(sound.broken == ["R1"])
        #expect(stage.broken == [])
        stage.storeChanged {
            var record = Stage.record([Stage.v2], generation: 2)
            record.pending = Stage.v2
            $0.durable.slotA = .valid(record)
        }
        #expect(stage.broken == ["R1"])
    }

    // MARK: - R2

    @Test("R2: a page load that joins a start has that start's record; another start's is not enough")
    func joinedStart() {
        for (token, rules) in [(UInt64(1), []), (2, []), (7, ["R2"])] {
            var stage = stage(StartRecordBeforeIndex())
            func mark(_ token: UInt64) {
                var record = Stage.record([Stage.v2])
                record.openStart = RecordImage.OpenStart(
                    key: Stage.v2, native: "1.0", boot: "1", token: Stage.token(token))
                stage.store.durable.slotA = .valid(record)
            }
            mark(1)
            stage.open(Stage.v2, Stage.token(1))
            mark(token)
            stage.open(Stage.v2, Stage.token(2))
            #expect(stage.broken == rules)
        }
    }

    // MARK: - R7

    @Test("R7: a load that another document has replaced needs its version no more; a shown one does")
    func replacedLoad() {
        var stage = stage(RetainedContent())
        stage.storeChanged { $0 = Stage.both(Stage.image([Stage.v2, Stage.v3])) }
        stage.emit(.pageLoad(.first, Stage.token(1), Stage.v2))
        var open = stage
        stage.open(Stage.v3, Stage.token(2))
        open.emit(.pageLoad(.first, Stage.token(2), Stage.v3))
        stage.storeChanged { $0 = Stage.both(Stage.image([Stage.v3], generation: 2)) }
        #expect(stage.broken == [])
        open.storeChanged { $0 = Stage.both(Stage.image([Stage.v3], generation: 2)) }
        #expect(open.broken == ["R7"])
    }

    @Test("R7: the embedded version can't be recalled, so it is last known good all the same")
    func recalledEmbedded() {
        var stage = stage(RetainedContent())
        let v9 = Stage.key("v9")
        stage.storeChanged { $0 = Stage.both(Stage.image([Stage.v2, Stage.v3, v9])) }
        stage.emit(.recalled(["v1"]))
        for (index, key) in [Stage.v2, Stage.v3, Stage.v1].enumerated() {
            let token = Stage.token(UInt64(index + 1))
            stage.open(key, token)
            stage.emit(.called(.first, .startupDidComplete, load: token))
            stage.log(.startConfirmed, key)
            stage.emit(.pageClosed(.first, load: token))
        }
        // v1 is proven, as the embedded version, and no proven one came before it.
        var right = stage
        right.storeChanged { $0 = Stage.both(Stage.image([v9], generation: 2)) }
        #expect(right.broken == [])
        stage.emit(.recalled(["v3"]))
        stage.open(Stage.v2, Stage.token(9))
        stage.emit(.called(.first, .startupDidComplete, load: Stage.token(9)))
        stage.log(.startConfirmed, Stage.v2)
        stage.emit(.pageClosed(.first, load: Stage.token(9)))
        stage.storeChanged { $0 = Stage.both(Stage.image([v9], generation: 2)) }
        #expect(stage.broken == ["R7"])
    }

    // MARK: - R8

    /// The first generation is durable, or the second, and the sync of its folder fails: the updater removes
    /// it.
    private func withdrawn(first: Bool) -> Stage {
        var stage = stage(RecordReadable())
        if !first { stage.storeChanged { $0 = Stage.both(Stage.image([], generation: 1)) } }
        stage.storeChanged {
            $0.live.slotB = .valid(Stage.record([], generation: first ? 1 : 2))
            $0.durable.slotB = $0.live.slotB
        }
        stage.storeChanged { $0.live.slotB = .absent }
        return stage
    }

    private func takeBack(_ stage: inout Stage) { stage.storeChanged { $0.durable.slotB = .absent } }

    @Test("R8: a generation whose write is reported as failed may be taken back", arguments: [false, true])
    func takenBack(isFirst: Bool) {
        var stage = withdrawn(first: isFirst)
        var silent = stage
        var early = stage
        stage.wait(.seconds(2))
        stage.log(.recordNotWritten)
        stage.wait(.minutes(1))
        takeBack(&stage)
        #expect(stage.broken == [])
        // It may be written again.
        stage.storeChanged { $0 = Stage.both(Stage.image([], generation: 2)) }
        stage.storeChanged { $0 = Stage.both(Stage.image([], generation: 1)) }
        #expect(stage.broken == ["R8"])
        silent.wait(.seconds(11))
        #expect(silent.broken == ["R8"], "no report followed")
        takeBack(&early)
        #expect(early.broken == ["R8"], "it is gone before the report")
    }

    @Test("R8: generations that fail one after the other are taken back to the one before the first of them")
    func takenBackInARow() {
        var stage = withdrawn(first: false)
        stage.log(.recordNotWritten)
        // The disk makes the removal durable only when the next generation is written and fails too.
        stage.storeChanged {
            $0.live.slotB = .valid(Stage.record([], generation: 3))
            $0.durable.slotB = $0.live.slotB
        }
        stage.storeChanged { $0.live.slotB = .absent }
        stage.log(.recordNotWritten)
        var further = stage
        takeBack(&stage)
        #expect(stage.broken == [])
        further.storeChanged {
            $0.live.slotA = .absent
            $0.durable.slotA = .absent
            $0.durable.slotB = .absent
        }
        #expect(further.broken == ["R8"])
    }

    @Test("R8: first generations that fail one after the other are taken back to no record at all")
    func firstTakenBackInARow() {
        var stage = withdrawn(first: true)
        stage.log(.recordNotWritten)
        stage.wait(.seconds(1))
        stage.storeChanged {
            $0.live.slotB = .valid(Stage.record([], generation: 2))
            $0.durable.slotB = $0.live.slotB
        }
        stage.storeChanged { $0.live.slotB = .absent }
        var silent = stage
        stage.log(.recordNotWritten)
        takeBack(&stage)
        #expect(stage.broken == [])
        takeBack(&silent)
        #expect(silent.broken == ["R8"])
    }

    @Test("U1: a table that was removed before the record names it was durable; one that never was is not")
    func removedTable() {
        for (lost, rules) in [([Stage.v2.digest], []), ([], ["U1"])] as [([Digest256], [String])] {
            var stage = stage(VerifiedBeforePending())
            var image = Stage.image([Stage.v2])
            image.tables = []
            stage.store = Stage.both(image)
            stage.store.lostTables = lost
            stage.becomePending(Stage.v2)
            #expect(stage.broken == rules)
        }
    }

    @Test("R4: failures count again if their build comes back before another could write; else they don't")
    func buildThatIsBack() {
        for (cause, rules) in [(LogCause.storeUnavailable, []), (.launched, ["R4"])] {
            var stage = stage(BlameNeedsEvidence())
            func fail(_ number: UInt64) {
                stage.open(Stage.v2, Stage.token(number))
                stage.emit(.called(.first, .startupDidFail, load: Stage.token(number)))
                stage.log(.startFailedByPage, Stage.v2)
            }
            fail(1)
            stage.emit(.processEnded(.user), .installed(build: "1.1"))
            stage.launch()
            stage.log(cause)
            stage.status { $0.current = Stage.v1 }
            stage.emit(.processEnded(.user), .installed(build: "1.0"))
            stage.launch()
            fail(2)
            stage.log(.blacklistEntry, Stage.v2)
            #expect(stage.broken == rules, "\(cause)")
        }
    }

    @Test("R4: a process that can't note that it has left the front ends in front; another one does not")
    func staleNote() {
        for (isNoted, rules) in [(true, ["R4"]), (false, [])] {
            var stage = Stage([BlameNeedsEvidence()])
            stage.launch()
            stage.status { $0.current = Stage.v1 }
            stage.open(Stage.v2, Stage.token(1))
            stage.emit(.backgrounded)
            if !isNoted { stage.log(.diskFailed, nil, "starts: EROFS in open of data:store/starts") }
            stage.wait(.minutes(1))
            stage.emit(.processEnded(.lowMemory))
            stage.launch()
            stage.log(.startEndedInFront, Stage.v2)
            #expect(stage.broken == rules)
        }
    }

    @Test("R4: the note may be missing where the disk was full in that process, and in no other")
    func noteOnAFullDisk() {
        for (isHealedBefore, rules) in [(true, ["R4"]), (false, [])] {
            var stage = Stage([BlameNeedsEvidence()])
            stage.launch()
            stage.emit(.faultBegan("full", failsDisk: true, freeSpace: 0))
            if isHealedBefore {
                stage.emit(.faultHealed("full"))
                stage.launch()
            }
            stage.open(Stage.v2, Stage.token(1))
            stage.emit(.backgrounded)
            stage.wait(.minutes(1))
            stage.emit(.faultHealed("full"), .processEnded(.lowMemory))
            stage.launch()
            stage.log(.startEndedInFront, Stage.v2)
            #expect(stage.broken == rules)
        }
    }

    @Test("R4: the end that a record tells of is that of the start before the one that was not recorded")
    func unrecordedStart() {
        for (isRecorded, rules) in [(true, ["R4"]), (false, [])] {
            var stage = Stage([BlameNeedsEvidence()])
            stage.launch()
            stage.status { $0.current = Stage.v1 }
            stage.open(Stage.v2, Stage.token(1))
            stage.emit(.processEnded(.crash))
            stage.launch()
            stage.open(Stage.v2, Stage.token(2))
            if !isRecorded { stage.log(.startNotMarked, Stage.v2) }
            stage.emit(.backgrounded)
            stage.wait(.minutes(1))
            stage.emit(.processEnded(.lowMemory))
            stage.launch()
            stage.log(.startEndedInFront, Stage.v2)
            #expect(stage.broken == rules)
        }
    }

    @Test("R4: a start that is recorded when the user tries again has an end like any other")
    func startRecordedLater() {
        var stage = Stage([BlameNeedsEvidence()])
        stage.launch()
        stage.open(Stage.v2, Stage.token(1))
        stage.log(.startMarked, Stage.v2)
        stage.log(.startNotMarked, Stage.v2)
        stage.open(Stage.v2, Stage.token(2))
        stage.log(.startMarked, Stage.v2)
        stage.emit(.processEnded(.crash))
        stage.launch()
        stage.log(.startEndedInFront, Stage.v2)
        #expect(stage.broken.isEmpty)
    }

    @Test(
        "R8: a write whose close fails may be taken back; the report of a later one takes nothing older back",
        arguments: [(TimeSpan.zero, []), (.seconds(1), ["R8"])] as [(TimeSpan, [String])])
    func laterReport(reported wait: TimeSpan, rules: [String]) {
        var stage = stage(RecordReadable())
        stage.storeChanged { $0 = Stage.both(Stage.image([], generation: 1)) }
        stage.storeChanged { $0 = Stage.both(Stage.image([], generation: 2)) }
        stage.wait(wait)
        stage.log(.recordNotWritten)
        stage.wait(.seconds(1))
        stage.storeChanged { $0 = Stage.both(Stage.image([], generation: 1)) }
        #expect(stage.broken == rules)
    }

    @Test("R8: while a damaged slot is not written again, no generation need read; then one must")
    func damagedSlot() {
        var stage = stage(RecordReadable())
        stage.storeChanged { $0 = Stage.both(Stage.image([], generation: 4)) }
        var sound = stage
        stage.emit(.damaged("store/record.a"))
        stage.storeChanged { $0.live.slotA = .invalid }
        #expect(stage.broken == [])
        sound.storeChanged { $0.live.slotA = .invalid }
        #expect(sound.broken == ["R8"])
        stage.storeChanged { $0 = Stage.both(Stage.image([], generation: 2)) }
        stage.storeChanged { $0.live.slotA = .invalid }
        #expect(stage.broken == ["R8"])
    }

    // MARK: - U2

    @Test("U2: content is fetched again if the sync of its folder failed, though another made it durable")
    func failedFolder() {
        let blobs = failedFolder("data:store/blobs")
        #expect(blobs.broken == [], "the folder of all of them")
        let folder = StorePaths.blob(Stage.blob(Stage.v2, "/app.js").name).parent
        #expect(failedFolder("\(folder)").broken == [])
        #expect(failedFolder("data:store/blobs/xx").broken == ["U2"])
    }

    /// Content that is stored and durable is requested after a sync of a folder has failed.
    private func failedFolder(_ path: String) -> Stage {
        var stage = stage(NothingFetchedTwice())
        var image = Stage.image([Stage.v2])
        image.download = Stage.table(Stage.v3).table
        image.download?.assets[0].hash = Stage.table(Stage.v2).table.assets[0].hash
        stage.store = Stage.both(image)
        stage.log(.diskFailed, Stage.v3, "ENOMEM in syncDirectory of \(path)")
        stage.emit(Stage.sent(1, .file("/app.js"), version: Stage.v3))
        return stage
    }

    @Test("U2: content without a hash of a version that the record names no more is about to go")
    func unnamedVersion() {
        for (named, rules) in [([], []), ([Stage.v2], ["U2"])] as [([VersionKey], [String])] {
            var stage = stage(NothingFetchedTwice())
            var image = Stage.image([Stage.v2])
            image.slotA = .valid(Stage.record(named))
            image.tables = [Stage.table(Stage.v2, hashed: false)]
            image.tables[0].contents[0].tag = "\"tag\""
            image.download = Stage.table(Stage.v3, hashed: false).table
            stage.store = Stage.both(image)
            stage.emit(Stage.sent(1, .file("/app.js"), version: Stage.v3))
            #expect(stage.broken == rules)
        }
    }

    // MARK: - Reports

    @Test("T1: that the record could not be written says how a check ended; an entry about a page does not")
    func unwrittenCheck() {
        for (cause, rules) in [(LogCause.recordNotWritten, []), (.startConfirmed, ["T1"])] {
            var stage = stage(EverythingLogged())
            stage.emit(Stage.sent(1, .manifest), Stage.head(1, 200, offered: "v1"), Stage.ended(1))
            stage.log(cause)
            stage.wait(.seconds(11))
            #expect(stage.broken == rules)
        }
    }

    @Test("T1: a record that is being written can't contain what is reported meanwhile; the next one must")
    func reportedWhileWriting() {
        var stage = stage(EverythingLogged())
        stage.wait(.seconds(1))
        stage.storeChanged { $0.live.slotA = .valid(Stage.record([], generation: 1)) }
        stage.wait(.seconds(1))
        stage.log(.startUnclear, Stage.v2)
        stage.wait(.seconds(1))
        stage.storeChanged { $0.durable.slotA = $0.live.slotA }
        #expect(stage.broken == [])
        stage.wait(.seconds(1))
        stage.storeChanged { $0 = Stage.both(Stage.image([], generation: 2)) }
        #expect(stage.broken == ["T1"])
    }

    @Test("U8: on a disk that can't be written the pending version stays; elsewhere it must go")
    func unwrittenDrop() {
        for (cause, rules) in [(LogCause.recordNotWritten, []), (.upToDate, ["U8"])] {
            var stage = stage(ForwardOnly())
            stage.emit(Stage.sent(1, .manifest), Stage.head(1, 200, offered: "v2", serial: 2), Stage.ended(1))
            stage.log(.becamePending, Stage.v2)
            stage.status { $0.pending = Stage.v2 }
            stage.wait(.seconds(2))
            stage.emit(Stage.sent(2, .manifest), Stage.head(2, 200, offered: "v1", serial: 3), Stage.ended(2))
            stage.log(cause)
            stage.wait(.seconds(9))
            #expect(stage.broken == rules)
        }
    }
}
