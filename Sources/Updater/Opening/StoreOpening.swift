import Core

/// Stages of opening the store at launch, in an order that a power cut can't harm: lock and sync before
/// reading, because what the last process wrote may be in the page cache only, and decisions must not rest on
/// what a power cut takes back; read before deciding; decide before deleting.
struct StoreOpening: Sendable {
    enum Stage: Sendable {
        case folders
        case syncVolume
        case volumeSynced
        case syncStore
        case storeSynced
        /// One of the two slots is synced, if it is there.
        case syncRecord(DiskPath)
        case recordSynced(DiskPath, FileHandle)
        case readRecordA(FileReading?)
        case readRecordB(RecordSlot, FileReading?)
        case embeddedManifest(FileReading)
        case embeddedTable(EmbeddedSource)
        case embeddedSizes(StoredVersion, next: Int)
        case tables(next: Int, FileReading?)
        case table(next: Int)
        case startsFile
    }

    /// Content of one of the two record files.
    struct RecordSlot: Sendable {
        var content: RecordSlots.Content
        var record: StoreRecord?
        /// Its generation, if a newer format wrote it (N2).
        var newer: UInt64?
    }

    /// A table of a downloaded version that could not be read, also when tried again.
    struct UnreadTable: Sendable {
        var key: VersionKey
        var error: DiskError
    }

    var stage = Stage.folders
    /// Whether a slot of the record was there before anything was done: the folders' names are then durable.
    var hasRecord = false
    /// A slot of the record that can't be read counts as damaged.
    var skipsUnreadableSlots = false
    /// Counts and note that can't be read count as absent.
    var skipsUnreadableStarts = false
    var unreadTables: [UnreadTable] = []
}
