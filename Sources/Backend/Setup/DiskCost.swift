import Core

/// Virtual time that disk work takes: the disk's part of a device profile. Spans are in whole microseconds,
/// rates in bytes per second.
package struct DiskCost: Hashable, Sendable {
    /// Time of every call, in addition to its other costs.
    package var perCall: TimeSpan
    package var sync: TimeSpan
    package var syncDirectory: TimeSpan
    package var readRate: Int
    package var writeRate: Int
    /// Part of its time, in percent, that a sync adds to a batch beside a longer one. Syncs of a batch share
    /// the journal's commit and the flush of the device's cache: ext4's fsync waits for the transaction of
    /// the file's last change, and commits nothing if that is on the medium (`ext4_fsync_journal`,
    /// `jbd2_complete_transaction`). Each still waits for its own data blocks. The default is an assumption.
    package var batchShare: Int

    /// Rates below one byte per second count as one.
    package init(
        perCall: TimeSpan, sync: TimeSpan, syncDirectory: TimeSpan, readRate: Int, writeRate: Int,
        batchShare: Int = 25
    ) {
        self.batchShare = batchShare
        self.perCall = perCall
        self.sync = sync
        self.syncDirectory = syncDirectory
        self.readRate = max(readRate, 1)
        self.writeRate = max(writeRate, 1)
    }

    /// A disk on which nothing takes time.
    package static let free = DiskCost(
        perCall: .zero, sync: .zero, syncDirectory: .zero, readRate: .max, writeRate: .max)

    /// The flash of a mid-range phone; an assumption, not a measurement.
    package static let phone = DiskCost(
        perCall: .microseconds(15), sync: .milliseconds(8), syncDirectory: .milliseconds(6),
        readRate: 400_000_000, writeRate: 120_000_000)

    /// An old phone with a full, worn eMMC; an assumption, not a measurement.
    package static let wornPhone = DiskCost(
        perCall: .microseconds(60), sync: .milliseconds(90), syncDirectory: .milliseconds(60),
        readRate: 60_000_000, writeRate: 8_000_000)
}
