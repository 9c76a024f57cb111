import Core
import Testing
import World

@testable import Updater

@Suite("What a disk call that failed leaves behind")
struct LeftoverTests {
    @Test("R2: counts of starts that could not be written leave no file, and the old ones are read")
    func starts() throws {
        var device = try Harness.aboutToStart()
        device.load(.processStart)
        let before = device.bytes(of: StorePaths.starts)
        device.disk.add(DiskFault(.write, .noSpace, times: nil, path: StorePaths.newStarts))
        device.send(.inactive)
        #expect(device.causes(.diskFailed) >= 1)
        #expect(!device.disk.files(under: StorePaths.root).contains(StorePaths.newStarts))
        #expect(!before.isEmpty && device.bytes(of: StorePaths.starts) == before)
    }

    @Test("R10: a page load waits while its version's verification waits for the disk, and nothing is lost")
    func pageWaits() throws {
        var device = try Harness.aboutToStart()
        let first = device.load(.processStart)
        device.send(.page(first, .confirmed))
        device.kill()
        device.boot = "boot-2"
        device.disk.add(DiskFault(.open, .tooManyOpen, times: 3, path: StorePaths.blobs))
        device.effects = []
        try device.launch()
        #expect(!device.effects.contains(.ready))
        let token = PageLoadToken(device.nextToken)
        device.send(.pageLoadRequested(token, .processStart))
        #expect(device.running(token) == nil)
        device.wait(.seconds(1))
        #expect(device.running(token) == "v2")
        #expect(device.effects.count { $0 == .ready } == 1)
    }

    @Test("U1: a folder's sync that succeeds does not count for a name if another one failed meanwhile")
    func folderShared() throws {
        let lost = try #require(Digest256(hex: String(repeating: "0a", count: 32)))
        let kept = try #require(Digest256(hex: "0a" + String(repeating: "ff", count: 31)))
        let other = try #require(Digest256(hex: String(repeating: "ff", count: 32)))
        let device = try Harness.started()
        var (updater, disk) = (device.updater, device.disk)
        func step(_ digest: Digest256, after error: DiskError?) -> JobStep<FileCompletion> {
            var completion = FileCompletion(
                assetIndex: 0, key: digest, digest: digest, file: FileHandle(id: 0), size: 1, isDropped: true)
            completion.stage = .folderSynced
            return updater.stepFileCompletion(completion, after: error, &disk)
        }
        _ = step(lost, after: DiskError(.inputOutput, .syncDirectory, StorePaths.blobFolder(lost)))
        guard case .next(let again) = step(kept, after: nil) else {
            Issue.record("the name counts as durable")
            return
        }
        #expect(again.stage == .renameAnew)
        guard case .done = step(other, after: nil) else {
            Issue.record("the other folder's sync has not failed")
            return
        }
    }

    @Test("U1: a version without hashes of more files than a process may have open is downloaded")
    func finishedList() throws {
        let rows = (1...400).map { "{ \"path\": \"f\($0).js\", \"route\": \"/f\($0).js\" }" }
        let index = "{ \"path\": \"index.html\", \"route\": \"/index.html\" }"
        let manifest = Array(
            """
            { "commit": "v2", "date": "2026-11-11T12:00:00Z", \
            "files": [ \(([index] + rows).joined(separator: ",")) ] }
            """.utf8)
        var device = try Harness(embedded: Version("v1", serial: 1))
        device.settings.dialect = .frontend
        try device.start()
        device.script = { request in
            Reply(200, request.route.map { Array($0.utf8) } ?? manifest)
        }
        device.check()
        #expect(device.status.pending?.id == "v2")
        #expect(device.causes(.diskFailed) == 0)
    }
}
