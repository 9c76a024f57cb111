import Core
import Testing
import World

@testable import Updater

@Suite("U11: a full disk ends a download and gets back what that took; other errors keep what is here")
struct FullDiskTests {
    /// A device whose disk refuses the second of two files; the first one is stored.
    private func refused(_ code: DiskError.Code) throws -> Harness {
        var device = try Harness.started()
        device.offered = Version("v2", serial: 2)
        device.offered?.files.insert(("/a.js", Array("a".utf8)), at: 1)
        device.delayed = ["/app.js"]
        device.check()
        #expect(!device.disk.files(under: StorePaths.blobs).isEmpty)
        device.disk.add(DiskFault(.write, code, times: nil, path: StorePaths.partial))
        device.arrive("/app.js", [1, 2], of: 3_000)
        return device
    }

    @Test("Where a file can't be written for want of space, nothing of the download is left")
    func noSpace() throws {
        for code in [DiskError.Code.noSpace, .quota] {
            let device = try refused(code)
            #expect(device.causes(.noSpace) == 2, "the error, and the end of the download")
            #expect(device.updater.download == nil && device.status.downloading == nil)
            #expect(device.updater.durable.download == nil)
            #expect(device.disk.files(under: StorePaths.blobs).isEmpty, "the finished file")
            #expect(device.disk.files(under: StorePaths.partial).isEmpty)
            #expect(device.updater.checks.refusedByDisk?.id == "v2")
            #expect(device.updater.record.leftVersions.map(\.id) == ["v2"])
        }
    }

    @Test("Another error keeps the download and what is finished, and the file is tried again")
    func otherError() throws {
        for code in [DiskError.Code.inputOutput, .tooBig, .readOnly, .denied] {
            var device = try refused(code)
            #expect(device.causes(.noSpace) == 0 && device.causes(.diskFailed) >= 1, "\(code)")
            #expect(device.status.downloading?.id == "v2" && device.updater.durable.download?.id == "v2")
            #expect(!device.disk.files(under: StorePaths.blobs).isEmpty)
            device.disk.removeFaults()
            device.delayed = []
            device.wait(.minutes(2))
            #expect(device.status.pending?.id == "v2")
            #expect(device.requested("/a.js").count == 1)
        }
    }

    @Test("A download that can't begin on the disk is begun again by a later check")
    func begin() throws {
        for code in [DiskError.Code.noSpace, .inputOutput] {
            var device = try Harness.started()
            device.offered = Version("v2", serial: 2)
            device.disk.add(DiskFault(.open, code, times: nil, path: StorePaths.partialManifest))
            device.check()
            #expect(device.updater.download == nil && device.updater.record.download == nil)
            #expect(device.causes(code == .noSpace ? .noSpace : .diskFailed) >= 1)
            #expect(device.requests.compactMap(\.route).isEmpty)
            device.disk.removeFaults()
            device.wait(.minutes(2))
            #expect(device.status.pending?.id == "v2")
        }
    }

    @Test("Whatever ends a download, its requests are cancelled, its files closed, and the log says why")
    func dropped() throws {
        let causes: [LogCause] = [
            .superseded, .lineChanged, .diskFailed, .noSpace, .recordNotWritten, .recalled, .contentDamaged,
        ]
        for cause in causes {
            var device = try Harness.started()
            device.offered = Version("v2", serial: 2)
            device.delayed = ["/app.js"]
            let open = device.disk.openCount
            device.check()
            device.arrive("/app.js", [1, 2], of: 3_000)
            #expect(device.disk.openCount == open + 1)
            let request = try #require(device.waiting.last).id
            device.updater.dropDownload(cause)
            device.send(.network(.online))
            #expect(device.effects.contains(.cancelFetch(request)), "\(cause)")
            #expect(device.disk.openCount == open, "\(cause)")
            #expect(device.logged.contains { $0.cause == cause && $0.detail == "download ended" }, "\(cause)")
            let isOfDisk = [.diskFailed, .noSpace, .recordNotWritten].contains(cause)
            #expect((device.updater.checks.refusedByDisk != nil) == isOfDisk, "\(cause)")
            #expect(device.updater.record.leftVersions.isEmpty == (cause == .lineChanged), "\(cause)")
            #expect(device.updater.durable.download == nil && device.status.downloading == nil, "\(cause)")
            #expect(!device.timers.contains { $0.name == .idle(request) }, "\(cause)")
            #expect(device.disk.files(under: StorePaths.partial).isEmpty, "\(cause)")
        }
    }

    @Test("U8: a download in place of an earlier process's leaves that version, and its own not")
    func leaves() throws {
        let v2 = Version("v2", serial: 2)
        let table = try ManifestReader(dialect: .own).read(v2.manifest)
        for isSame in [true, false] {
            var device = try Harness.started()
            let other = VersionKey(id: "v3", digest: SHA256.hash(of: [3]))
            device.updater.record.download = isSame ? table.key : other
            device.updater.startDownload(table, v2.manifest)
            #expect(device.updater.record.leftVersions == (isSame ? [] : [other]))
        }
    }
}
