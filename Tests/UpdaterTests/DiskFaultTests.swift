import Core
import Testing
import World

@testable import Updater

@Suite("A disk call that fails once, any of them, delays an update and has no other consequence (R4, ST-2)")
struct DiskFaultTests {
    private static let calls: [(call: DiskCall, code: DiskError.Code)] = [
        (.open, .inputOutput), (.close, .inputOutput), (.read, .inputOutput), (.write, .inputOutput),
        (.write, .noSpace), (.status, .inputOutput), (.list, .inputOutput), (.makeDirectory, .inputOutput),
        (.rename, .inputOutput), (.remove, .inputOutput), (.sync, .inputOutput),
        (.syncDirectory, .inputOutput),
    ]

    /// What must be so once the second version is pending and nothing is left to do.
    private func expectClean(_ device: Harness, _ comment: String, openFiles: Int) {
        let updater = device.updater
        #expect(device.status.pending?.id == "v2", "\(comment)")
        #expect(device.status.blacklist.isEmpty && device.status.current?.id == "v1", "\(comment)")
        #expect(device.disk.openCount == openFiles, "\(comment): files that are open")
        #expect(device.disk.files(under: StorePaths.partial).isEmpty, "\(comment): partial files")
        let digests = Set(updater.versions.all.flatMap(\.blobs))
        let blobs = device.disk.files(under: StorePaths.blobs)
        #expect(Set(blobs) == Set(digests.map { StorePaths.blob($0) }), "\(comment): content")
        for digest in digests {
            let bytes = device.bytes(of: StorePaths.blob(digest))
            #expect(SHA256.hash(of: bytes) == digest, "\(comment): bytes")
        }
        let tables = updater.record.versions.map { StorePaths.table($0.key) }
        #expect(Set(device.disk.files(under: StorePaths.tables)) == Set(tables), "\(comment): tables")
        var record = updater.record
        record.log = updater.durable.log
        record.originTime = updater.durable.originTime
        #expect(record == updater.durable && record.download == nil, "\(comment): record")
        #expect(updater.record.damaged.isEmpty, "\(comment): damage")
        #expect(updater.download == nil, "\(comment): download")
    }

    @Test(
        "The version arrives whole, nothing is left over, no file stays open", arguments: UpdateStory.allCases
    )
    func onceEach(story: UpdateStory) throws {
        let before = try story.device()
        let openFiles = before.disk.openCount
        var whole = before
        UpdateStory.update(&whole)
        let operations = whole.disk.operations
        whole.wait(.minutes(3))
        expectClean(whole, "without a fault", openFiles: openFiles)
        for (call, code) in Self.calls {
            var unchanged = 0
            for nth in 1...40 where unchanged < 3 {
                var device = before
                device.disk.add(DiskFault(call, nth: nth, code, times: 1))
                UpdateStory.update(&device)
                unchanged = device.disk.operations == operations ? unchanged + 1 : 0
                let comment = "\(story) \(call) \(code) \(nth)"
                let requests = Dictionary(grouping: device.requests.compactMap(\.route)) { $0 }
                #expect(requests.values.allSatisfy { $0.count <= 4 }, "\(comment): requests")
                // What is pending is durable, whatever happens now.
                var cut = device
                cut.disk.removeFaults()
                cut.disk.powerCut(keeping: .nothing)
                cut.boot = "boot-2"
                try cut.launch()
                #expect(cut.show(.processStart) == "v2", "\(comment): after a power cut")
                #expect(cut.causes(.contentDamaged) == 0, "\(comment): after a power cut")
                device.disk.removeFaults()
                device.wait(.minutes(3))
                expectClean(device, comment, openFiles: openFiles)
            }
        }
    }
}
