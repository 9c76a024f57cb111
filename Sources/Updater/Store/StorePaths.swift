import Core

/// Paths in the store: the lock, two generations of the record, contents and versions by their digests, the
/// one unfinished download, and the counts of starts. No text of a manifest becomes part of a path.
package enum StorePaths {
    package static let root = DiskPath(.data, "store")
    package static let lock = root / "LOCK"
    package static let recordA = root / "record.a"
    package static let recordB = root / "record.b"
    package static let starts = root / "starts"
    package static let blobs = root / "blobs"
    /// A record that is written beside the slots before it takes the name of one.
    package static let newRecord = root / "record.new"
    /// The counts of starts, before they replace the previous ones.
    package static let newStarts = root / "starts.new"
    package static let tables = root / "tables"
    package static let partial = root / "partial"
    package static let partialManifest = partial / "manifest"
    package static let partialFinished = partial / "finished"

    private static let blobsBeginning = blobs.text + "/"
    private static let tablesBeginning = tables.text + "/"
    private static let partialBeginning = partial.text + "/"

    /// `blobs/ab`, the folder of a blob.
    package static func blobFolder(_ digest: Digest256) -> DiskPath {
        DiskPath(blobs.volume, digest.folder(beginning: blobsBeginning))
    }

    package static func blob(_ digest: Digest256) -> DiskPath {
        DiskPath(blobs.volume, digest.path(beginning: blobsBeginning))
    }

    package static func table(_ key: VersionKey) -> DiskPath {
        DiskPath(tables.volume, key.digest.text(beginning: tablesBeginning))
    }

    package static func partialFile(_ key: Digest256) -> DiskPath {
        DiskPath(partial.volume, key.text(beginning: partialBeginning))
    }

    /// File with URL and strong tag of a partial file.
    package static func partialMetadata(_ key: Digest256) -> DiskPath {
        DiskPath(partial.volume, key.text(beginning: partialBeginning, ending: metadataEnding))
    }

    /// The name of the partial file that a metadata file belongs to; any other name as it is.
    package static func partialName(_ name: Substring) -> Substring {
        name.hasSuffix(metadataEnding) ? name.dropLast(metadataEnding.utf8.count) : name
    }

    private static let metadataEnding = ".note"
}
