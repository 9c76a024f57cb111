import Core

/// Manifests and tables that are read or written over several steps. They are here and not in their jobs,
/// because a job is copied from step to step, and their arrays would be copied with it.
struct StepwiseValues: Sendable {
    /// The manifest that the check in progress has received.
    var manifest: ManifestReading?
    /// The manifest of the embedded version.
    var embedded: ManifestReading?
    /// The table of a downloaded version.
    var table: TableReading?
    /// The manifest of the unfinished download of an earlier process.
    var interrupted: ManifestReading?
    /// The list of the assets that it has finished.
    var finished: FinishedAssets?
    /// The table of the version whose download is complete.
    var completion: TableWriting?
}
