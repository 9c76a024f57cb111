import Core
import Testing
import World

@testable import Updater

@Suite("The folder of partial files: what of an unfinished download is here, and which of it may be used")
struct PartialFolderTests {
    private static func digest(_ number: UInt8) -> Digest256 { SHA256.hash(of: [number]) }

    private static func stored(_ number: UInt8, tag: String? = nil) -> StoredVersion.StoredAsset {
        .init(location: .blob(digest(number)), size: Int(number), tag: tag)
    }

    private static func table(_ numbers: [UInt8], id: String = "v2") -> VersionTable {
        VersionTable(
            key: VersionKey(id: id, digest: digest(200)), dialect: .own,
            assets: numbers.map {
                Asset(route: "/\($0)", size: 1, hash: .sha256(digest($0)), url: "\($0)")
            }, index: "/1", metadata: ManifestMetadata())
    }

    private func open(_ count: Int) -> [OpenPartialFile] {
        (0..<count).map { OpenPartialFile(file: FileHandle(id: Int32($0)), key: Self.digest(UInt8($0))) }
    }

    // MARK: The folder

    @Test("The download of an earlier process is known until this one begins or drops a download")
    func interrupted() {
        var folder = PartialFolder()
        #expect(folder.interrupted == nil)
        folder.found(Self.table([1]))
        #expect(folder.interrupted == Self.table([1]))
        let taken = [folder.takeInterrupted(), folder.takeInterrupted()]
        #expect(taken == [Self.table([1]), nil] && folder.interrupted == nil)
    }

    @Test("Only bytes that this process wrote, and of which no close or sync failed, are taken as they are")
    func written() {
        var folder = PartialFolder()
        #expect(folder.isToBeWrittenAnew(Self.digest(1)), "of an earlier process")
        folder.wrote(Self.digest(1))
        folder.wrote(Self.digest(2))
        folder.wrote(Self.digest(2))
        #expect([1, 2, 3].map { folder.isToBeWrittenAnew(Self.digest($0)) } == [false, false, true])
        folder.forget(Self.digest(2))
        #expect([1, 2, 3].map { folder.isToBeWrittenAnew(Self.digest($0)) } == [false, true, true])
    }

    @Test("Open files are closed in their order, eight in a step")
    func close() {
        var folder = PartialFolder()
        let none = folder.closeLater([])
        #expect(!none)
        let first = folder.closeLater(open(9))
        #expect(first)
        let still = folder.closeLater([])
        #expect(still, "nine wait")
        var steps: [[Int32]] = []
        while true {
            let (files, isMore) = folder.takeFilesToClose()
            steps.append(files.map(\.file.id))
            if !isMore { break }
        }
        #expect(steps == [[0, 1, 2, 3, 4, 5, 6, 7], [8]])
        _ = folder.closeLater(open(8))
        let (files, isMore) = folder.takeFilesToClose()
        #expect(files.count == 8 && !isMore)
    }

    @Test("A power cut costs three finished files, and less than 256 KiB of them: then the list is synced")
    func undurable() {
        var folder = PartialFolder()
        let lines = (1...8).map { _ in folder.addedLine(ofSize: 1) }
        #expect(lines == [false, false, false, true, false, false, false, true])
        let sizes = [262_143, 1, 262_144, 200_000, 62_143, 1].map { folder.addedLine(ofSize: $0) }
        #expect(sizes == [false, true, true, false, false, true])
    }

    @Test("S9: a step that writes what it reads stays within the bound of one that only reads")
    func anew() {
        var reading = PartialReading(assetIndex: 0, key: SHA256.hash(of: [1]))
        #expect(reading.chunkSize == FileReading.backgroundChunkSize)
        reading.sizeToWriteAnew = 400_000
        #expect(reading.chunkSize > 0 && 2 * reading.chunkSize <= FileReading.backgroundChunkSize)
    }

    @Test("The names of partial files are those of all tables, sorted, and computed anew for other tables")
    func keys() {
        var folder = PartialFolder()
        let tables = [Self.table([3, 1]), Self.table([2], id: "v3")]
        let wanted = [3, 1, 2].map { SHA256.hash(of: Self.digest($0)) }.sorted()
        for _ in 1...2 {
            let keys = folder.keys(of: tables)
            #expect(keys == wanted)
        }
        let fewer = folder.keys(of: [tables[1]])
        #expect(fewer == [SHA256.hash(of: Self.digest(2))])
        let none = folder.keys(of: [])
        #expect(none.isEmpty)
    }

    @Test("Of a finished file the last line counts; a complete download leaves none")
    func finished() {
        var folder = PartialFolder()
        for (key, number) in [(7, 1), (5, 2), (7, 3), (6, 4)] as [(UInt8, UInt8)] {
            _ = folder.finished.add(Self.digest(key), Self.digest(number), Self.stored(number))
        }
        let found = [5, 6, 7, 8].map { folder.finishedAsset(Self.digest($0)) }
        #expect(found == [Self.stored(2), Self.stored(4), Self.stored(3), nil])
        _ = folder.finished.add(Self.digest(8), Self.digest(9), Self.stored(9))
        let added = folder.finishedAsset(Self.digest(8))
        #expect(added == Self.stored(9))
        folder.downloadCompleted()
        let gone = folder.finishedAsset(Self.digest(7))
        #expect(gone == nil && folder.finished.entries.isEmpty)
    }

    // MARK: The list of finished files

    @Test("A list is read back with every field; its next line is written behind the last whole one")
    func list() {
        var list = FinishedAssets()
        var bytes: [UInt8] = []
        for (number, tag) in [(1, nil), (2, "\"t\""), (0, nil)] as [(UInt8, String?)] {
            let (line, offset) = list.add(Self.digest(9), Self.digest(number), Self.stored(number, tag: tag))
            #expect(offset == bytes.count)
            bytes += line
        }
        #expect(FinishedAssets(bytes) == list && list.length == bytes.count)
        #expect(list.entries.map(\.digest) == [1, 2, 0].map { Self.digest($0) })
        #expect(list.entries.map(\.stored.tag) == [nil, "\"t\"", nil])
        var cut = FinishedAssets(Array(bytes.dropLast()))
        #expect(cut.entries == Array(list.entries.dropLast()))
        let (_, offset) = cut.add(Self.digest(9), Self.digest(5), Self.stored(5))
        #expect(bytes[offset - 1] == 0x0a && offset < bytes.count)
    }

    @Test("A line of another form is left out, and the lines behind it are read")
    func lines() {
        let (key, digest) = (Self.digest(1).hex, Self.digest(2).hex)
        func entries(_ text: String, check: UInt32? = nil) -> Int {
            let line = "\(text) \(check ?? FNV1a32.hash(of: text))\n"
            let good = "\(key) \(digest) 7 -"
            return FinishedAssets(Array((line + "\(good) \(FNV1a32.hash(of: good))\n").utf8)).entries.count
        }
        for text in ["\(key) \(digest) 0 -", "\(key) \(digest) 1099511627776 \"t\""] {
            #expect(entries(text) == 2, "\(text)")
            #expect(entries(text, check: 7) == 1, "\(text)")
        }
        for text in [
            "\(key) \(digest) 1", "\(key) \(digest) 1 - -", "\(key.dropLast()) \(digest) 1 -",
            "\(key) \(digest.dropLast()) 1 -", "\(key) \(digest) -1 -", "\(key) \(digest) 1099511627777 -",
            "",
        ] {
            #expect(entries(text) == 1, "\(text)")
        }
        #expect(FinishedAssets.maxBytes == 8_388_608, "twenty thousand lines of the longest kind")
    }

    // MARK: The file beside a partial file

    @Test("A tag is known for the URL and the boot it was written for, if the file is whole")
    func metadata() throws {
        var disk = SimulatedDisk()
        try disk.place(StorePaths.partial / "other", [])
        let key = Self.digest(1)
        let metadata = PartialMetadata(tag: "\"t\"", mark: "boot-1")
        #expect(PartialMetadata.read(key, url: "a", &disk) == nil)
        for tag in ["\"s\"", "\"t\""] {
            try PartialMetadata(tag: tag, mark: "boot-1").write(key, url: "a/b", &disk)
        }
        let read = PartialMetadata.read(key, url: "a/b", &disk)
        let other = PartialMetadata.read(key, url: "a/c", &disk)
        #expect(read == metadata && other == nil && disk.openCount == 0)
        let path = StorePaths.partialMetadata(key)
        let content = try #require(disk.content(of: path))
        let bytes = content.read(at: 0, count: content.size)
        for offset in bytes.indices.dropLast() {
            var changed = bytes
            changed[offset] ^= 1
            try disk.place(path, changed)
            let read = PartialMetadata.read(key, url: "a/b", &disk)
            #expect(read == nil, "byte \(offset)")
        }
        for count in 0..<(bytes.count - 1) {
            try disk.place(path, Array(bytes.prefix(count)))
            let read = PartialMetadata.read(key, url: "a/b", &disk)
            #expect(read == nil, "\(count) bytes")
        }
        for call in [DiskCall.open, .write, .close] {
            disk.add(DiskFault(call, .inputOutput, path: StorePaths.partial))
            #expect(throws: DiskError.self) { try metadata.write(key, url: "a/b", &disk) }
            #expect(disk.openCount == 0)
        }
    }

    @Test("A partial file is used if it is a file, not empty and not longer than the whole")
    func usable() {
        let known = Asset(route: "/a", size: 10, hash: .none, url: "a")
        let unknown = Asset(route: "/a", size: nil, hash: .none, url: "a")
        for (size, isUsable) in [(0, false), (1, true), (10, true), (11, false)] {
            #expect(PartialReading.isUsable(FileStatus(kind: .file, size: size), of: known) == isUsable)
        }
        #expect(PartialReading.isUsable(FileStatus(kind: .file, size: 11), of: unknown))
        #expect(!PartialReading.isUsable(FileStatus(kind: .directory, size: 5), of: known))
        let reading = PartialReading(assetIndex: 1, key: Self.digest(1))
        #expect(reading.openFile == nil && !reading.hasInspectedFile && reading.offset == 0)
        #expect(reading.contents == nil && reading.tag == nil)
    }
}
