import Core
import Updater

/// The updater's store as one view of a disk shows it: what processes see, or what a power cut leaves
/// when nothing pending survives. Damage that a scenario did to stored content is left out, damage to the
/// record is not; what it took away altogether is listed apart (``StoreView/lost``).
package struct StoreImage: Hashable, Sendable {
    package enum Slot: Hashable, Sendable {
        case absent
        case invalid
        indirect case valid(RecordImage)

        package var record: RecordImage? { if case .valid(let record) = self { record } else { nil } }
    }

    package var slotA = Slot.absent { didSet { noteRecord() } }
    package var slotB = Slot.absent { didSet { noteRecord() } }
    /// Of ``record``: what checkers ask after every change.
    package private(set) var generation: UInt64?
    package private(set) var recordedDownload: VersionKey?
    /// Those that read, sorted by key.
    package var tables: [TableImage] = []
    /// Names in `tables/`, readable or not.
    package var tableNames: [Digest256] = []
    /// Sorted by name.
    package var blobs: [BlobImage] = []
    package var partials: [PartialImage] = []
    /// The manifest of the unfinished download.
    package var download: VersionTable? { didSet { downloadKeys = nil } }
    /// Names of the partial files that its rows have, where they are known.
    package internal(set) var downloadKeys: [Digest256]?
    /// Content of its rows without a hash that is done.
    package var finished: [Digest256] = []
    /// Files in places where the layout has none.
    package var strays: [String] = []
    /// Blobs that are not what their name says.
    package private(set) var unsound: [Digest256] = []
    /// Grows when a slot of the record changes; a checker that has seen it needs no second look.
    package var commits = 0
    /// Grows when a table or a blob goes, or becomes another one.
    package var removals = 0

    package init() {}

    /// The newer valid generation.
    package var record: RecordImage? {
        guard let a = slotA.record else { return slotB.record }
        guard let b = slotB.record else { return a }
        return a.generation > b.generation ? a : b
    }

    private mutating func noteRecord() {
        let record = record
        generation = record?.generation
        recordedDownload = record?.download
    }

    package func blob(_ digest: Digest256) -> BlobImage? {
        let place = place(of: digest)
        return place < blobs.count && blobs[place].name == digest ? blobs[place] : nil
    }

    private func place(of digest: Digest256) -> Int {
        blobs.indices.bisected { blobs[$0].name < digest }
    }

    // MARK: - Changes

    package mutating func putBlob(_ blob: BlobImage) {
        unsound.removeAll { $0 == blob.name }
        if !blob.isSound { unsound.append(blob.name) }
        let place = place(of: blob.name)
        if place < blobs.count, blobs[place].name == blob.name {
            if blobs[place] == blob { return }
            blobs[place] = blob
            removals += 1
        } else {
            blobs.insert(blob, at: place)
        }
    }

    package mutating func removeBlob(_ digest: Digest256) {
        let place = place(of: digest)
        guard place < blobs.count, blobs[place].name == digest else { return }
        blobs.remove(at: place)
        unsound.removeAll { $0 == digest }
        removals += 1
    }

    package mutating func setSlotA(_ slot: Slot) {
        slotA = slot
        commits += 1
    }

    package mutating func setSlotB(_ slot: Slot) {
        slotB = slot
        commits += 1
    }

    // MARK: - Questions

    package func table(_ key: VersionKey) -> TableImage? { tables.first { $0.key == key } }

    /// What is wrong with a stored version; nil: every required file is there with the length and the
    /// hash that its row announces. Content in `except` counts as there.
    package func flaw(of key: VersionKey, except: [Digest256] = []) -> String? {
        guard let table = table(key) else { return "its table is not there" }
        for (row, place) in zip(table.table.assets, table.places) {
            switch place.location {
            case .absent where !row.isOptional: return "\(row.route) is absent"
            case .absent, .package: continue
            case .blob(let digest):
                if except.contains(digest) { continue }
                guard let blob = blob(digest) else { return "the content of \(row.route) is not there" }
                if let flaw = blob.flaw(as: row, size: place.size) { return "\(row.route) \(flaw)" }
            }
        }
        return nil
    }
}

extension BlobImage {
    /// Why this is not the content that the row announces; nil: it is.
    package func flaw(as row: Asset, size announced: Int) -> String? {
        if !isSound { return "has other bytes than its name says" }
        if size != announced { return "has \(size) bytes instead of \(announced)" }
        if let wanted = row.size, row.hash != .none, wanted != size {
            return "has \(size) bytes, its row announces \(wanted)"
        }
        switch row.hash {
        case .sha256(let digest): return digest == sha256 ? nil : "has another hash than its row announces"
        case .sha1(let digest): return digest == sha1 ? nil : "has another hash than its row announces"
        case .none: return nil
        }
    }
}
