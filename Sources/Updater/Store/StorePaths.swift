import Core

/// Where things lie in the store (storage.md). Every name is made from a digest; no text from a manifest gets
/// here.
public enum StorePaths {
    public static let root = DiskPath(.data, "store")
    public static let lock = root / "LOCK"
    public static let recordA = root / "record.a"
    public static let recordB = root / "record.b"
    public static let starts = root / "starts"
    public static let blobs = root / "blobs"
    public static let tables = root / "tables"
    public static let partial = root / "partial"
    public static let partialManifest = partial / "manifest"
    public static let partialFinished = partial / "finished"

    private static let blobsBeginning = blobs.text + "/"

    /// `blobs/ab`, the folder of a blob.
    public static func blobFolder(_ digest: Digest256) -> DiskPath {
        blobs / String(digest.hex.prefix(2))
    }

    public static func blob(_ digest: Digest256) -> DiskPath {
        DiskPath(blobs.volume, digest.path(beginning: blobsBeginning))
    }

    public static func table(_ key: VersionKey) -> DiskPath { tables / key.digest.hex }

    public static func partialFile(_ key: Digest256) -> DiskPath { partial / key.hex }

    /// URL, strong ETag and length beside a partial file.
    public static func partialNote(_ key: Digest256) -> DiskPath { partial / (key.hex + ".note") }
}
