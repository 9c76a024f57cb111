import Core

/// A name in a directory, as it was spelled last. Directories keep them sorted by the name's key.
struct DirectoryEntry: Equatable, Sendable {
    let name: NameNumber
    let inode: InodeNumber

    static func == (left: DirectoryEntry, right: DirectoryEntry) -> Bool {
        left.inode == right.inode && left.name.spelling == right.name.spelling
    }
}

/// A name's place: the directory's inode and the name in it.
struct EntryPlace: Equatable, Sendable {
    let directory: InodeNumber
    let name: NameNumber
}

extension [DirectoryEntry] {
    private func position(of name: NameNumber) -> Int {
        indices.bisected { self[$0].name.key < name.key }
    }

    func entry(named name: NameNumber) -> DirectoryEntry? {
        let index = position(of: name)
        return index < count && self[index].name == name ? self[index] : nil
    }

    func inode(named name: NameNumber) -> InodeNumber? { entry(named: name)?.inode }

    /// Adds the name, or makes it stand for another inode and be spelled like this.
    mutating func put(_ name: NameNumber, _ inode: InodeNumber) {
        let index = position(of: name)
        if index < count && self[index].name == name {
            self[index] = DirectoryEntry(name: name, inode: inode)
        } else {
            insert(DirectoryEntry(name: name, inode: inode), at: index)
        }
    }

    /// Takes the name away if it is there.
    mutating func drop(_ name: NameNumber) {
        let index = position(of: name)
        if index < count && self[index].name == name { remove(at: index) }
    }
}
