import Core

/// Stages of opening the store at launch, in the order of storage.md: lock and sync before reading (ST-R0),
/// read before deciding, decide before deleting.
struct StoreOpening: Sendable {
    enum Stage: Sendable {
        case folders
        case syncVolume
        case syncStore
        case syncRecordA
        case syncRecordB
        case readRecordA
        case readRecordB(RecordSlot)
        case embeddedManifest(FileReading)
        case embeddedSizes(StoredVersion, next: Int)
        case tables(next: Int, FileReading?)
        /// The unfinished download of an earlier process: its manifest, and the assets that it has finished
        /// (ST-R2).
        case interrupted(FileReading)
        case finishedAssets(FileReading)
        case startsFile
    }

    /// Content of one of the two record files.
    struct RecordSlot: Sendable {
        var content: RecordSlots.Content
        var record: StoreRecord?
        /// Its generation, if a newer format wrote it (N2).
        var newer: UInt64?
    }

    var stage = Stage.folders
    var hasCreatedFolders = false
}
