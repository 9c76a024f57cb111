import Core
import Updater

/// The updater's store in one view of a disk: what processes see, or what a power cut leaves if no pending
/// operation survives.
///
/// An image shows stored content without the damage that a scenario did to it, but the record with such
/// damage. What a scenario removed is listed in ``StoreView/lost`` and ``StoreView/lostTables``.
package struct StoreImage: Hashable, Sendable {
    /// One of the two files that hold a generation of the record.
    package enum Slot: Hashable, Sendable {
        case absent
        case invalid
        indirect case valid(RecordImage)

        package var record: RecordImage? { if case .valid(let record) = self { record } else { nil } }
    }

    package var slotA = Slot.absent { didSet { recordDidChange() } }
    package var slotB = Slot.absent { didSet { recordDidChange() } }
    /// Generation of ``record``, cached because checkers read it after every change.
    package private(set) var generation: UInt64?
    /// Download that ``record`` names, cached for the same reason.
    package private(set) var recordedDownload: VersionKey?
    /// Valid tables, sorted by key.
    package var tables: [TableImage] = []
    /// Names in `tables/`, of valid and invalid tables.
    package var tableNames: [Digest256] = []
    /// Files of `blobs/`, sorted by name.
    package var blobs = BlobList()
    /// Names of blobs in the order in which they came, for checkers that look at new ones only.
    package var arrivals = ArrivalLog()
    /// Names of blobs that were removed or replaced, in order; one for each of ``removals`` that was a blob.
    package var blobRemovals = ArrivalLog()
    package var partials: [PartialImage] = []
    /// Names of the partial files beside which something is noted.
    package var notes: [Digest256] = []
    /// Manifest of the unfinished download.
    package var download: VersionTable? { didSet { downloadKeys = nil } }
    /// Names of the partial files of its assets; nil if they are not computed yet.
    package internal(set) var downloadKeys: [Digest256]?
    /// The same, computed if they are not; nil where there is no unfinished download.
    var partKeys: [Digest256]? {
        download.map { table in downloadKeys ?? table.assets.map { PartialKey.of($0, in: table) } }
    }
    /// Finished content of its assets that have no SHA-256.
    package var finished: [Digest256] = []
    /// The list from which ``finished`` was read.
    var finishedList = FinishedListReading()
    /// Paths of files that the layout does not know.
    package var strays: [String] = []
    /// Names of blobs whose bytes have another digest.
    package private(set) var unsound: [Digest256] = []
    /// Number of changes of the record's slots. A checker that has seen this number need not look again.
    package var commits = 0
    /// Number of times that a table or a blob was removed or replaced.
    package var removals = 0
    /// Number of changes of ``tables``.
    package var tableChanges = 0

    package init() {}

    /// The valid slot with the higher generation.
    package var record: RecordImage? {
        guard let a = slotA.record else { return slotB.record }
        guard let b = slotB.record else { return a }
        return a.generation > b.generation ? a : b
    }

    private mutating func recordDidChange() {
        let record = record
        generation = record?.generation
        recordedDownload = record?.download
    }

    package func blob(_ digest: Digest256) -> BlobImage? { blobs.blob(named: digest) }

    // MARK: - Changes

    package mutating func putBlob(_ blob: BlobImage) {
        unsound.removeAll { $0 == blob.name }
        if !blob.isSound { unsound.append(blob.name) }
        guard let previous = blobs.put(blob) else { return arrivals.names.append(blob.name) }
        if previous != blob { countRemoval(of: blob.name) }
    }

    private mutating func countRemoval(of blob: Digest256) {
        removals += 1
        blobRemovals.names.append(blob)
    }

    package mutating func removeBlob(_ digest: Digest256) {
        guard blobs.remove(named: digest) else { return }
        unsound.removeAll { $0 == digest }
        countRemoval(of: digest)
    }

    package mutating func setSlotA(_ slot: Slot) {
        slotA = slot
        commits += 1
    }

    package mutating func setSlotB(_ slot: Slot) {
        slotB = slot
        commits += 1
    }

    // MARK: - Queries

    package func table(_ key: VersionKey) -> TableImage? { tables.first { $0.key == key } }

    /// What is wrong with a stored version; nil if every required file is present with the length and the
    /// hash that its asset announces. Content in `except` counts as present.
    package func flaw(of key: VersionKey, except: [Digest256] = []) -> String? {
        guard let table = table(key) else { return "its table is not there" }
        let assets = table.table.assets
        for (index, content) in zip(assets.indices, table.contents) {
            switch content.location {
            case .absent where !assets[index].isOptional: return "\(assets[index].route) is absent"
            case .absent, .package: continue
            case .blob(let digest):
                if except.contains(digest) { continue }
                let asset = assets[index]
                guard let blob = blob(digest) else { return "the content of \(asset.route) is not there" }
                if let flaw = blob.flaw(as: asset, size: content.size) { return "\(asset.route) \(flaw)" }
            }
        }
        return nil
    }
}

extension BlobImage {
    /// Why this is not the content that the asset announces; nil if it is.
    package func flaw(as asset: Asset, size announced: Int) -> String? {
        if !isSound { return "has other bytes than its name says" }
        if size != announced { return "has \(size) bytes instead of \(announced)" }
        if let wanted = asset.size, asset.hash != .none, wanted != size {
            return "has \(size) bytes, its row announces \(wanted)"
        }
        switch asset.hash {
        case .sha256(let digest): return digest == sha256 ? nil : "has another hash than its row announces"
        case .sha1(let digest): return digest == sha1 ? nil : "has another hash than its row announces"
        case .none: return nil
        }
    }
}
