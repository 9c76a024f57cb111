import Backend
import Core

/// The inodes of one volume; number 0 is the root directory.
struct VolumeTree: Sendable {
    static let root: InodeNumber = 0

    /// Each in a box of its own: a fork that changes one file copies one box, not every file's arrays.
    private var boxes: [InodeBox]
    private var unused: [InodeNumber] = []
    let blockSize: Int

    init(blockSize: Int) {
        self.blockSize = blockSize
        boxes = [InodeBox(Inode(.directory, blockSize: blockSize))]
    }

    subscript(number: InodeNumber) -> Inode {
        _read { yield boxes[Int(number)].inode }
        _modify {
            if !isKnownUniquelyReferenced(&boxes[Int(number)]) {
                boxes[Int(number)] = InodeBox(boxes[Int(number)].inode)
            }
            boxes[Int(number)].contentSum = 0
            yield &boxes[Int(number)].inode
        }
    }

    /// All numbers, those that stand for nothing at the moment among them.
    var numbers: Range<InodeNumber> { 0..<InodeNumber(boxes.count) }

    /// Whether both trees hold the very same inode under these numbers; else they may be equal all the same.
    func sharesInode(_ number: InodeNumber, with other: VolumeTree, _ otherNumber: InodeNumber) -> Bool {
        boxes[Int(number)] === other.boxes[Int(otherNumber)]
    }

    mutating func make(_ kind: Inode.Kind) -> InodeNumber {
        let inode = Inode(kind, blockSize: blockSize)
        if let number = unused.popLast() {
            self[number] = inode
            return number
        }
        boxes.append(InodeBox(inode))
        return InodeNumber(boxes.count - 1)
    }

    /// What a path stands for, or why it stands for nothing.
    func find(_ path: PathNumber, _ table: NameTable, _ view: DiskImage = .live)
        -> Result<InodeNumber, FindFailure>
    {
        if path == NameTable.root { return .success(VolumeTree.root) }
        let place = table.place(path)
        switch directory(place.parent, table, view) {
        case .failure(let failure): return .failure(failure)
        case .success(let directory):
            if place.flaw == .nameTooLong { return .failure(FindFailure(code: .nameTooLong)) }
            guard let inode = self[directory].entries(view).inode(named: place.name) else {
                return .failure(FindFailure(code: .notFound))
            }
            return .success(inode)
        }
    }

    /// As ``find(_:_:_:)`` for a checker: no word about why there is nothing, and a file has no names in it.
    func inode(_ path: PathNumber, _ table: NameTable, _ view: DiskImage) -> InodeNumber? {
        if path == NameTable.root { return VolumeTree.root }
        let place = table.place(path)
        guard let parent = inode(place.parent, table, view) else { return nil }
        return boxes[Int(parent)].inode.inode(named: place.name, view)
    }

    /// The directory under a path.
    func directory(_ path: PathNumber, _ table: NameTable, _ view: DiskImage = .live)
        -> Result<InodeNumber, FindFailure>
    {
        let found = find(path, table, view)
        guard case .success(let inode) = found else { return found }
        return self[inode].kind == .directory ? found : .failure(FindFailure(code: .notADirectory))
    }

    /// Frees every inode that is neither marked nor reached from a marked one, in either image.
    mutating func sweep(keeping roots: [InodeNumber]) {
        var isKept = [Bool](repeating: false, count: boxes.count)
        var waiting = roots
        waiting.append(VolumeTree.root)
        while let number = waiting.popLast() {
            if isKept[Int(number)] { continue }
            isKept[Int(number)] = true
            let box = boxes[Int(number)]
            guard box.inode.kind == .directory else { continue }
            for entry in box.inode.names { waiting.append(entry.inode) }
            for entry in box.inode.durableNames { waiting.append(entry.inode) }
        }
        for index in boxes.indices where !isKept[index] && boxes[index].inode.kind != .unused {
            boxes[index] = InodeBox(Inode(.unused, blockSize: blockSize))
            unused.append(InodeNumber(index))
        }
    }

    /// A sum over both contents of a file, remembered until it changes: forks share what they share.
    func contentSum(of number: InodeNumber) -> UInt64 {
        let box = boxes[Int(number)]
        if box.contentSum != 0 { return box.contentSum }
        var sum = Fingerprint(key: box.inode.isUncertain ? 2 : 1)
        box.inode.live.mix(into: &sum)
        if box.inode.durable == box.inode.live {
            sum.add(1)
        } else {
            box.inode.durable.mix(into: &sum)
        }
        box.contentSum = sum.value | 1
        return box.contentSum
    }

    /// Which inodes the durable root reaches.
    func durableReach() -> [Bool] {
        var isReached = [Bool](repeating: false, count: boxes.count)
        var waiting = [VolumeTree.root]
        while let number = waiting.popLast() {
            if isReached[Int(number)] { continue }
            isReached[Int(number)] = true
            for entry in self[number].durableNames { waiting.append(entry.inode) }
        }
        return isReached
    }

    /// After a crash: the live image is the durable one; nothing is open. Says how much space files take.
    mutating func restart() -> Int {
        for index in boxes.indices where !boxes[index].inode.isSettled {
            let number = InodeNumber(index)
            self[number].live = self[number].durable
            self[number].names = self[number].durableNames
            self[number].opens = 0
            self[number].isUncertain = false
        }
        sweep(keeping: [])
        var links = [Int32](repeating: 0, count: boxes.count)
        var space = 0
        for box in boxes where box.inode.kind != .unused {
            space += box.inode.live.allocated
            for entry in box.inode.names { links[Int(entry.inode)] += 1 }
        }
        for index in boxes.indices where boxes[index].inode.links != links[index] {
            self[InodeNumber(index)].links = links[index]
        }
        return space
    }
}

/// Changed only by ``VolumeTree``, and only while no other tree holds it.
private final class InodeBox: @unchecked Sendable {
    @exclusivity(unchecked) var inode: Inode
    /// 0: not worked out. Whoever hands forks to several threads asks for it before.
    @exclusivity(unchecked) var contentSum: UInt64 = 0

    init(_ inode: Inode) { self.inode = inode }
}

/// Why a path leads nowhere.
struct FindFailure: Error {
    let code: DiskError.Code
}
