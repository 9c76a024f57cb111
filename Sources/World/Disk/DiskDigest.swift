import Backend
import Core

/// A digest of the data volume of a device without a process, cheap enough for every state of a crash-point
/// search.
extension SimulatedDisk {
    /// Equal for equal data volumes: both images, and the pending operations in order. Open handles, syncs in
    /// flight, faults, damage and the package are left out, because states after a crash have none, or the
    /// same ones. It
    /// caches sums of content that forks share, so it must be called once before forks go to several threads.
    /// Unequal volumes have equal digests with a probability of 2^-64; it is not secure against an adversary.
    /// - Parameter sums: values to use instead of the live content of some files.
    package func dataDigest(with sums: [FileSum] = []) -> UInt64 {
        var walk = DigestWalk(data, names)
        for sum in sums {
            guard sum.path.volume == .data, let inode = inode(at: sum.path, .live) else { continue }
            walk.sums.append((inode, sum.value))
        }
        var sum = Fingerprint(key: key)
        walk.add(VolumeTree.root, to: &sum)
        sum.add(pending.count)
        for operation in pending { walk.add(operation, to: &sum) }
        walk.finish(&sum)
        return sum.value
    }
}

/// A value to use instead of a file's content in the digest of a disk.
package struct FileSum: Sendable {
    package var path: DiskPath
    package var value: Int

    package init(_ path: DiskPath, _ value: Int) {
        self.path = path
        self.value = value
    }
}

/// Numbers inodes in the order in which a walk by name visits them, because equal disks can have different
/// inode numbers.
struct DigestWalk {
    private let tree: VolumeTree
    private let names: NameTable
    private var numbers: [Int]
    private var waiting: [InodeNumber] = []
    private var next = 0
    /// Values to use instead of the content of files.
    var sums: [(inode: InodeNumber, value: Int)] = []

    init(_ tree: VolumeTree, _ names: NameTable) {
        self.tree = tree
        self.names = names
        numbers = [Int](repeating: -1, count: tree.inodeNumbers.count)
    }

    mutating func add(_ inode: InodeNumber, to sum: inout Fingerprint) {
        if numbers[Int(inode)] < 0 {
            numbers[Int(inode)] = waiting.count
            waiting.append(inode)
        }
        sum.add(numbers[Int(inode)])
    }

    mutating func add(_ operation: PendingOperation, to sum: inout Fingerprint) {
        add(operation.object, to: &sum)
        sum.add(operation.isInDeviceCache ? 1 : 0)
        switch operation.change {
        case .data(let block, let image, let grows):
            sum.add(grows ? block : -1 - block)
            image.mix(into: &sum)
        case .size(let size): sum.add(size)
        case .add(let name, let inode):
            sum.add(names.name(name))
            add(inode, to: &sum)
        case .removal(let name, let inode, let location):
            sum.add(names.name(name))
            add(inode, to: &sum)
            if let location { add(location, to: &sum) }
        case .move(let name, let inode, let location, let replaced):
            sum.add(names.name(name))
            add(inode, to: &sum)
            add(location, to: &sum)
            if let replaced { add(replaced, to: &sum) }
        }
    }

    private mutating func add(_ location: EntryLocation, to sum: inout Fingerprint) {
        add(location.directory, to: &sum)
        sum.add(names.name(location.name))
    }

    /// Adds all inodes that were visited and not yet added, and all beneath them.
    mutating func finish(_ sum: inout Fingerprint) {
        while next < waiting.count {
            let number = waiting[next]
            next += 1
            if tree[number].kind == .file {
                if let own = sums.first(where: { $0.inode == number }) {
                    sum.add(own.value)
                } else {
                    sum.add(tree.contentSum(of: number))
                }
                continue
            }
            add(tree[number].names, to: &sum)
            if tree[number].durableNames == tree[number].names {
                sum.add(-1)
            } else {
                add(tree[number].durableNames, to: &sum)
            }
        }
    }

    /// Adds entries sorted by the text of their names, because ids depend on the order of first use.
    private mutating func add(_ entries: [DirectoryEntry], to sum: inout Fingerprint) {
        sum.add(entries.count)
        let texts = entries.map { (text: names.name($0.name), inode: $0.inode) }
        for entry in texts.sorted(by: { TextBytes.precedes($0.text, $1.text) }) {
            sum.add(entry.text)
            add(entry.inode, to: &sum)
        }
    }
}
