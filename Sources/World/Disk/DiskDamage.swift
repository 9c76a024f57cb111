import Backend
import Core

/// What went wrong with stored bytes. It lies over the file's pristine content until it is healed or
/// written over; names that come to stand for another file are sound.
package enum DiskDamage: Hashable, Sendable {
    /// Only so many bytes are left.
    case truncated(to: Int)
    /// The lowest bit of the byte at this offset is the other one.
    case flipped(at: Int)
    /// A read that covers this offset fails, each time.
    case unreadable(at: Int)
    /// The block with this offset reads as zeros: its write never reached the medium.
    case zeroed(at: Int)
    /// The block with this offset holds what belongs to the one with the other offset: a misdirected write.
    case misdirected(at: Int, from: Int)
}

struct StoredDamage: Equatable, Sendable {
    let volume: Volume
    let inode: InodeNumber
    let damage: DiskDamage
}

extension SimulatedDisk {
    /// Damages a stored file. Throws `notFound` or what else keeps the path from being a file's.
    package mutating func damage(_ path: DiskPath, _ damage: DiskDamage) throws(DiskError) {
        let inode = try file(path, .status)
        journal.noteEverything()
        faults.damages.append(StoredDamage(volume: path.volume, inode: inode, damage: damage))
    }

    /// Takes a file's name away as if it had never been there: from both images, at once.
    package mutating func loseName(_ path: DiskPath) throws(DiskError) {
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

    /// Takes everything beneath a path away, as a system that needs space does with a cache folder: from both
    /// images, at once. The folder itself stays.
    package mutating func purge(under path: DiskPath) throws(DiskError) {
        for file in files(under: path) { try loseName(file) }
        let folders = directories(under: path)
        for folder in folders.reversed() { try loseFolder(folder) }
    }

    private mutating func loseFolder(_ path: DiskPath) throws(DiskError) {
        let inode = try directory(path, .status)
        let place = names.place(names.number(of: path.text))
        guard case .success(let parent) = tree(path.volume).directory(place.parent, names) else { return }
        changeTree(path.volume) { tree in
            tree[parent].names.drop(place.name)
            tree[parent].durableNames.drop(place.name)
            tree[inode].links -= 1
        }
        pending.removeAll { $0.changes(EntryPlace(directory: parent, name: place.name)) }
        release(inode)
    }

    /// Takes all damage away.
    package mutating func healDamage() { faults.damages.removeAll() }

    func content(_ volume: Volume, _ inode: InodeNumber, _ view: DiskImage, isPristine: Bool = false)
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
            case .zeroed(let offset):
                let block = offset / blockSize * blockSize
                let count = content.read(at: block, count: blockSize).count
                _ = content.write([UInt8](repeating: 0, count: count)[...], at: block)
            case .misdirected(let offset, let other):
                let block = offset / blockSize * blockSize
                let count = content.read(at: block, count: blockSize).count
                var bytes = content.read(at: other / blockSize * blockSize, count: count)
                bytes += [UInt8](repeating: 0, count: count - bytes.count)
                _ = content.write(bytes[...], at: block)
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
            case .zeroed(let offset), .misdirected(let offset, _):
                let block = offset / blockSize * blockSize
                guard range.lowerBound <= block, range.upperBound >= block + blockSize else { continue }
            }
            faults.damages.removeAll { $0 == stored }
        }
    }
}
