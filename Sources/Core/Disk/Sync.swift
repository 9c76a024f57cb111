/// A file or directory whose changes a sync makes durable.
public enum SyncTarget: Hashable, Sendable {
    /// Data and length of an open file (`fsync`; `F_FULLFSYNC` on Apple's systems).
    case file(FileHandle)
    /// The names in a directory.
    case directory(DiskPath)
}

/// Names one sync of a process, so that its completion finds what waits for it. Never used twice in a
/// process.
public struct SyncTicket: Hashable, Comparable, Sendable {
    public let rawValue: UInt32

    public init(_ rawValue: UInt32) { self.rawValue = rawValue }

    public static func < (first: SyncTicket, second: SyncTicket) -> Bool { first.rawValue < second.rawValue }
}
