import Backend
import Core
import Testing
import Updater
import World

@testable import Oracle
@testable import Runner

@Suite("Stored contents are parsed once")
struct StoredContentCacheTests {
    private static func content(_ bytes: [UInt8], at path: DiskPath) throws -> FileContent {
        var disk = SimulatedDisk()
        try disk.place(path, bytes)
        return try #require(disk.content(of: path))
    }

    @Test("The same bytes give the same answer; one other byte gives its own")
    func blobs() throws {
        let cache = StoredContentCache(dialect: .own)
        let good = [UInt8](repeating: 7, count: 9_000)
        var bad = good
        bad[8_999] = 8
        let name = SHA256.hash(of: good)
        let path = StorePaths.blob(name)
        for _ in 0..<3 {
            let sound = cache.blob(path, try Self.content(good, at: path), named: name)
            #expect(sound.isSound && sound.size == 9_000)
            let unsound = cache.blob(path, try Self.content(bad, at: path), named: name)
            #expect(!unsound.isSound && unsound.sha256 == SHA256.hash(of: bad))
        }
    }

    @Test("More contents of one path than the cache keeps are still distinguished")
    func manyContents() throws {
        let cache = StoredContentCache(dialect: .own)
        let path = StorePaths.blob(SHA256.hash(of: []))
        for round in 0..<2 {
            for byte in 0..<12 as Range<UInt8> {
                let bytes = [byte, UInt8(round)]
                let image = cache.blob(
                    path, try Self.content(bytes, at: path), named: SHA256.hash(of: []))
                #expect(image.sha256 == SHA256.hash(of: bytes))
            }
        }
    }

    @Test("A manifest comes with the names of its assets' partial files; a refused one gives nil")
    func manifests() throws {
        let cache = StoredContentCache(dialect: .own)
        let digest = SHA256.hash(of: [1])
        let text = """
            {"format":"otalab-manifest-1","version":"v1","app":"a","serial":1,"index":"/","files":[
            {"route":"/","size":1,"sha256":"\(digest.hex)"}]}
            """
        let path = StorePaths.partialManifest
        let manifest = try #require(cache.manifest(path, try Self.content(Array(text.utf8), at: path)))
        #expect(manifest.table.assets.count == 1)
        #expect(manifest.keys == [SHA256.hash(of: digest.bytes)])
        let cut = Array(text.utf8.dropLast())
        #expect(cache.manifest(path, try Self.content(cut, at: path)) == nil)
    }

    @Test("Every path of the store's layout is known for what it is, and no other")
    func kinds() {
        let digest = SHA256.hash(of: [2])
        #expect(StoredFile(StorePaths.recordA) == .recordA)
        #expect(StoredFile(StorePaths.recordB) == .recordB)
        #expect(StoredFile(StorePaths.lock) == .notInImage)
        #expect(StoredFile(StorePaths.starts) == .notInImage)
        #expect(StoredFile(StorePaths.tables / digest.hex) == .table(digest))
        #expect(StoredFile(StorePaths.tables / "notes") == .table(nil))
        #expect(StoredFile(StorePaths.partialManifest) == .partialManifest)
        #expect(StoredFile(StorePaths.partialFinished) == .partialFinished)
        #expect(StoredFile(StorePaths.partialFile(digest)) == .partial(digest))
        #expect(StoredFile(StorePaths.partialMetadata(digest)) == .note(of: digest))
        #expect(StoredFile(StorePaths.partial / "notes.note") == .partial(nil))
        #expect(StoredFile(StorePaths.blob(digest)) == .blob(digest))
        #expect(StoredFile(StorePaths.blobs / "zz" / digest.hex) == .stray)
        #expect(StoredFile(StorePaths.root / "something") == .stray)
    }
}
