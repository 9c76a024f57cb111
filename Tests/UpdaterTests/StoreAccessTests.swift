import Core
import Testing

@testable import Updater

@Suite("How a process may use the store")
struct StoreAccessTests {
    private static let failed = DiskError(.inputOutput, .write)

    private func opened() -> StoreAccess {
        var store = StoreAccess()
        store.beginOpening()
        store.endOpening()
        return store
    }

    @Test("Files are removed only while nothing is unknown that may name them")
    func removals() {
        let store = opened()
        #expect(store.phase == .running && store.isOpen && store.mayDelete && store.mayCollectGarbage)
        let changes: [(what: String, mayDelete: Bool, change: (inout StoreAccess) -> Void)] = [
            ("read-only", false, { $0.becomeReadOnly(after: Self.failed) }),
            ("unread slot", false, { $0.forbidDeletion() }),
            ("unread package", false, { $0.leavePackageUnread() }),
            ("newer format", false, { $0.keepNewerFormat() }), ("not synced", true, { $0.recordNotSynced() }),
        ]
        for (what, mayDelete, change) in changes {
            var store = store
            change(&store)
            #expect(store.mayDelete == mayDelete && !store.mayCollectGarbage, "\(what)")
            store.beginAnew()
            #expect(store.mayDelete && !store.isPackageUnread && !store.isNewerFormatKept, "\(what)")
            #expect(store.phase == .opening && !store.isOpen && !store.hasNoRoom && !store.mayCollectGarbage)
            store.endOpening()
            #expect(store.phase == .running && store.isOpen)
        }
    }

    @Test("A store that can't be written stays so until it is opened anew, and says whether room is missing")
    func readOnly() {
        for (code, hasNoRoom) in [(DiskError.Code.noSpace, true), (.quota, true), (.inputOutput, false)] {
            var store = StoreAccess()
            #expect(store.phase == .waiting && !store.isOpen)
            store.beginOpening()
            store.becomeReadOnly(after: DiskError(code, .write))
            store.endOpening()
            #expect(store.phase == .readOnlyStore && store.isOpen && store.hasNoRoom == hasNoRoom)
        }
    }

    @Test("ST: after a failed sync of the record two durable ones end the doubt, and no more are counted")
    func unsynced() {
        var store = opened()
        store.recordSynced()
        #expect(!store.isRecordUnsynced)
        store.recordNotSynced()
        store.recordNotSynced()
        store.recordSynced()
        #expect(store.isRecordUnsynced && !store.mayCollectGarbage)
        store.recordSynced()
        #expect(!store.isRecordUnsynced && store.mayCollectGarbage)
    }

    @Test("N2: what a newer format stored is dropped once")
    func newerFormat() {
        var store = opened()
        var hadAny = store.dropNewerFormat()
        #expect(!hadAny)
        store.keepNewerFormat()
        hadAny = store.dropNewerFormat()
        #expect(hadAny && !store.isNewerFormatKept && store.mayDelete)
        hadAny = store.dropNewerFormat()
        #expect(!hadAny)
    }

    @Test("T1: what an opening finds is reported once, whatever else it finds; later entries always are")
    func reported() {
        let entries = [
            LogEntry(.contentDamaged, version: "v1", detail: "a"),
            LogEntry(.contentDamaged, version: "v2", detail: "a"),
            LogEntry(.contentDamaged, version: "v1", detail: "b"),
            LogEntry(.readFailed, version: "v1", detail: "a"),
        ]
        var store = opened()
        store.isInOpening = true
        for entry in entries {
            let isKnown = store.hasReported(entry)
            #expect(!isKnown)
        }
        for entry in entries {
            var later = entry
            later.after = .seconds(9)
            let isKnown = store.hasReported(later)
            #expect(isKnown)
        }
        store.isInOpening = false
        for entry in entries {
            let isKnown = store.hasReported(entry)
            #expect(!isKnown)
        }
    }
}
