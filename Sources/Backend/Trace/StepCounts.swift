import Core

/// Disk work of one `handle`. It is bounded, so that no step holds up the events that wait: at most one sync,
/// 16 other operations, 256 KiB read.
package struct StepCounts: Hashable, Sendable {
    package static let maxSyncs = 1
    package static let maxOthers = 16
    package static let maxBytesRead = 256 * 1024

    /// Number of syncs, of files and of directories.
    package private(set) var syncs = 0
    /// Number of all other calls.
    package private(set) var others = 0
    package private(set) var bytesRead = 0
    package private(set) var bytesWritten = 0

    package init() {}

    package var isWithinBounds: Bool {
        syncs <= StepCounts.maxSyncs && others <= StepCounts.maxOthers
            && bytesRead <= StepCounts.maxBytesRead
    }

    package mutating func count(_ call: DiskCall) {
        switch call {
        case .sync, .syncDirectory: syncs += 1
        case .open, .close, .read, .write, .truncate, .size, .status, .list, .makeDirectory, .rename,
            .remove, .removeDirectory, .lock, .freeSpace:
            others += 1
        }
    }

    package mutating func count(read: Int) { bytesRead += read }
    package mutating func count(written: Int) { bytesWritten += written }
}

extension StepCounts: CustomStringConvertible {
    package var description: String {
        "\(syncs) syncs, \(others) other operations, \(bytesRead) bytes read, \(bytesWritten) written"
    }
}
