import Backend

/// One change that processes see and that may not be on the medium yet (``SimulatedDisk``).
///
/// To create and to free an inode are no operations of their own: a file without a name can't be seen, so a
/// new name includes its inode, and a lost one frees it. Modes and times are not modelled.
struct PendingOperation: Equatable, Sendable {
    enum Change: Equatable, Sendable {
        /// The whole block after the write; `grows` if it extends beyond the previous length.
        case data(block: Int, image: ContentBlock, grows: Bool)
        case size(Int)
        /// The name now means this inode, whatever it meant before.
        case add(name: NameID, inode: InodeNumber)
        /// The name is removed; by a rename, only after the new name exists.
        case removal(name: NameID, inode: InodeNumber, movedTo: EntryLocation?)
        /// An atomic rename.
        case move(name: NameID, inode: InodeNumber, to: EntryLocation, replaced: InodeNumber?)
    }

    /// The file that is written, or the directory whose names change; for a move the source directory.
    let object: InodeNumber
    /// Number of syncs that were submitted before it. A sync covers the operations that precede its
    /// submission (``SyncCoverage``).
    let syncsBefore: UInt32
    let change: Change
    /// Whether the device has the change in its cache.
    var isInDeviceCache = false

    init(_ object: InodeNumber, _ change: Change, syncsBefore: UInt32) {
        self.object = object
        self.syncsBefore = syncsBefore
        self.change = change
    }

    var isData: Bool {
        if case .data = change { return true }
        return false
    }

    var isContent: Bool {
        switch change {
        case .data, .size: true
        case .add, .removal, .move: false
        }
    }

    var isNewName: Bool {
        if case .add = change { return true }
        return false
    }

    func changesNames(of directory: InodeNumber) -> Bool {
        switch change {
        case .data, .size: false
        case .add, .removal: object == directory
        case .move(_, _, let location, _): object == directory || location.directory == directory
        }
    }

    /// The directories whose names change; -1 for none. Only a move has two.
    var changedDirectories: (InodeNumber, InodeNumber) {
        switch change {
        case .data, .size: (-1, -1)
        case .add, .removal: (object, -1)
        case .move(_, _, let location, _): (object, location.directory)
        }
    }

    func changes(_ location: EntryLocation) -> Bool {
        switch change {
        case .data, .size: false
        case .add(let name, _), .removal(let name, _, _):
            object == location.directory && name == location.name
        case .move(let name, _, let target, _):
            (object == location.directory && name == location.name) || target == location
        }
    }

    /// The directory that receives a name.
    var receivingDirectory: InodeNumber {
        if case .move(_, _, let location, _) = change { return location.directory }
        return object
    }

    /// The file or directory that a name means after the operation.
    var namedInode: InodeNumber? {
        switch change {
        case .data, .size, .removal: nil
        case .add(_, let inode), .move(_, let inode, _, _): inode
        }
    }

    /// All inodes that must keep their numbers while the operation is pending.
    var inodes: [InodeNumber] {
        switch change {
        case .data, .size: [object]
        case .add(_, let inode): [object, inode]
        case .removal(_, let inode, let location): [object, inode] + (location.map { [$0.directory] } ?? [])
        case .move(_, let inode, let location, let replaced):
            [object, inode, location.directory] + (replaced.map { [$0] } ?? [])
        }
    }
}
