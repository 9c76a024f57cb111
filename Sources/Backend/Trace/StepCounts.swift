import Core

/// Disk work of one `handle`. It is bounded, so that no step holds up the events that wait: no sync, at most
/// 16 other operations, 256 KiB read. A step of the background, for which no page waits, reads and writes at
/// most 64 KiB (rule S9).
package struct StepCounts: Hashable, Sendable {
    package static let maxOthers = 16
    package static let maxBytesRead = 256 * 1024
    package static let maxBackgroundBytes = 64 * 1024

    /// Number of syncs, of files and of directories.
    package private(set) var syncs = 0
    /// Number of all other calls.
    package private(set) var others = 0
    package private(set) var bytesRead = 0
    package private(set) var bytesWritten = 0

    package init() {}

    package var isWithinBounds: Bool {
        syncs == 0 && others <= StepCounts.maxOthers && bytesRead <= StepCounts.maxBytesRead
    }

    package var isWithinBackgroundBounds: Bool {
        isWithinBounds && bytesRead + bytesWritten <= StepCounts.maxBackgroundBytes
    }

    /// Whether it has more operations, or as many and more bytes.
    package func exceeds(_ other: StepCounts) -> Bool {
        (others, bytesRead + bytesWritten) > (other.others, other.bytesRead + other.bytesWritten)
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
