/// A name in a directory. Directories keep them sorted by the name's number.
struct DirectoryEntry: Equatable, Sendable {
    let name: NameNumber
    var inode: InodeNumber
}

/// A name's place: the directory's inode and the name in it.
struct EntryPlace: Equatable, Sendable {
    let directory: InodeNumber
    let name: NameNumber
}

extension [DirectoryEntry] {
    private func position(of name: NameNumber) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle].name < name { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func inode(named name: NameNumber) -> InodeNumber? {
        let index = position(of: name)
        return index < count && self[index].name == name ? self[index].inode : nil
    }

    /// Adds the name, or makes it stand for another inode.
    mutating func put(_ name: NameNumber, _ inode: InodeNumber) {
        let index = position(of: name)
        if index < count && self[index].name == name {
            self[index].inode = inode
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
