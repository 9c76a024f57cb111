import Core

/// What went wrong with stored bytes. It lies over the file's pristine content until it is healed or
/// written over; names that come to stand for another file are sound.
public enum DiskDamage: Hashable, Sendable {
    /// Only so many bytes are left.
    case truncated(to: Int)
    /// The lowest bit of the byte at this offset is the other one.
    case flipped(at: Int)
    /// A read that covers this offset fails, each time.
    case unreadable(at: Int)
}

struct StoredDamage: Equatable, Sendable {
    let volume: Volume
    let inode: InodeNumber
    let damage: DiskDamage
}

extension SimulatedDisk {
    /// Damages a stored file. Throws `notFound` or what else keeps the path from being a file's.
    public mutating func damage(_ path: DiskPath, _ damage: DiskDamage) throws(DiskError) {
        let inode = try file(path, .status)
        journal.noteEverything()
        faults.damages.append(StoredDamage(volume: path.volume, inode: inode, damage: damage))
    }

    /// Takes a file's name away as if it had never been there: from both images, at once.
    public mutating func loseName(_ path: DiskPath) throws(DiskError) {
        let inode = try file(path, .status)
        let number = names.number(of: path.text)
        let place = names.place(number)
        journal.noteEverything()
        guard case .success(let directory) = tree(path.volume).directory(place.parent, names) else { return }
        changeTree(path.volume) { tree in
            tree[directory].names.drop(place.name)
            tree[directory].durableNames.drop(place.name)
            tree[inode].links -= 1
        }
        guard path.volume == .data else { return }
        pending.removeAll { $0.changes(EntryPlace(directory: directory, name: place.name)) }
        release(inode)
    }

    /// Takes all damage away.
    public mutating func healDamage() { faults.damages.removeAll() }

    func content(_ volume: Volume, _ inode: InodeNumber, _ view: DiskView, isPristine: Bool = false)
        -> FileContent
    {
        var content = tree(volume)[inode].content(view)
        if faults.damages.isEmpty || isPristine { return content }
        for stored in faults.damages where stored.volume == volume && stored.inode == inode {
            switch stored.damage {
            case .truncated(let size): if size < content.size { content.resize(to: max(size, 0)) }
            case .flipped(let offset):
                guard let byte = content.read(at: offset, count: 1).first else { break }
                _ = content.write([byte ^ 1], at: offset)
            case .unreadable: break
            }
        }
        return content
    }

    func isUnreadable(_ volume: Volume, _ inode: InodeNumber, _ range: Range<Int>) -> Bool {
        faults.damages.contains { stored in
            guard stored.volume == volume, stored.inode == inode,
                case .unreadable(let offset) = stored.damage
            else { return false }
            return range.contains(offset)
        }
    }

    /// A write over damage: what it covers is sound again, what a truncation lost stays lost.
    mutating func writeOverDamage(_ inode: InodeNumber, _ range: Range<Int>) {
        guard !faults.damages.isEmpty else { return }
        let ofFile = faults.damages.filter { $0.volume == .data && $0.inode == inode }
        for stored in ofFile {
            switch stored.damage {
            case .truncated(let size):
                if size < data[inode].live.size { data[inode].live.resize(to: max(size, 0)) }
                if size < data[inode].durable.size { data[inode].durable.resize(to: max(size, 0)) }
            case .flipped(let offset), .unreadable(let offset):
                guard range.contains(offset) else { continue }
            }
            faults.damages.removeAll { $0 == stored }
        }
    }
}
