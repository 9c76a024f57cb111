import Core

/// A name in a directory, in its last spelling. Directories keep their entries sorted by the name's key.
struct DirectoryEntry: Equatable, Sendable {
    let name: NameID
    let inode: InodeNumber

    static func == (left: DirectoryEntry, right: DirectoryEntry) -> Bool {
        left.inode == right.inode && left.name.spelling == right.name.spelling
    }
}

/// The location of a directory entry: the directory's inode and the name in it.
struct EntryLocation: Equatable, Sendable {
    let directory: InodeNumber
    let name: NameID
}

extension [DirectoryEntry] {
    private func position(of name: NameID) -> Int {
        indices.bisected { self[$0].name.key < name.key }
    }

    func entry(named name: NameID) -> DirectoryEntry? {
        let index = position(of: name)
        return index < count && self[index].name == name ? self[index] : nil
    }

    func inode(named name: NameID) -> InodeNumber? { entry(named: name)?.inode }

    /// Adds the name, or gives it another inode and this spelling.
    mutating func put(_ name: NameID, _ inode: InodeNumber) {
        let index = position(of: name)
        if index < count && self[index].name == name {
            self[index] = DirectoryEntry(name: name, inode: inode)
        } else {
            insert(DirectoryEntry(name: name, inode: inode), at: index)
        }
    }

    /// Removes the name if it exists.
    mutating func drop(_ name: NameID) {
        let index = position(of: name)
        if index < count && self[index].name == name { remove(at: index) }
    }
}
