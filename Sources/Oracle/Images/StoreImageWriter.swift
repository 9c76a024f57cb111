import Backend
import Core
import Updater

/// Applies a change of one stored file to a ``StoreImage``.
struct StoreImageWriter: Sendable {
    private let contents: StoredContentCache

    init(_ contents: StoredContentCache) { self.contents = contents }

    func put(_ file: StoredFile, _ path: DiskPath, _ content: FileContent, into image: inout StoreImage) {
        switch file {
        case .recordA: image.setSlotA(slot(path, content))
        case .recordB: image.setSlotB(slot(path, content))
        case .notInImage: break
        case .table(let digest): if let digest { putTable(digest, path, content, &image) }
        case .partialManifest:
            let manifest = contents.manifest(path, content)
            image.download = manifest?.table
            image.downloadKeys = manifest?.keys
        case .partialFinished: image.finishedList.read(content, into: &image.finished)
        case .partial(let key):
            guard let key else { break }
            image.partials.removeAll { $0.key == key }
            image.partials.append(PartialImage(key: key, size: content.size))
        case .note(let key): if !image.notes.contains(key) { image.notes.append(key) }
        case .blob(let digest): image.putBlob(contents.blob(path, content, named: digest))
        case .stray: if !image.strays.contains(path.text) { image.strays.append(path.text) }
        }
    }

    func remove(_ file: StoredFile, _ path: DiskPath, from image: inout StoreImage) {
        switch file {
        case .recordA: image.setSlotA(.absent)
        case .recordB: image.setSlotB(.absent)
        case .notInImage: break
        case .table(let digest):
            image.tableNames.removeAll { $0 == digest }
            image.tables.removeAll { $0.key.digest == digest }
            image.removals += 1
            image.tableChanges += 1
        case .partialManifest: image.download = nil
        case .partialFinished:
            image.finished = []
            image.finishedList = FinishedListReading()
        case .partial(let key): image.partials.removeAll { $0.key == key }
        case .note(let key): image.notes.removeAll { $0 == key }
        case .blob(let digest): image.removeBlob(digest)
        case .stray: image.strays.removeAll { $0 == path.text }
        }
    }

    private func slot(_ path: DiskPath, _ content: FileContent) -> StoreImage.Slot {
        contents.record(path, content).map { .valid($0) } ?? .invalid
    }

    private func putTable(
        _ digest: Digest256, _ path: DiskPath, _ content: FileContent, _ image: inout StoreImage
    ) {
        if !image.tableNames.contains(digest) { image.tableNames.append(digest) }
        let wasPresent = image.tables.contains { $0.key.digest == digest }
        image.tables.removeAll { $0.key.digest == digest }
        let table = contents.table(path, content)
        if let table, table.key.digest == digest {
            image.tables.append(table)
            image.tables.sort { $0.key < $1.key }
        }
        if wasPresent { image.removals += 1 }
        image.tableChanges += 1
    }
}
