import Backend

/// One change that processes see and the medium may not hold yet (storage.md, "Micro-ops").
///
/// The table's `inode-new` and `free` are not operations of their own here: a file without a name
/// can't be seen, so a new name carries its inode, and a lost one frees it. No call makes a `meta`.
struct PendingOperation: Equatable, Sendable {
    enum Change: Equatable, Sendable {
        /// The whole block as it was after the write; `grows` when it reaches beyond the length before it.
        case data(block: Int, image: ContentBlock, grows: Bool)
        case size(Int)
        /// The name stands for the inode, whatever it stood for before.
        case add(name: NameNumber, inode: InodeNumber)
        /// The name is gone; of a rename, not before the new one is there.
        case removal(name: NameNumber, inode: InodeNumber, movedTo: EntryPlace?)
        /// A whole rename at once.
        case move(name: NameNumber, inode: InodeNumber, to: EntryPlace, replaced: InodeNumber?)
    }

    /// The file that is written, or the directory whose names change; of a move the one it leaves.
    let object: InodeNumber
    let change: Change
    /// Handed to the device, but only to its cache.
    var isInDeviceCache = false

    init(_ object: InodeNumber, _ change: Change) {
        self.object = object
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
        case .move(_, _, let place, _): object == directory || place.directory == directory
        }
    }

    func changes(_ place: EntryPlace) -> Bool {
        switch change {
        case .data, .size: false
        case .add(let name, _), .removal(let name, _, _):
            object == place.directory && name == place.name
        case .move(let name, _, let target, _):
            (object == place.directory && name == place.name) || target == place
        }
    }

    /// The directory that gets a new name.
    var receivingDirectory: InodeNumber {
        if case .move(_, _, let place, _) = change { return place.directory }
        return object
    }

    /// The file or directory that a name comes to stand for.
    var namedInode: InodeNumber? {
        switch change {
        case .data, .size, .removal: nil
        case .add(_, let inode), .move(_, let inode, _, _): inode
        }
    }

    /// Every inode that must keep its number while the operation is pending.
    var inodes: [InodeNumber] {
        switch change {
        case .data, .size: [object]
        case .add(_, let inode): [object, inode]
        case .removal(_, let inode, let place): [object, inode] + (place.map { [$0.directory] } ?? [])
        case .move(_, let inode, let place, let replaced):
            [object, inode, place.directory] + (replaced.map { [$0] } ?? [])
        }
    }
}
