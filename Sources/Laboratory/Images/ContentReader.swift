import Core
import Foundation
import Updater
import World

/// Works out what a file of the store says and puts it into an image; remembers what it worked out as long
/// as a file's content is the same.
struct ContentReader: Sendable {
    private let dialect: ManifestDialect
    private let blobs = SharedBlobs()
    private var tables = ContentCache<TableImage?>()
    private var records = ContentCache<RecordImage?>()
    private var manifests = ContentCache<VersionTable?>()
    private var digests: [String: Digest256] = [:]

    /// Copies share what hashing has shown about a blob.
    init(dialect: ManifestDialect) { self.dialect = dialect }

    mutating func put(_ path: DiskPath, _ content: FileContent, into image: inout StoreImage) {
        switch path.parent {
        case StorePaths.root: putTop(path, content, &image)
        case StorePaths.tables: putTable(path, content, &image)
        case StorePaths.partial: putPartial(path, content, &image)
        default: putBlob(path, content, &image)
        }
    }

    mutating func remove(_ path: DiskPath, from image: inout StoreImage) {
        let digest = digest(path.name)
        switch path.parent {
        case StorePaths.root:
            if path == StorePaths.recordA { image.setSlotA(.absent) }
            if path == StorePaths.recordB { image.setSlotB(.absent) }
            image.strays.removeAll { $0 == path.text }
        case StorePaths.tables:
            image.tableNames.removeAll { $0 == digest }
            image.tables.removeAll { $0.key.digest == digest }
            image.removals += 1
        case StorePaths.partial:
            if path == StorePaths.partialManifest { image.download = nil }
            if path == StorePaths.partialFinished { image.finished = [] }
            image.partials.removeAll { $0.key == digest }
        default:
            if let digest { image.removeBlob(digest) }
            image.strays.removeAll { $0 == path.text }
        }
    }

    private mutating func digest(_ name: String) -> Digest256? {
        if let known = digests[name] { return known }
        let digest = Digest256(hex: name)
        if let digest { digests[name] = digest }
        return digest
    }

    // MARK: - Files

    private mutating func putTop(_ path: DiskPath, _ content: FileContent, _ image: inout StoreImage) {
        switch path {
        case StorePaths.recordA: image.setSlotA(slot(path, content))
        case StorePaths.recordB: image.setSlotB(slot(path, content))
        case StorePaths.lock, StorePaths.starts: break
        default: if !image.strays.contains(path.text) { image.strays.append(path.text) }
        }
    }

    private mutating func slot(_ path: DiskPath, _ content: FileContent) -> StoreImage.Slot {
        records.value(path, content) { RecordImage(bytes: $0) }.map { .valid($0) } ?? .invalid
    }

    private mutating func putTable(_ path: DiskPath, _ content: FileContent, _ image: inout StoreImage) {
        guard let digest = digest(path.name) else { return }
        if !image.tableNames.contains(digest) { image.tableNames.append(digest) }
        let hadOne = image.tables.contains { $0.key.digest == digest }
        image.tables.removeAll { $0.key.digest == digest }
        let table = tables.value(path, content) { TableImage(bytes: $0) }
        if let table, table.key.digest == digest {
            image.tables.append(table)
            image.tables.sort { $0.key < $1.key }
        }
        if hadOne { image.removals += 1 }
    }

    private mutating func putPartial(_ path: DiskPath, _ content: FileContent, _ image: inout StoreImage) {
        if path == StorePaths.partialManifest {
            let dialect = dialect
            image.download = manifests.value(path, content) { ContentReader.manifest($0, dialect) }
        } else if path == StorePaths.partialFinished {
            image.finished = ContentReader.digests(in: content.bytes)
        } else if let key = digest(path.name) {
            image.partials.removeAll { $0.key == key }
            image.partials.append(PartialImage(key: key, size: content.size))
        }
    }

    private mutating func putBlob(_ path: DiskPath, _ content: FileContent, _ image: inout StoreImage) {
        guard let digest = digest(path.name), StorePaths.blob(digest) == path else {
            if !image.strays.contains(path.text) { image.strays.append(path.text) }
            return
        }
        let isMeteor = dialect == .meteor
        image.putBlob(
            blobs.value(path, content) { bytes in
                BlobImage(
                    name: digest, size: bytes.count, sha256: SHA256.hash(of: bytes),
                    sha1: isMeteor ? SHA1.hash(of: bytes) : nil)
            })
    }

    private static func manifest(_ bytes: [UInt8], _ dialect: ManifestDialect) -> VersionTable? {
        do throws(ManifestRefusal) {
            return try ManifestReader(dialect: dialect).read(bytes)
        } catch {
            return nil
        }
    }

    /// All runs of 64 hexadecimal digits.
    private static func digests(in bytes: [UInt8]) -> [Digest256] {
        bytes.split { Hex.value(ofDigit: $0) == nil }
            .filter { $0.count == 64 }
            .compactMap { Digest256(hex: String(decoding: $0, as: UTF8.self)) }
    }
}

/// What stored content is, worked out once for all copies of a reader: the forks of a world store the same
/// content over and over. Seen from outside a plain function of path and content.
private final class SharedBlobs: @unchecked Sendable {
    private let lock = NSLock()
    private var cache = ContentCache<BlobImage>()

    func value(_ path: DiskPath, _ content: FileContent, _ make: ([UInt8]) -> BlobImage) -> BlobImage {
        lock.withLock { cache.value(path, content, make) }
    }
}

/// What was worked out from a file's content, by path, as long as the content is the same.
struct ContentCache<Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        var content: FileContent
        var value: Value
    }

    private var entries: [String: [Entry]] = [:]

    /// At most four contents a path are remembered: both views, and the generation before.
    mutating func value(_ path: DiskPath, _ content: FileContent, _ make: ([UInt8]) -> Value) -> Value {
        let known = entries[path.text]
        if let entry = known?.first(where: { $0.content == content }) { return entry.value }
        let value = make(content.bytes)
        var kept = known ?? []
        kept.insert(Entry(content: content, value: value), at: 0)
        if kept.count > 4 { kept.removeLast() }
        entries[path.text] = kept
        return value
    }
}
