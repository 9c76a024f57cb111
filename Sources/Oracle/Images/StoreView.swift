import Core

/// Both views of one device's store, and what the scenario removed from the medium or damaged.
package struct StoreView: Hashable, Sendable {
    /// The store that processes see.
    package var live = StoreImage()
    /// The least that a power cut can leave.
    package var durable = StoreImage()
    /// Content that a `disk` step removed and that has not been stored again.
    package var lost: [Digest256] = []
    /// Content to which a `disk` step gave another length, and that has not been stored again. Both images
    /// have it as it was.
    package var resized: [Digest256] = []
    /// Names of tables that a `disk` step removed and that have not been stored again.
    package var lostTables: [Digest256] = []
    /// Whether the scenario has damaged anything stored. If so, the record may rightly be older.
    package var isDamaged = false

    package init() {}

    /// Whether the durable record is of the channel that the settings name, or there is none. Until a change
    /// is written, reports show the state of the line before.
    func isOfChannel(_ channel: String) -> Bool { durable.record?.channel ?? channel == channel }
}
