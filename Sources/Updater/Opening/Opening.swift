import Core

/// The stages of opening the store at launch, in the order of storage.md: lock and sync before reading
/// (ST-R0), read before deciding, decide before anything is deleted.
struct Opening: Sendable {
    enum Stage: Sendable {
        case folders
        case syncVolume
        case syncStore
        case syncRecordA
        case syncRecordB
        case readRecord
        case embeddedManifest(FileReading)
        case embeddedSizes(StoredVersion, next: Int)
        case tables(next: Int, FileReading?)
        /// The unfinished download of an earlier process: its manifest, and what it has finished (ST-R2).
        case interrupted(FileReading)
        case finishedRows(FileReading)
        case note
    }

    var stage = Stage.folders
    var hasMadeFolders = false
}
