import Core

/// A sum of a dead device's data volume, cheap enough for every state of a search over crash points.
extension SimulatedDisk {
    /// Equal for equal data volumes: both images, and what is pending in its order. Open handles, faults,
    /// damage and the package are left out; whoever compares states after a crash has none of them, or the
    /// same ones. Remembers sums of content that forks share, so it is asked once before they go to several
    /// threads. Unequal volumes hardly ever have equal sums (64 bits, not against an adversary).
    public func dataDigest() -> UInt64 {
        var walk = DigestWalk(data, names)
        var sum = Fingerprint(key: key)
        walk.add(VolumeTree.root, to: &sum)
        sum.add(pending.count)
        for operation in pending { walk.add(operation, to: &sum) }
        walk.finish(&sum)
        return sum.value
    }
}

/// Numbers inodes in the order in which a walk by name meets them: their own numbers don't count.
private struct DigestWalk {
    private let tree: VolumeTree
    private let names: NameTable
    private var numbers: [Int]
    private var waiting: [InodeNumber] = []
    private var next = 0

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
            image.mixQuickly(into: &sum)
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
                sum.add(tree.contentSum(of: number))
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
        for entry in texts.sorted(by: { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }) {
            sum.add(entry.text)
            add(entry.inode, to: &sum)
        }
    }
}

extension FileContent {
    func mixQuickly(into sum: inout Fingerprint) {
        sum.add(size)
        for block in blocks { block.mixQuickly(into: &sum) }
    }
}

extension ContentBlock {
    /// As ``mix(into:)`` with four sums side by side, several times as fast.
    func mixQuickly(into sum: inout Fingerprint) {
        withBytes { bytes in
            var first: UInt64 = 0x9E37_79B9_7F4A_7C15
            var second: UInt64 = 0xBF58_476D_1CE4_E5B9
            var third: UInt64 = 0x94D0_49BB_1331_11EB
            var fourth: UInt64 = 0xD6E8_FEB8_6659_FD93
            var index = 0
            func word(_ offset: Int) -> UInt64 {
                bytes.loadUnaligned(fromByteOffset: index + offset, as: UInt64.self)
            }
            while index + 32 <= bytes.count {
                first = ContentBlock.mixed(first, word(0))
                second = ContentBlock.mixed(second, word(8))
                third = ContentBlock.mixed(third, word(16))
                fourth = ContentBlock.mixed(fourth, word(24))
                index += 32
            }
            while index < bytes.count {
                first = ContentBlock.mixed(first, UInt64(bytes[index]))
                index += 1
            }
            sum.add(bytes.count)
            sum.add(first)
            sum.add(second)
            sum.add(third)
            sum.add(fourth)
        }
    }

    private static func mixed(_ sum: UInt64, _ word: UInt64) -> UInt64 {
        let product = (sum ^ word).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
        return (product.high ^ product.low) &+ word
    }
}
