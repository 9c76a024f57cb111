import Core

extension SimulatedDisk {
    /// A 64-bit sum of what a search compares: equal disks have equal sums, in every process; unequal ones
    /// hardly ever. Reads all content, so it costs time in proportion to that.
    public func fingerprint() -> UInt64 {
        var sum = Fingerprint(key: key)
        sum.add(profile.rawValue)
        sum.add(capacity)
        var walk = FingerprintWalk(data, names)
        walk.add(VolumeTree.root, to: &sum)
        walk.finish(&sum)
        var packageWalk = FingerprintWalk(package, names)
        packageWalk.add(VolumeTree.root, to: &sum)
        packageWalk.finish(&sum)
        sum.add(openFiles.count)
        for file in openFiles {
            guard let file else {
                sum.add(-1)
                continue
            }
            sum.add(file.isWritable ? 1 : 0)
            if file.volume == .data { walk.add(file.inode, to: &sum) }
        }
        sum.add(pending.count)
        for operation in pending { walk.add(operation, to: &sum) }
        walk.finish(&sum)
        sum.add(faults.damages.count)
        sum.add(faults.calls.count)
        return sum.value
    }
}

/// Numbers inodes in the order in which a walk by name meets them, so that their own numbers don't count.
private struct FingerprintWalk {
    private let tree: VolumeTree
    private let names: NameTable
    private var numbers: [Int]
    private var met = 0
    private var waiting: [InodeNumber] = []
    private var next = 0

    init(_ tree: VolumeTree, _ names: NameTable) {
        self.tree = tree
        self.names = names
        numbers = [Int](repeating: -1, count: tree.numbers.count)
    }

    mutating func add(_ inode: InodeNumber, to sum: inout Fingerprint) {
        if numbers[Int(inode)] < 0 {
            numbers[Int(inode)] = met
            met += 1
            waiting.append(inode)
        }
        sum.add(numbers[Int(inode)])
    }

    mutating func add(_ operation: PendingOperation, to sum: inout Fingerprint) {
        add(operation.object, to: &sum)
        switch operation.change {
        case .data(let block, let image, _):
            sum.add(block)
            image.mix(into: &sum)
        case .size(let size): sum.add(size)
        case .add(let name, let inode), .removal(let name, let inode, _), .move(let name, let inode, _, _):
            sum.add(names.name(name))
            add(inode, to: &sum)
        }
    }

    /// Adds all that was met and not yet looked at, and all beneath it.
    mutating func finish(_ sum: inout Fingerprint) {
        while next < waiting.count {
            let inode = tree[waiting[next]]
            next += 1
            inode.live.mix(into: &sum)
            if inode.durable == inode.live {
                sum.add(1)
            } else {
                sum.add(2)
                inode.durable.mix(into: &sum)
            }
            add(inode.names, to: &sum)
            add(inode.durableNames, to: &sum)
        }
    }

    private mutating func add(_ entries: [DirectoryEntry], to sum: inout Fingerprint) {
        let named = entries.map { (name: names.name($0.name), inode: $0.inode) }
        sum.add(named.count)
        for entry in named.sorted(by: { TextBytes.precedes($0.name, $1.name) }) {
            sum.add(entry.name)
            add(entry.inode, to: &sum)
        }
    }
}
