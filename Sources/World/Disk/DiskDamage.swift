import Backend
import Core

/// Damage to stored bytes. It is applied to the file's pristine content on each read until it is healed or
/// overwritten; a name that comes to mean another file is undamaged.
package enum DiskDamage: Hashable, Sendable {
    /// Only this number of bytes is left.
    case truncated(to: Int)
    /// The lowest bit of the byte at this offset is inverted.
    case flipped(at: Int)
    /// A read that covers this offset fails, each time.
    case unreadable(at: Int)
    /// The block with this offset reads as zeros: its write never reached the medium.
    case zeroed(at: Int)
    /// The block with this offset has the content of the block with the other offset: a misdirected write.
    case misdirected(at: Int, from: Int)
}

struct StoredDamage: Equatable, Sendable {
    let volume: Volume
    let inode: InodeNumber
    let damage: DiskDamage
}

extension SimulatedDisk {
    /// Damages a stored file. Throws `notFound`, or another error if the path is not that of a file.
    package mutating func damage(_ path: DiskPath, _ damage: DiskDamage) throws(DiskError) {
        let inode = try file(path, .status)
        journal.noteEverything()
        faults.damages.append(StoredDamage(volume: path.volume, inode: inode, damage: damage))
    }

    /// Removes a file's name from both images at once, as if it had never existed.
    package mutating func loseName(_ path: DiskPath) throws(DiskError) {
        let inode = try file(path, .status)
        let id = names.id(of: path.text)
        let parsed = names.parsed(id)
        journal.noteEverything()
        guard case .success(let directory) = tree(path.volume).directory(parsed.parent, names) else { return }
        changeTree(path.volume) { tree in
            tree[directory].names.drop(parsed.name)
            tree[directory].durableNames.drop(parsed.name)
            tree[inode].links -= 1
        }
        guard path.volume == .data else { return }
        pendingOperations.removeAll { $0.changes(EntryLocation(directory: directory, name: parsed.name)) }
        release(inode)
    }

    /// Removes everything beneath a path from both images at once, as a system that needs space does with a
    /// cache folder. The folder itself stays.
    package mutating func purge(under path: DiskPath) throws(DiskError) {
        for file in files(under: path) { try loseName(file) }
        let folders = directories(under: path)
        for folder in folders.reversed() { try loseFolder(folder) }
    }

    private mutating func loseFolder(_ path: DiskPath) throws(DiskError) {
        let inode = try directory(path, .status)
        let parsed = names.parsed(names.id(of: path.text))
        guard case .success(let parent) = tree(path.volume).directory(parsed.parent, names) else { return }
        changeTree(path.volume) { tree in
            tree[parent].names.drop(parsed.name)
            tree[parent].durableNames.drop(parsed.name)
            tree[inode].links -= 1
        }
        pendingOperations.removeAll { $0.changes(EntryLocation(directory: parent, name: parsed.name)) }
        release(inode)
    }

    /// Removes all damage.
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

    /// Repairs the damage that a write covers; bytes lost by a truncation stay lost.
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
