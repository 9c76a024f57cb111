import Core
import Testing

/// A disk that records syncs, whose failures are those of a test.
private struct RecordingDisk: SyncingDisk {
    var synced: [SyncTarget] = []
    var failure: DiskError?

    private mutating func record(_ target: SyncTarget) throws(DiskError) {
        synced.append(target)
        if let failure { throw failure }
    }

    mutating func sync(_ file: FileHandle) throws(DiskError) { try record(.file(file)) }
    mutating func syncDirectory(_ path: DiskPath) throws(DiskError) { try record(.directory(path)) }

    // Nothing of these is called.
    private func none(_ call: DiskCall) -> DiskError { DiskError(.other, call) }
    func open(_ path: DiskPath, _ mode: OpenMode) throws(DiskError) -> FileHandle { throw none(.open) }
    func close(_ file: FileHandle) throws(DiskError) { throw none(.close) }
    func read(_ file: FileHandle, at offset: Int, count: Int) throws(DiskError) -> [UInt8] {
        throw none(.read)
    }
    func write(_ file: FileHandle, _ bytes: ArraySlice<UInt8>, at offset: Int) throws(DiskError) -> Int {
        throw none(.write)
    }
    func truncate(_ file: FileHandle, to size: Int) throws(DiskError) { throw none(.truncate) }
    func size(_ file: FileHandle) throws(DiskError) -> Int { throw none(.size) }
    func status(_ path: DiskPath) throws(DiskError) -> FileStatus { throw none(.status) }
    func list(_ path: DiskPath) throws(DiskError) -> [String] { throw none(.list) }
    func makeDirectory(_ path: DiskPath) throws(DiskError) { throw none(.makeDirectory) }
    func rename(_ source: DiskPath, to target: DiskPath) throws(DiskError) { throw none(.rename) }
    func remove(_ path: DiskPath) throws(DiskError) { throw none(.remove) }
    func removeDirectory(_ path: DiskPath) throws(DiskError) { throw none(.removeDirectory) }
    func lock(_ path: DiskPath) throws(DiskError) -> FileHandle { throw none(.lock) }
    func freeSpace(_ volume: Volume) throws(DiskError) -> UntrustedInteger { throw none(.freeSpace) }
}

@Suite("What every disk has")
struct DiskTests {
    @Test(
        "A sync reaches the file or the directory that it names, and returns the failure",
        arguments: [
            SyncTarget.file(FileHandle(id: 7)), .directory(DiskPath(.data, "store")),
        ])
    func sync(target: SyncTarget) {
        var disk = RecordingDisk()
        #expect(disk.sync(target) == nil)
        #expect(disk.synced == [target])
        let failure = DiskError(.inputOutput, .sync)
        disk.failure = failure
        #expect(disk.sync(target) == failure)
        #expect(disk.synced == [target, target])
    }

    @Test(
        "An error says which call failed, and where if the call has a path",
        arguments: [
            (DiskError(.noSpace, .write), nil, "ENOSPC in write"),
            (DiskError(.notFound, .open, DiskPath(.data, "a/b")), "a/b", "ENOENT in open of data:a/b"),
            (DiskError(.readOnly, .remove, DiskPath(.package, "x")), "x", "EROFS in remove of package:x"),
        ] as [(DiskError, String?, String)])
    func error(error: DiskError, path: String?, description: String) {
        #expect(error.path?.text == path)
        #expect(error.description == description)
    }

    @Test(
        "A path has a name and a parent; the root's parent is the root",
        arguments: [
            ("", "", ""), ("a", "a", ""), ("a/b", "b", "a"), ("a/bc/def", "def", "a/bc"), ("ä/é", "é", "ä"),
        ])
    func paths(text: String, name: String, parent: String) {
        for volume in Volume.allCases {
            let path = DiskPath(volume, text)
            #expect(path.name == name && path.parent == DiskPath(volume, parent))
            #expect(path / "x" == DiskPath(volume, text.isEmpty ? "x" : text + "/x"))
            #expect(path.description == "\(volume.rawValue):\(text)")
        }
    }
}
