import Backend
import Core

/// A file or directory: its live state, which processes see, and its durable state, which the medium holds.
struct Inode: Sendable {
    enum Kind: Sendable { case file, directory, unused }

    var kind: Kind
    var live: FileContent
    var durable: FileContent
    var names: [DirectoryEntry] = []
    var durableNames: [DirectoryEntry] = []
    /// Number of live names of a file; there can be two after a power cut inside a rename.
    var links: Int32 = 0
    /// Number of open handles.
    var opens: Int32 = 0

    /// Whether a sync of it failed: the medium may lack changes that are not pending any more.
    var isUncertain = false

    init(_ kind: Kind, blockSize: Int) {
        self.kind = kind
        live = FileContent(blockSize: blockSize)
        durable = live
    }

    /// Whether a crash certainly changes nothing; found without comparing content.
    var isSettled: Bool {
        opens == 0 && !isUncertain && live.isShared(with: durable) && names == durableNames
    }

    func content(_ view: DiskImage) -> FileContent {
        switch view {
        case .live: live
        case .durable: durable
        }
    }

    func inode(named name: NameID, _ view: DiskImage) -> InodeNumber? {
        switch view {
        case .live: names.inode(named: name)
        case .durable: durableNames.inode(named: name)
        }
    }

    func entries(_ view: DiskImage) -> [DirectoryEntry] {
        switch view {
        case .live: names
        case .durable: durableNames
        }
    }
}

/// A file that the process has open.
struct OpenFile: Equatable, Sendable {
    let volume: Volume
    let inode: InodeNumber
    /// Path under which it was opened, for faults that are aimed at a path.
    let path: PathID
    let isWritable: Bool
    let isLock: Bool
}
