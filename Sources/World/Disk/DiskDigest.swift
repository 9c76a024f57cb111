import Backend
import Core

/// A sum of a dead device's data volume, cheap enough for every state of a search over crash points.
extension SimulatedDisk {
    /// Equal for equal data volumes: both images, and what is pending in its order. Open handles, faults,
    /// damage and the package are left out; whoever compares states after a crash has none of them, or the
    /// same ones. Remembers sums of content that forks share, so it is asked once before they go to several
    /// threads. Unequal volumes hardly ever have equal sums (64 bits, not against an adversary).
    /// - Parameter sums: for the live content of some files, whose bytes don't count then.
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

/// What a file's content counts as in a sum over a disk.
package struct FileSum: Sendable {
    package var path: DiskPath
    package var value: Int

    package init(_ path: DiskPath, _ value: Int) {
        self.path = path
        self.value = value
    }
}

/// Numbers inodes in the order in which a walk by name meets them: their own numbers don't count.
struct DigestWalk {
    private let tree: VolumeTree
    private let names: NameTable
    private var numbers: [Int]
    private var waiting: [InodeNumber] = []
    private var next = 0
    /// In place of a file's own content.
    var sums: [(inode: InodeNumber, value: Int)] = []

    init(_ tree: VolumeTree, _ names: NameTable) {
        self.tree = tree
        self.names = names
        numbers = [Int](repeating: -1, count: tree.numbers.count)
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
        case .removal(let name, let inode, let place):
            sum.add(names.name(name))
            add(inode, to: &sum)
            if let place { add(place, to: &sum) }
        case .move(let name, let inode, let place, let replaced):
            sum.add(names.name(name))
            add(inode, to: &sum)
            add(place, to: &sum)
            if let replaced { add(replaced, to: &sum) }
        }
    }

    private mutating func add(_ place: EntryPlace, to sum: inout Fingerprint) {
        add(place.directory, to: &sum)
        sum.add(names.name(place.name))
    }

    /// Adds all that was met and not yet looked at, and all beneath it.
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

    /// By the names' text: their numbers follow the order in which a disk met them.
    private mutating func add(_ entries: [DirectoryEntry], to sum: inout Fingerprint) {
        sum.add(entries.count)
        let texts = entries.map { (text: names.name($0.name), inode: $0.inode) }
        for entry in texts.sorted(by: { TextBytes.precedes($0.text, $1.text) }) {
            sum.add(entry.text)
            add(entry.inode, to: &sum)
        }
    }
}
