import Backend
import Core

/// A file or directory: what processes see beside what the medium holds.
struct Inode: Sendable {
    enum Kind: Sendable { case file, directory, unused }

    var kind: Kind
    var live: FileContent
    var durable: FileContent
    var names: [DirectoryEntry] = []
    var durableNames: [DirectoryEntry] = []
    /// Live names of a file; after a power cut inside a rename there can be two.
    var links: Int32 = 0
    /// Handles that are open on it.
    var opens: Int32 = 0

    /// A sync of it failed: the medium may lack what nothing pending will bring.
    var isUncertain = false

    init(_ kind: Kind, blockSize: Int) {
        self.kind = kind
        live = FileContent(blockSize: blockSize)
        durable = live
    }

    /// Nothing that a crash would change, as far as can be seen without comparing content.
    var isSettled: Bool {
        opens == 0 && !isUncertain && live.isShared(with: durable) && names == durableNames
    }

    func content(_ view: DiskImage) -> FileContent {
        switch view {
        case .live: live
        case .durable: durable
        }
    }

    func inode(named name: NameNumber, _ view: DiskImage) -> InodeNumber? {
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

/// A file that this process has open.
struct OpenFile: Equatable, Sendable {
    let volume: Volume
    let inode: InodeNumber
    /// The path it was opened under, for faults that are aimed at a path.
    let path: PathNumber
    let isWritable: Bool
    let isLock: Bool
}
