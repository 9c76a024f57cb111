import Core
import Updater
import World

/// Keeps ``StoreView`` up to date with a simulated disk, cheaply: nothing is read anew whose content is
/// the same, and each content is hashed once.
///
/// A file's content counts as the same when its blocks are the same ones in memory, or equal.
public struct StoreWatch: Sendable {
    public private(set) var view = StoreView()
    private var operations = -1
    private var liveFiles = FileIndex()
    private var durableFiles = FileIndex()
    private var blobs = ContentCache<BlobImage>()
    private var tables = ContentCache<TableImage?>()
    private var records = ContentCache<RecordImage?>()

    public init() {}

    /// Looks at the disk again.
    /// - Parameter isForced: something other than the app may have changed it.
    /// - Returns: whether the live or the durable image is another one than before.
    public mutating func update(_ disk: SimulatedDisk, isForced: Bool = false) -> Bool {
        guard isForced || disk.operations != operations else { return false }
        operations = disk.operations
        let live = liveFiles.update(disk, .live)
        let durable = durableFiles.update(disk, .durable)
        if live { view.live = image(liveFiles) }
        if durable { view.durable = image(durableFiles) }
        if !view.lost.isEmpty {
            let present = view.live
            view.lost.removeAll { present.blob($0) != nil }
        }
        return live || durable
    }

    /// The scenario damaged something that is stored.
    public mutating func mediumDamaged(_ disk: SimulatedDisk) {
        let before = view.live.blobs.map(\.name)
        _ = update(disk, isForced: true)
        view.isDamaged = true
        view.lost += before.filter { view.live.blob($0) == nil }
    }

    private mutating func image(_ index: FileIndex) -> StoreImage {
        var image = StoreImage()
        for file in index.files {
            let name = file.path.name
            switch file.path.parent {
            case StorePaths.root: readTop(file, name, &image)
            case StorePaths.tables:
                if let digest = Digest256(hex: name) { image.tableNames.append(digest) }
                let table = tables.value(file) { TableImage(bytes: $0) }
                if let table, StorePaths.table(table.key) == file.path { image.tables.append(table) }
            case StorePaths.partial: readPartial(file, name, &image)
            default: readBlob(file, name, &image)
            }
        }
        image.tables.sort { $0.key < $1.key }
        image.blobs.sort { $0.name < $1.name }
        return image
    }

    private mutating func readTop(_ file: FileIndex.File, _ name: String, _ image: inout StoreImage) {
        switch file.path {
        case StorePaths.recordA: image.slotA = slot(file)
        case StorePaths.recordB: image.slotB = slot(file)
        case StorePaths.lock, StorePaths.starts: break
        default: image.strays.append(name)
        }
    }

    private mutating func slot(_ file: FileIndex.File) -> StoreImage.Slot {
        records.value(file) { RecordImage(bytes: $0) }.map { .valid($0) } ?? .invalid
    }

    private mutating func readPartial(_ file: FileIndex.File, _ name: String, _ image: inout StoreImage) {
        if file.path == StorePaths.partialManifest {
            image.download = StoreWatch.manifest(file.content.bytes)
        } else if file.path == StorePaths.partialFinished {
            image.finished = StoreWatch.digests(in: file.content.bytes)
        } else if let key = Digest256(hex: name) {
            image.partials.append(PartialImage(key: key, size: file.content.size))
        }
    }

    private mutating func readBlob(_ file: FileIndex.File, _ name: String, _ image: inout StoreImage) {
        guard let digest = Digest256(hex: name), StorePaths.blob(digest) == file.path else {
            image.strays.append(file.path.text)
            return
        }
        image.blobs.append(
            blobs.value(file) { bytes in
                BlobImage(
                    name: digest, size: bytes.count, sha256: SHA256.hash(of: bytes),
                    sha1: SHA1.hash(of: bytes))
            })
    }

    /// The dialect is not known here: the one that reads it is the one.
    private static func manifest(_ bytes: [UInt8]) -> VersionTable? {
        for dialect in ManifestDialect.allCases {
            do throws(ManifestRefusal) {
                return try ManifestReader(dialect: dialect).read(bytes)
            } catch {
                continue
            }
        }
        return nil
    }

    /// All runs of 64 hexadecimal digits.
    private static func digests(in bytes: [UInt8]) -> [Digest256] {
        bytes.split { Hex.value(ofDigit: $0) == nil }
            .filter { $0.count == 64 }
            .compactMap { Digest256(hex: String(decoding: $0, as: UTF8.self)) }
    }
}

/// The files of the store in one view of a disk.
struct FileIndex: Sendable {
    struct File: Sendable {
        var path: DiskPath
        var content: FileContent
    }

    private(set) var files: [File] = []

    /// - Returns: whether anything is different.
    mutating func update(_ disk: SimulatedDisk, _ view: DiskView) -> Bool {
        let paths = disk.files(under: StorePaths.root, in: view)
        var isChanged = paths.count != files.count
        for (place, path) in paths.enumerated() {
            guard let content = disk.content(of: path, in: view, isPristine: true) else { continue }
            if !isChanged, files[place].path == path, files[place].content == content { continue }
            if !isChanged { isChanged = true }
            if place < files.count {
                files[place] = File(path: path, content: content)
            } else {
                files.append(File(path: path, content: content))
            }
        }
        if files.count > paths.count { files.removeLast(files.count - paths.count) }
        return isChanged
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
    mutating func value(_ file: FileIndex.File, _ make: ([UInt8]) -> Value) -> Value {
        let known = entries[file.path.text]
        if let entry = known?.first(where: { $0.content == file.content }) { return entry.value }
        let value = make(file.content.bytes)
        var kept = known ?? []
        kept.insert(Entry(content: file.content, value: value), at: 0)
        if kept.count > 4 { kept.removeLast() }
        entries[file.path.text] = kept
        return value
    }
}
